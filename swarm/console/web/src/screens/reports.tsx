import { useLoad } from "../lib/load";
import { clean, when } from "../lib/text";
import type { Part, Report } from "../lib/types";
import { Glyph } from "../parts/glyph";
import { Strip } from "../parts/shell";
import { Top } from "../parts/small";
import { Empty, Ready } from "../parts/state";

// Reports shows what workers sent beside what was accepted of it, so that a difference in
// meaning can be seen.
export function Reports() {
  const loaded = useLoad<Report[]>("reports?limit=100");
  return (
    <>
      <Top title="Reports"><span class="mut onlyw">as sent, beside what was accepted</span></Top>
      <Strip />
      <Ready of={loaded}>{(all) => all.length ? <div class="page reports">{all.map((r) => <One key={r.id} r={r} />)}</div> : (
        <Empty title="No worker has reported"><p>A worker's report describes its turn in typed fields. What it sent is kept beside what the gate let through, and why the rest was refused.</p></Empty>
      )}</Ready>
    </>
  );
}

const One = ({ r }: { r: Report }) => (
  <article class="report" id={r.id}>
    <header>
      <Glyph name={r.rejected.length ? "disagree" : "check"} tone={r.rejected.length ? "no" : "ye"} label={r.rejected.length ? "partly refused" : "accepted"} />
      <b class="b">{clean(r.worker)}</b><span class="ink2">{clean(r.task ?? r.turn)}</span>
      <span class="mut">{r.status && clean(r.status) + " · "}{when(r.time)} · <span class="mono">#{r.seq}</span>{r.model && " · " + clean(r.model)}</span>
    </header>
    <div><h3>As sent</h3><div class="raw" tabIndex={0}>{r.raw === undefined ? "The log does not have it." : clean(JSON.stringify(r.raw, null, 2))}</div></div>
    <div>
      <h3>Accepted</h3>
      {r.accepted.map((p) => <Piece key={p.seq} p={p} />)}
      {!r.accepted.length && <p class="mut ok">Nothing.</p>}
      {r.rejected.length > 0 && <h3>Refused</h3>}
      {r.rejected.map((p) => <Piece key={p.seq + p.kind} p={p} refused />)}
      {r.then.length > 0 && <h3>What followed</h3>}
      {r.then.map((p) => <p class="ok then" key={p.seq}><span class="mut">#{p.seq}</span> {clean(p.text)}</p>)}
      {r.receipt && <p class="ink2 ok">{clean(r.receipt)}</p>}
    </div>
  </article>
);

const Piece = ({ p, refused }: { p: Part; refused?: boolean }) => (
  <p class="ok"><Glyph name={refused ? "disagree" : "check"} tone={refused ? "no" : "ye"} label={refused ? "refused" : "accepted"} /> {refused ? <span class="no">{clean(p.reason ?? "")}</span> : <span class="mut">{clean(p.kind)}</span>} {clean(p.text)}</p>
);
