import { useEffect, useState } from "preact/hooks";
import { at } from "../lib/api";
import { now } from "../lib/clock";
import { useLoad } from "../lib/load";
import { go } from "../lib/route";
import { useRows } from "../lib/rows";
import { ago, clean, count, money, percent, short, two } from "../lib/text";
import type { Agent, Explanation, Reliability } from "../lib/types";
import { Glyph } from "../parts/glyph";
import { Strip } from "../parts/shell";
import { Bar, Top } from "../parts/small";
import { Empty, Ready } from "../parts/state";

// What agents may say, in the order of the columns.
const kinds: [string, string, string][] = [
  ["discovery", "finding", "discovery"], ["proposal", "proposal", "proposal"], ["doubt", "doubt", "doubt"], ["challenge", "challenge", "challenge"],
  ["vote", "agree", "vote"], ["escalate", "escalation", "escalate"], ["memory:shared", "memory", "memory"], ["tool:result", "tool", "tool"],
];
const few = 10;
const path = (a: Agent) => "/agents/" + encodeURIComponent(a.id);
const spent = (a: Agent) => a.cost.dollars ?? 0;
const tokens = (a: Agent) => a.cost.inputTokens + a.cost.outputTokens;

export function Agents({ id }: { id: string }) {
  const loaded = useLoad<Agent[]>("agents");
  return <><Top title="Agents" /><Strip /><Ready of={loaded}>{(all) => all.length ? <List all={all} id={id} /> : <Empty title="No agent has worked here yet"><p>Agents appear with the team or the rooms that they belong to.</p></Empty>}</Ready></>;
}

