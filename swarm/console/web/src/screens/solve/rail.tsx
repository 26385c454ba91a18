import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { at, get, type Problem } from "../../lib/api";
import { session } from "../../lib/store";
import { name } from "../../lib/store";
import { clean, count, group, lasting, money, short, needed, two } from "../../lib/text";
import type { Proposal, ReplayCheck, Rest, Said, Step, Verification } from "../../lib/types";
import { limit } from "../solves";
import { Glyph } from "../../parts/glyph";
import type { Play } from "../../play/play";
import { Bar, Letter } from "../../parts/small";
import { stopped } from "../../lib/words";
import { brief } from "./brief";
import { Ref } from "./ref";
import type { View } from "./state";
import { situation } from "./verdict";

export const Rail = ({ view }: { view: View }) => (
  <aside class="rail" aria-label="Votes, what if, cost and run">
    <Votes view={view} />
    <WhatIfs view={view} />
    <Rests view={view} />
    <Costs view={view} />
    <Run view={view} />
  </aside>
);

function Votes({ view }: { view: View }) {
  const { play } = view, seq = view.seq.value;
  const ps = play.proposals(seq), s = situation(view), step = play.step(seq);
  const row = view.what.value?.strategies.find((r) => r.strategy === view.strategy.value);
  const support = (s.whatIf && row?.support) || step?.support || {};
  const standing = (v: string) => {
    const own = play.vote(v, s.leader, seq);
    return own?.stance === "agree" ? 2 + own.weight : own?.stance === "disagree" ? -1 : 0;
  };
  const out = (p: Proposal) => !!play.out(p) && play.out(p) <= seq;
  const voters = play.voters(seq).sort((a, b) => standing(b) - standing(a));
  return (
    <section>
      <h2>Votes <span>{!view.end.value ? "at #" + seq : play.detail.revision ? "without what was taken back" : "as they ended"}</span></h2>
      {!ps.length || !voters.length ? <p class="mut">Nobody has voted yet.</p> : (
        <>
          <div class="vgbox" tabIndex={0} role="region" aria-label="Votes of each agent on each proposal">
            <table class="vg">
              <colgroup><col /></colgroup>
              <thead><tr><th><span class="sr">Voter</span></th>{ps.map((p) => <th key={p.id} scope="col" title={clean(p.content)}><Letter of={p.letter} win={p.id === s.leader} /></th>)}</tr></thead>
              <tbody>{voters.map((v) => <tr key={v}><th scope="row" title={clean(v)}>{clean(name(v))}</th>{ps.map((p) => <td key={p.id} class={out(p) ? "out" : ""}><Cell view={view} voter={v} proposal={p.id} /></td>)}</tr>)}</tbody>
              <tfoot><tr><th scope="row">support</th>{ps.map((p) => <td key={p.id} class={p.id === s.leader ? "ac" : out(p) ? "mut" : ""} title={out(p) ? "lost a conflict, and cannot be chosen" : undefined}>{out(p) ? "out" : two(support[p.id] ?? 0)}</td>)}</tr></tfoot>
            </table>
          </div>
          <div class="lg"><span><Glyph name="agree" tone="ye" /> agrees</span><span><Glyph name="disagree" tone="no" /> against</span><span>· no vote</span><span><b class="corner" /> changed</span></div>
        </>
      )}
    </section>
  );
}

function Cell({ view, voter, proposal }: { view: View; voter: string; proposal: string }) {
  const v = view.play.vote(voter, proposal, view.seq.value);
  if (!v) return <span class="mut" aria-label="no vote">·</span>;
  const changed = !!v.was;
  return (
    <button class={`c ${v.stance}` + (changed ? " ch" : "")} title={`#${v.seq} ${clean(v.reasoning ?? "")}`} onClick={() => view.go(v.seq)}>
      <Glyph name={v.stance} label={v.stance} />{v.weight >= 1 ? "1.0" : two(v.weight).slice(1)}{changed && <span class="sr">changed</span>}
    </button>
  );
}

