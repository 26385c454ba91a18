import { useState } from "preact/hooks";
import { useLoad } from "../lib/load";
import { go, route } from "../lib/route";
import { useRows } from "../lib/rows";
import { name, solves } from "../lib/store";
import { clean, count, group, two, when } from "../lib/text";
import type { Comparison, Run, Said, Side, Solve } from "../lib/types";
import { mood, stopped } from "../lib/words";
import { Glyph } from "../parts/glyph";
import { Strip } from "../parts/shell";
import { Top } from "../parts/small";
import { Empty, Ready } from "../parts/state";
import { Verify } from "./solve/rail";

const path = (r: Run) => "/runs/" + encodeURIComponent(r.name);

// Runs are the journals of the server: each can be verified and replayed, and two solves compared.
export function Runs({ id }: { id: string }) {
  const loaded = useLoad<Run[]>("runs");
  const { query } = route.value;
  const a = query.get("a"), b = query.get("b");
  if (id === "compare" && a && b) return <Compare a={a} b={b} />;
  return (
    <>
      <Top title={id ? clean(id) : "Runs"} crumb={id && <a class="crumb" href="/runs">Runs /</a>} />
      <Strip />
      <Ready of={loaded}>{(all) => {
        if (id) return all.some((r) => r.name === id) ? <One id={id} /> : <Empty title="There is no such journal"><a class="ac" href="/runs">All runs</a></Empty>;
        return all.length ? <List all={all} /> : <Empty title="There is no journal yet"><p>Each team and the rooms write one journal. It can be verified, replayed and compared.</p></Empty>;
      }}</Ready>
    </>
  );
}

function List({ all }: { all: Run[] }) {
  const row = useRows("Runs", all.length, (i) => go(path(all[i])));
  return (
    <div class="page">
      <table class="tb rn">
        <colgroup><col /><col class="c1" /><col class="c2" /><col class="c3" /><col class="c4" /></colgroup>
        <thead><tr><th>Journal</th><th>Holds</th><th>Size</th><th>Changed</th><th>Verified</th></tr></thead>
        <tbody>{all.map((r, i) => (
          <tr key={r.name} class="r" data-row={i} aria-selected={i === row} onClick={(e) => (e.target as Element).closest("a,button") || go(path(r))}>
            <td><a class="tt" href={path(r)}>{clean(r.name)}</a><div class="sub">{r.problem ? <span class="no">{clean(r.problem)}</span> : <>{r.type}{r.team && " of " + clean(r.team)}{r.live ? " · written by this server" : r.writer ? ` · written by ${clean(r.writer)}` : ""}</>}</div></td>
            <td class="ink2" data-h="Holds">{holds(r)}</td>
            <td class="ink2" data-h="Size">{bytes(r.bytes)}</td>
            <td class="ink2" data-h="Changed">{r.changed ? when(r.changed) : "–"}</td>
            <td class="small" data-h="Verified"><Verify run={r.name} /></td>
          </tr>
        ))}</tbody>
      </table>
    </div>
  );
}

const bytes = (n: number) => (n < 1 << 20 ? `${Math.ceil(n / 1024)} kB` : `${(n / (1 << 20)).toFixed(1)} MB`);

// holds says what a journal has, if the server has read it.
const holds = (r: Run) => (r.solves === undefined ? "–" : (r.type === "solves" ? count(r.solves, "solve") + ", " : "") + count(r.signals ?? 0, "signal"));

const One = ({ id }: { id: string }) => <Ready of={useLoad<Run>("runs/" + encodeURIComponent(id))}>{(r) => <Journal r={r} />}</Ready>;