function List({ all, id }: { all: Agent[]; id: string }) {
  const chosen = all.find((a) => a.id === id);
  const row = useRows("Agents", all.length, (i) => go(path(all[i]), true));
  const dollars = all.some(spent), most = Math.max(...all.map(dollars ? spent : tokens), 1e-9);
  return (
    <div class={chosen ? "split" : ""}>
      <div class="page">
        <table class="tb at">
          <colgroup><col /><col class="c1" /><col class="c2" /><col class="c3" /><col class="c4" /></colgroup>
          <thead><tr><th>Agent</th><th>How often it is right <span class="mut">(95 % interval, 0 to 1)</span></th><th>May say</th><th>Spent</th><th class="num">Last</th></tr></thead>
          <tbody>
            {all.map((a, i) => (
              <tr key={a.id} class="r" data-row={i} aria-selected={a === chosen || i === row} onClick={(e) => (e.target as Element).closest("a") || go(path(a), true)}>
                <td><a class="tt" href={path(a)}>{clean(a.name)}</a><div class="sub">{[a.team ?? a.rooms.join(", "), a.model].filter(Boolean).map((x) => clean(x!)).join(" · ")}</div></td>
                <td><div class="sparkcell"><Interval r={a.reliability} /><span class="nw">{a.reliability.told ? <><b class="b">{two(a.reliability.right / a.reliability.told)}</b> <span class="mut">n {a.reliability.told}</span></> : <span class="mut">not known</span>}</span></div></td>
                <td><MaySay a={a} /></td>
                <td><div class="bud"><Bar share={(dollars ? spent(a) : tokens(a)) / most} height={5} label="share of the most" /><span>{dollars ? money(spent(a)) : short(tokens(a)) + " tokens"}</span></div></td>
                <td class="num nw ink2">{a.last ? ago(now.value - Date.parse(a.last)) + " ago" : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <div class="lg">{kinds.map(([, glyph, word]) => <span key={word}><Glyph name={glyph} /> {word}</span>)}<span>– may not</span><span>┆ 0.5: no better than a coin</span><span>○ fewer than {few} known outcomes</span></div>
      </div>
      {chosen && <Side key={chosen.id} a={chosen} all={all} />}
    </div>
  );
}

function Interval({ r }: { r: Reliability }) {
  const W = 190, x = (v: number) => 4 + v * (W - 8);
  const known = r.told > 0;
  return (
    <svg class={"rel" + (r.told < few ? " few" : "")} width={W} height="24" role="img" aria-label={known ? `right ${two(r.right / r.told)}, interval ${two(r.low)} to ${two(r.high)}` : "no outcome is known"}>
      <line class="base" x1={x(0)} x2={x(1)} y1="12" y2="12" />
      <line class="coin" x1={x(0.5)} x2={x(0.5)} y1="0" y2="24" />
      {known && <><line class="iv" x1={x(r.low)} x2={x(r.high)} y1="12" y2="12" /><circle class="mean" cx={x(r.right / r.told)} cy="12" r="4.5" /></>}
    </svg>
  );
}

const may = (a: Agent, kind: string) => (kind === "tool:result" ? a.tools.length > 0 : !a.canEmit || a.canEmit.includes(kind));

const MaySay = ({ a }: { a: Agent }) => (
  <div class="pm">{kinds.map(([kind, glyph, word]) => <span key={kind} class={may(a, kind) ? "" : "off"} title={`${word}: ${may(a, kind) ? "may" : "may not"}`}>{may(a, kind) ? <Glyph name={glyph} label={"may " + word} /> : <><span aria-hidden="true">–</span></>}</span>)}</div>
);

function Side({ a, all }: { a: Agent; all: Agent[] }) {
  const r = a.reliability;
  const copy = r.repeats && all.find((o) => o.name === r.repeats);
  useEffect(() => void document.querySelector(".side")?.scrollTo(0, 0), []);
  return (
    <aside class="side" aria-label={clean(a.name)} tabIndex={0}>
      <a class="close ib" href="/agents" aria-label="Close"><Glyph name="close" /></a>
      <p class="mut">{[a.model, a.group && "group " + a.group, a.weight && "weight " + a.weight].filter(Boolean).join(" · ") || "no model"}</p>
      <p class="big">{clean(a.name)}</p>
      {a.role && <p class="ink2">{clean(a.role)}</p>}
      <h3>How often it is right</h3>
      <p class="ink2">{r.told ? `Right in ${r.right} of ${count(r.told, "decision")} with a known outcome: between ${percent(r.low)} and ${percent(r.high)}.` : "No outcome of its votes is known. Tell which proposal was right, and the next solve weighs it."}
        {copy && <> Repeats <b class="b ink">{clean(r.repeats!)}</b>.</>}</p>
      <p class="ink2">Voted {count(a.votes, "time")} in {count(a.solves, "solve")}.</p>
      <h3>Listens to</h3><p class="ink2">{a.listens ? a.listens.map(clean).join(", ") || "nothing" : "everything that is addressed to it"}</p>
      <h3>May say</h3><p class="ink2">{a.canEmit ? a.canEmit.map(clean).join(", ") || "nothing" : "everything but what is reserved to the system"}</p>
      {a.tools.length > 0 && <><h3>Tools</h3>{a.tools.map((t) => <div class="route" key={t.tool}><Glyph name="tool" /><span class="sub">{clean(t.policy)}</span><span>{clean(t.tool)}</span></div>)}</>}
      {a.team && a.routes > 0 && <Routes a={a} />}
      <h3>Spent</h3><p class="ink2">{money(spent(a))} · {count(a.cost.calls, "call")} · {short(a.cost.inputTokens)} tokens in, {short(a.cost.outputTokens)} out</p>
    </aside>
  );
}

// Routes explains what the router of an agent does about a signal.
function Routes({ a }: { a: Agent }) {
  const [seq, set] = useState("");
  const asked = /^\d+$/.test(seq) ? "?seq=" + seq : "";
  const loaded = useLoad<Explanation>(`agents/${at(a.team!, a.name)}/routes${asked}`);
  return (
    <>
      <h3>Explain{asked && `: what does it do about #${seq}?`}</h3>
      <input class="ta" inputMode="numeric" aria-label="Number of a signal" placeholder="Number of a signal" value={seq} onInput={(e) => set(e.currentTarget.value.replace(/\D/g, ""))} />
      <Ready of={loaded}>{(x) => (
        <>
          {x.routes.map((r, i) => {
            const hit = x.route === r.name && x.tier === r.tier;
            return <div class="route" key={i}><Glyph name={hit ? "agree" : "minus"} tone={hit ? "ac" : "mut"} /><span class="ink2">{clean(r.tier)}</span><span class="sub"><b class="b">{clean(r.name)}</b> {clean(r.verdict)}</span></div>;
          })}
          <p class="say">{x.error ? <span class="no">{clean(x.error)}</span> : <>Action: {clean(x.action) || "none"}{x.state && <>, in state {clean(x.state)}</>}.</>}</p>
        </>
      )}</Ready>
    </>
  );
}