function WhatIfs({ view }: { view: View }) {
  const { play } = view, d = play.detail, w = view.what.value;
  const threshold = view.threshold.value || d.threshold, chosen = view.strategy.value || d.terms.strategy;
  if (!w) return <section><h2>What if <span>same votes, counted otherwise</span></h2><p class="mut">{d.votes.length ? "Counting." : "There is nothing to count yet."}</p></section>;
  const rows = w.strategies.map((r) => {
    const cell = r.cells.find((c) => Math.abs(c.threshold - threshold) < 1e-9) ?? r.cells[0];
    const leader = cell?.choice ?? cell?.leader;
    return { strategy: r.strategy, leader, support: leader ? r.support[leader] ?? cell.support : 0, ok: cell?.outcome === "reached" };
  });
  const deciding = rows.filter((r) => r.ok), choices = new Set(deciding.map((r) => r.leader));
  const same = new Set(rows.map((r) => r.leader)).size === 1 && rows[0].leader;
  const crossed = chosen === d.terms.strategy && crossing(play, view.seq.value, threshold);
  return (
    <section>
      <h2>What if <span>same votes, counted otherwise</span></h2>
      {rows.map((r) => (
        <button key={r.strategy} class="wi" aria-pressed={r.strategy === chosen} onClick={() => (view.strategy.value = r.strategy === d.terms.strategy ? "" : r.strategy)}>
          <span>{r.strategy}</span>
          <Bar share={r.support} mark={threshold} tone={r.ok ? "w" : ""} label={`support ${two(r.support)}`} />
          <span class="v">{two(r.support)}</span>
          <Glyph name={r.ok ? "check" : "minus"} tone={r.ok ? "ac" : "mut"} label={r.ok ? `decides ${play.letter(r.leader)}` : "does not decide"} />
        </button>
      ))}
      <div class="slide">
        <label for="threshold" class="ink2">threshold</label>
        <input id="threshold" type="range" min="0.5" max="0.95" step="0.01" value={threshold} onInput={(e) => {
          const t = Number(e.currentTarget.value);
          view.threshold.value = Math.abs(t - d.threshold) < 0.005 ? 0 : t;
        }} />
        <b>{needed(threshold)}</b>
      </div>
      <p class="say">
        {deciding.length ? `${deciding.length} of ${rows.length} ${deciding.length === 1 ? "decides" : "decide"} ${[...choices].map((c) => play.letter(c)).join(" or ")}${deciding.length < rows.length ? "; the others stay open" : ""}.` : "No strategy decides."}
        {same && ` All rank ${play.letter(rows[0].leader)} first.`}
        {crossed && <> With {chosen} the line is crossed at <Ref seq={crossed.seq} view={view} />.</>}
      </p>
    </section>
  );
}

// crossing is the step since which the leader is over the line; undefined: it is not, at the position.
function crossing(play: Play, seq: number, threshold: number): Step | undefined {
  const steps = play.detail.steps.filter((s) => s.seq <= seq);
  const last = steps[steps.length - 1], over = (s: Step) => s.leader === last.leader && s.voters >= play.detail.quorum && (s.support[s.leader!] ?? 0) >= threshold;
  if (!last?.leader || !over(last)) return undefined;
  let i = steps.length - 1;
  while (i > 0 && over(steps[i - 1])) i--;
  return steps[i];
}