function Journal({ r }: { r: Run }) {
  const mine = (solves.value ?? []).filter((s) => s.run === r.name);
  const [picked, pick] = useState<string[]>([]);
  const toggle = (id: string) => pick((p) => (p.includes(id) ? p.filter((x) => x !== id) : [...p, id].slice(-2)));
  const ready = picked.length === 2;
  return (
    <div class="page">
      <div class="cards">
        <section><h2>Journal</h2><dl class="kv"><dt>holds</dt><dd>{holds(r)}</dd><dt>size</dt><dd>{bytes(r.bytes)}</dd><dt>writer</dt><dd>{r.live ? "this server" : r.writer || "nobody now"}</dd></dl></section>
        <section><h2>Verify and replay</h2><p><Verify run={r.name} /></p><p class="say">The same from a terminal: <code class="mono">swarmbus verify</code> and <code class="mono">swarmbus replay</code>.</p></section>
      </div>
      {mine.length > 0 && (
        <>
          <div class="grp">Solves <span>{mine.length}</span><button class="btn push" disabled={!ready} onClick={() => go(`/runs/compare?a=${encodeURIComponent(picked[0])}&b=${encodeURIComponent(picked[1])}`)}>{ready ? "Compare the two" : "Choose two to compare"}</button></div>
          <table class="tb rd2"><colgroup><col /><col class="c1" /><col class="c2" /><col class="c3" /></colgroup>
            <thead><tr><th>Question and answer</th><th>Signals</th><th>Compare</th><th>State</th></tr></thead>
            <tbody>{mine.map((s) => <SolveRow key={s.id} s={s} on={picked.includes(s.id)} toggle={() => toggle(s.id)} />)}</tbody>
          </table>
        </>
      )}
    </div>
  );
}

function SolveRow({ s, on, toggle }: { s: Solve; on: boolean; toggle: () => void }) {
  const m = mood(s);
  return (
    <tr class="r" aria-selected={on} onClick={(e) => (e.target as Element).closest("a,input") || go("/solves/" + encodeURIComponent(s.id))}>
      <td><a class="tt" href={"/solves/" + encodeURIComponent(s.id)}>{clean(s.task)}</a><div class="sub">{clean(s.answer || s.leader?.content || "")} <span class="mut">· {when(s.began)}</span></div></td>
      <td class="ink2" data-h="Signals">{group(s.signals)}</td>
      <td data-h="Compare"><input type="checkbox" checked={on} onChange={toggle} aria-label={"Compare " + clean(s.task)} /></td>
      <td><span class={"stop " + m.tone}><Glyph name={m.glyph} /> {m.word}</span></td>
    </tr>
  );
}

function Compare({ a, b }: { a: string; b: string }) {
  const loaded = useLoad<Comparison>(`compare?a=${encodeURIComponent(a)}&b=${encodeURIComponent(b)}`);
  return (
    <>
      <Top title="Two solves" crumb={<a class="crumb" href={"/runs/" + encodeURIComponent(a.split(".")[0])}>Runs /</a>} />
      <Strip />
      <Ready of={loaded}>{(c) => (
        <div class="page">
          <p class="big">{c.identical ? <span class="st ye"><Glyph name="check" /> The same, but for ids and times</span> : c.common ? `Equal for ${count(c.common, "signal")}, then different` : "They differ from signal 1 on"}</p>
          {c.difference && <p class="ink2">First difference at <span class="mono">#{c.difference.seq}</span>: {clean(c.difference.what)}</p>}
          <div class="diffs">
            <span class="head">#</span><SideHead s={c.a} /><SideHead s={c.b} />
            {c.rows.map((r, i) => <Diff key={i} n={r.a?.seq ?? r.b?.seq ?? 0} a={r.a} b={r.b} same={r.same} />)}
          </div>
        </div>
      )}</Ready>
    </>
  );
}

const SideHead = ({ s }: { s: Side }) => (
  <span class="head"><a class="ac" href={"/solves/" + encodeURIComponent(s.solve)}>{clean(s.solve)}</a><br /><b class="b ink">{clean(s.answer) || stopped(s.stop)}</b><br />{stopped(s.stop)} · support {two(s.support)} · {count(s.rounds, "round")}, {count(s.signals, "signal")}</span>
);

const Diff = ({ n, a, b, same }: { n: number; a?: Said; b?: Said; same: boolean }) => (
  <><span class="mono mut">{n}</span><Cell s={a} same={same} /><Cell s={b} same={same} /></>
);

const Cell = ({ s, same }: { s?: Said; same: boolean }) => (
  <span class={same ? "mut" : ""}>{s ? <><b class="b">{clean(name(s.by))}</b> <span class="mut">{s.form}{s.stance && ` ${s.stance} ${s.proposal} ${two(s.weight ?? 0)}`}</span> {clean(s.text)}</> : <span class="mut">nothing</span>}</span>
);
