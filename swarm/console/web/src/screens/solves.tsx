import { useMemo, useRef, useState } from "preact/hooks";
import { now } from "../lib/clock";
import { useKeys } from "../lib/keys";
import { go, note, route } from "../lib/route";
import { useRows } from "../lib/rows";
import { solves } from "../lib/store";
import { clean, count, day, lasting, money, percent, short, two } from "../lib/text";
import type { Solve } from "../lib/types";
import { answerLine, mood, took } from "../lib/words";
import { Glyph } from "../parts/glyph";
import { showStart } from "../parts/overlays";
import { Strip } from "../parts/shell";
import { Bar, Key, Spark, Top } from "../parts/small";
import { Empty, Loading } from "../parts/state";

const path = (s: Solve) => "/solves/" + encodeURIComponent(s.id);

export function Solves() {
  const [text, setText] = useState(route.peek().query.get("q") ?? "");
  const type = (q: string) => (setText(q), note({ q }));
  const field = useRef<HTMLInputElement>(null);
  const all = solves.value;
  const groups = useMemo(() => grouped((all ?? []).filter((s) => matches(s, text))), [all, text]);
  const flat = groups.flatMap((g) => g.rows);
  const at = useRows("Solves", flat.length, (i) => go(path(flat[i])));
  useKeys("", [{ keys: "/", does: "filter", run: () => field.current?.focus() }]);
  return (
    <>
      <Top title="Solves">
        <input ref={field} class="ta filter" type="search" aria-label="Filter" placeholder="Filter: text, team, stop reason" value={text}
          onInput={(e) => type(e.currentTarget.value)} onKeyDown={(e) => e.key === "Escape" && (type(""), e.currentTarget.blur())} />
        <button class="btn p" onClick={showStart}>New solve <Key of="c" /></button>
      </Top>
      <Strip />
      {!all ? <Loading /> : !all.length ? (
        <Empty title="Nothing has been decided here yet">
          <p>Give a team a question. You see what each agent says and votes while it happens, and you can answer when they ask.</p>
          <button class="btn p" onClick={showStart}>New solve</button>
        </Empty>
      ) : !flat.length ? <Empty title={`No solve matches “${text}”`}><button class="btn" onClick={() => type("")}>Show all {all.length}</button></Empty> : (
        <div class="page">
          <table class="tb ls">
            <colgroup><col class="c0" /><col /><col class="c2" /><col class="c3" /><col class="c4" /><col class="c5" /></colgroup>
            <thead><tr><th><span class="sr">State</span></th><th>Question and answer</th><th>Support of the leader</th><th class="cell3">Budget</th><th>State</th><th class="num">Time</th></tr></thead>
            {groups.map((g) => (
              <tbody key={g.name}>
                <tr><td class="groupcell" colSpan={6}><div class="grp">{g.name} <span>{g.rows.length}</span></div></td></tr>
                {g.rows.map((s) => <Row key={s.id} s={s} n={flat.indexOf(s)} on={flat.indexOf(s) === at} />)}
              </tbody>
            ))}
          </table>
        </div>
      )}
    </>
  );
}

function Row({ s, n, on }: { s: Solve; n: number; on: boolean }) {
  const m = mood(s), live = s.state === "running" || s.state === "waiting", lead = s.leader;
  return (
    <tr class="r fresh" data-row={n} data-solve={s.id} aria-selected={on} onClick={(e) => (e.target as Element).closest("a") || go(path(s))}>
      <td><Glyph name={m.glyph} tone={m.tone} label={m.word} /></td>
      <td>
        <a class="tt" href={path(s)}>{clean(s.task)}</a>
        <div class="sub">{clean(answerLine(s))} <span class="mut">· {s.team ? s.team + " · " : ""}{count(s.agents, "agent")}</span></div>
      </td>
      <td><div class="sparkcell"><Spark points={s.spark} quorate={s.quorate} threshold={s.threshold} live={!s.revised && (live || s.state === "decided")} />{lead ? <span class="nw" title="support, and the probability of being right"><b class="b">{two(lead.support)}</b> <span class="mut small">{percent(lead.confidence)}</span></span> : <span class="mut">none</span>}</div></td>
      <td class="cell3"><Spent s={s} /></td>
      <td><span class={"stop " + (m.tone === "ac" || m.tone === "mut" ? "" : m.tone)}>{m.word}</span></td>
      <td class="num ink2 nw">{lasting(took(s, s.ended ? 0 : now.value))}</td>
    </tr>
  );
}

function Spent({ s }: { s: Solve }) {
  const tokens = s.cost.inputTokens + s.cost.outputTokens;
  const used = s.cost.dollars ? money(s.cost.dollars) : tokens ? short(tokens) + " tokens" : count(s.signals, "signal");
  if (!s.budget) return <span class="sub">{used}</span>;
  return (
    <div class="bud">
      <Bar share={s.budget.used} height={5} tone={s.budget.used > 0.9 ? "hot" : ""} label={`${Math.round(s.budget.used * 100)} % of the budget`} />
      <span>{used} <span class="mut">of {limit(s.budget.limit)}</span></span>
    </div>
  );
}

export const limit = (text: string) => text.replace(/^([\d.]+)usd$/, "$$$1").replace(/^(\d+)tokens$/, (_, n) => short(Number(n)));

const matches = (s: Solve, text: string) =>
  text.toLowerCase().split(/\s+/).every((w) => [s.task, s.answer, s.team, s.stop, s.state, mood(s).word, s.leader?.content].some((f) => f?.toLowerCase().includes(w)));

function grouped(all: Solve[]): { name: string; rows: Solve[] }[] {
  const groups = new Map<string, Solve[]>();
  const live = (s: Solve) => s.state === "running" || s.state === "waiting";
  for (const s of [...all].sort((a, b) => Number(live(b)) - Number(live(a)) || Number(b.state === "waiting") * Number(live(b)) - Number(a.state === "waiting") * Number(live(a)) || b.began.localeCompare(a.began))) {
    const name = s.state === "waiting" ? "Waiting for you" : live(s) ? "Running" : day(s.began);
    groups.set(name, [...(groups.get(name) ?? []), s]);
  }
  return [...groups].map(([name, rows]) => ({ name, rows }));
}