function Rests({ view }: { view: View }) {
  const { play } = view, d = play.detail, seq = view.seq.value, s = situation(view);
  const choice = play.proposal(s.leader);
  if (!choice) return null;
  const rests = view.end.value && !s.whatIf ? d.rests : [], falls = rests.filter((r) => r.falls);
  const voters = play.voters(seq).filter((v) => play.vote(v, choice.id, seq)?.stance === "agree");
  return (
    <section>
      <h2>What {choice.letter} rests on {!view.end.value && <span>at #{seq}</span>}</h2>
      <ul class="tree"><li><Letter of={choice.letter} win /> {brief(choice.content)} <Ref seq={choice.seq} view={view} /><ul>
        <Grounds view={view} of={choice.seq} depth={0} />
        {d.escalations.map((e) => e.answer?.seq && e.answer.seq <= seq && <li key={e.seq}><span class="hu">{clean(name(e.answer.by))}</span>{e.answer.vote ? <> {words[e.answer.stance ?? "agree"]} {play.letter(e.answer.vote)}</> : ""}{e.answer.text && <>: {brief(e.answer.text)}</>} <Ref seq={e.answer.seq} view={view} /></li>)}
        {voters.length > 0 && <li class="ink2">the votes of {voters.map((v) => clean(name(v))).join(", ")}</li>}
      </ul></li></ul>
      {rests.length > 0 && <p class="say">{falls.length ? falls.map((r) => <span key={r.voter}>Without <b class="b ink">{clean(name(r.voter))}</b> {without(r, play.letter(r.choice), d.threshold)}. </span>) : "It stands without any one of its voters."}</p>}
    </section>
  );
}

const words: Record<string, string> = { agree: "for", disagree: "against", abstain: "abstains on" };

// without says what would be decided if a voter had not voted.
function without(r: Rest, letter: string, threshold: number): string {
  if (letter) return letter + " would be chosen";
  if (r.outcome === "rejected") return "every proposal would be turned down";
  if (r.support >= threshold) return "nothing would be decided: too few would have voted, or what leads would be tied";
  return `nothing would be decided: the most support would be ${two(r.support)}, and ${needed(threshold)} is needed`;
}

// Grounds are what a signal replies to, and what others found about it, as far as that goes.
function Grounds({ view, of, depth }: { view: View; of: number; depth: number }) {
  const { play } = view, said = play.at(of);
  if (depth > 3 || !said) return null;
  const stands = (s: Said) => s.seq <= view.seq.value && !(play.back(s.seq) && play.back(s.seq)!.seq <= view.seq.value);
  const up = said.target ? play.at(said.target) : undefined;
  const near = up && stands(up) && !["task", "round"].includes(up.form) ? [up] : [];
  const more = depth === 0 ? play.said.filter((s) => s.target === of && stands(s) && ["tool", "finding"].includes(s.form)).slice(0, 4) : [];
  return (
    <>
      {near.map((s) => <Ground key={s.seq} s={s} view={view}><ul><Grounds view={view} of={s.seq} depth={depth + 1} /></ul></Ground>)}
      {more.map((s) => <Ground key={s.seq} s={s} view={view} />)}
    </>
  );
}

function Ground({ s, view, children }: { s: Said; view: View; children?: ComponentChildren }) {
  return <li><Ref seq={s.seq} view={view} /> {clean(name(s.by))}: {brief(s.text)}{children}</li>;
}

function Costs({ view }: { view: View }) {
  const d = view.play.detail, all = [...d.costs].sort((a, b) => (b.dollars ?? 0) - (a.dollars ?? 0) || tokens(b) - tokens(a));
  if (!all.some((c) => c.calls || c.dollars)) return null;
  const dollars = all.some((c) => c.dollars), most = Math.max(...all.map((c) => (dollars ? c.dollars ?? 0 : tokens(c))), 1e-9);
  return (
    <section>
      <h2>Cost <span>{d.cost.dollars ? money(d.cost.dollars) : short(tokens(d.cost)) + " tokens"}{d.budget && ` of ${limit(d.budget.limit)}`}{!view.end.value && ", of all of it"}</span></h2>
      <div class="cost">
        {all.map((c) => (
          <>
            <span title={clean(c.agent)}>{clean(name(c.agent))}</span>
            <Bar share={(dollars ? c.dollars ?? 0 : tokens(c)) / most} height={6} label={count(c.calls, "call")} />
            <span class="num">{dollars ? money(c.dollars ?? 0) : count(c.calls, "call")}</span>
            <span class="num mut">{short(tokens(c))} tk</span>
          </>
        ))}
      </div>
    </section>
  );
}

const tokens = (c: { inputTokens: number; outputTokens: number }) => c.inputTokens + c.outputTokens;

function Run({ view }: { view: View }) {
  const d = view.play.detail;
  const jaeger = d.trace?.url;
  return (
    <section>
      <h2>Run</h2>
      <dl class="kv">
        <dt>stopped</dt><dd>{d.stop ? stopped(d.stop) : d.state}{d.detail && <span class="ink2">: {clean(d.detail)}</span>}</dd>
        <dt>{d.terms.reason ? "mode" : "strategy"}</dt><dd>{d.terms.strategy}{d.terms.reason && <span class="ink2">: {clean(d.terms.reason)}</span>}, quorum {d.quorum}{d.terms.electorate ? ` of ${d.terms.electorate.length}` : ""}{d.terms.learns && ", with what was learned"}</dd>
        <dt>journal</dt><dd><a class="ac" href={"/runs/" + encodeURIComponent(d.run)}>{d.run}</a></dd>
        <dt>thread</dt><dd class="mono">{d.thread}</dd>
        <dt>signals</dt><dd>{group(d.signals)}, to <span class="mono">#{group(d.seq)}</span></dd>
        {d.obstacles.length > 0 && <><dt>withheld by</dt><dd class="hu">{d.obstacles.map(clean).join("; ")}</dd></>}
        {d.trace && <><dt>trace</dt><dd>{jaeger ? <a class="ac" href={jaeger} target="_blank" rel="noopener noreferrer">open in Jaeger</a> : <span class="mono">{d.trace.id}</span>}</dd></>}
        <dt>verified</dt><dd><Verify run={d.run} /></dd>
      </dl>
      {session.value?.demo && <p class="say">The demo plays recorded models; its log is as real as any other.</p>}
    </section>
  );
}

// Verify checks the chain of a journal and derives its decisions anew.
export function Verify({ run }: { run: string }) {
  const [state, set] = useState<{ busy?: boolean; chain?: Verification; replay?: ReplayCheck; problem?: string }>({});
  const check = async () => {
    set({ busy: true });
    try {
      const [chain, replay] = await Promise.all([get<Verification>(`runs/${at(run)}/verify`), get<ReplayCheck>(`runs/${at(run)}/replay`)]);
      set({ chain, replay });
    } catch (e) {
      set({ problem: (e as Problem).message });
    }
  };
  const { chain, replay } = state;
  if (state.busy) return <span class="mut"><i class="spin" /> checking</span>;
  if (state.problem) return <span class="no">{state.problem} <button class="fold" onClick={check}>again</button></span>;
  if (!chain || !replay) return <button class="fold" onClick={check}>Check the chain and replay</button>;
  return (
    <span>
      <span class={chain.whole ? "ye" : "no"}><Glyph name={chain.whole ? "check" : "disagree"} /> {chain.whole ? `chain intact, #${chain.first} to #${chain.last}` : clean(chain.problem || "the chain is broken")}</span><br />
      <span class={replay.identical ? "ye" : "no"}><Glyph name={replay.identical ? "check" : "disagree"} /> {replay.identical ? `replay identical, ${count(replay.decisions, "decision")}` : clean(replay.problem || replay.difference?.what || "replay differs")}</span>
      <span class="mut"> · {lasting(chain.millis + replay.millis)}</span>
    </span>
  );
}
