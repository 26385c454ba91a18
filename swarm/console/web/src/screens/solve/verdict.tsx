import { useMemo, useState } from "preact/hooks";
import { name } from "../../lib/store";
import { clean, needed, two } from "../../lib/text";
import type { Said as Signal, Vote } from "../../lib/types";
import { stopped } from "../../lib/words";
import { moments } from "../../play/moments";
import { Glyph } from "../../parts/glyph";
import { Gauge, Key, Letter } from "../../parts/small";
import type { Play } from "../../play/play";
import { Revised } from "./answer";
import { brief } from "./brief";
import { Ref } from "./ref";
import { sentence } from "./sentence";
import type { View } from "./state";
import { user } from "../../lib/store";

// Verdict is the answer, with what to think of it: how sure, who disagrees, what turned it.
export function Verdict({ view }: { view: View }) {
  const { play } = view, d = play.detail, end = view.end.value, seq = view.seq.value;
  const s = situation(view), fell = end && !s.whatIf && !!d.revised && !!d.revision;
  const letter = fell && d.revision!.outcome !== "reached" && d.decision?.choice ? play.letter(d.decision.choice) : s.letter;
  return (
    <>
      <Banners view={view} />
      <Revised view={view} />
      <div class="q">{clean(d.task)}</div>
      <h2 class="ans">{letter && <Letter of={letter} win={!fell || d.revision!.outcome === "reached"} />}<Headline view={view} s={s} /></h2>
      <div class="facts">
        <section class="fact"><h2>How sure</h2>
          <div class="big"><span class={"st " + s.tone}><Glyph name={s.glyph} /> {s.word}</span></div>
          <Gauge support={s.support} threshold={s.threshold} />
          {end && !s.whatIf && play.now ? <p>{clean(play.now.reason)}</p> : <p><b class="b">{two(s.support)}</b> support{s.leader && `, ${s.agree} of ${s.voters} agree`}</p>}
          {end && !s.whatIf && play.now?.firmness && <p class="mut">{clean(play.now.firmness)}</p>}
          {end && play.now?.withheld && <p class="hu">{clean(play.now.withheld)}</p>}
        </section>
        <section class="fact"><h2>Who disagrees</h2><Dissent view={view} leader={s.leader} voters={play.voters(seq)} /></section>
        <section class="fact"><h2>{fell ? "What undid it" : end ? "What turned it" : "Just before"}</h2>{fell ? <Undone view={view} /> : end ? <Turned view={view} /> : <Before view={view} />}</section>
      </div>
    </>
  );
}

export interface Situation {
  leader: string; letter: string; support: number; threshold: number; agree: number; voters: number;
  glyph: string; tone: string; word: string; whatIf: boolean;
}

// situation is the state of the votes at the position, counted as chosen.
export function situation(view: View): Situation {
  const { play } = view, d = play.detail, seq = view.seq.value, end = view.end.value;
  const threshold = view.threshold.value || d.threshold;
  const whatIf = (!!view.strategy.value && view.strategy.value !== d.terms.strategy) || threshold !== d.threshold;
  const row = whatIf ? view.what.value?.strategies.find((r) => r.strategy === (view.strategy.value || d.terms.strategy)) : undefined;
  const cell = row?.cells.find((c) => Math.abs(c.threshold - threshold) < 1e-9) ?? row?.cells[0];
  const step = play.step(seq);
  const outcome = cell?.outcome ?? (end ? play.now?.outcome : undefined) ?? step?.outcome ?? "pending";
  const leader = outcome === "rejected" ? "" : (end && !cell && play.now?.choice) || (cell ? cell.choice ?? cell.leader : step?.leader) || "";
  const voters = play.voters(seq), ps = play.proposals(seq).filter((p) => !play.out(p) || play.out(p) > seq); // votes on others do not count
  const base = {
    leader, letter: play.letter(leader), threshold, whatIf,
    support: cell ? (row!.support[leader] ?? cell.support) : step?.support[leader] ?? (outcome === "rejected" ? step?.none : 0) ?? 0,
    agree: voters.filter((v) => play.vote(v, leader, seq)?.stance === "agree").length, voters: voters.filter((v) => ps.some((p) => play.vote(v, p.id, seq))).length,
  };
  return { ...base, ...status(view, cell?.outcome ?? step?.outcome ?? "pending", step?.voters ?? voters.length, whatIf) };
}

function status({ play, end, seq }: View, outcome: string, voters: number, whatIf: boolean) {
  const d = play.detail;
  if (whatIf) return outcome === "reached" ? { glyph: "consensus", tone: "ac", word: "Would decide" } : { glyph: "live", tone: "", word: outcome === "rejected" ? "Would reject all" : "Would stay open" };
  if (play.hold(seq.value) && (!end.value || d.state === "waiting")) return { glyph: "escalation", tone: "hu", word: "Held for your answer" };
  if (!end.value || d.state === "running") return outcome === "reached" ? { glyph: "consensus", tone: "ac", word: "Over the line" } : { glyph: "live", tone: "", word: voters < d.quorum ? "No quorum yet" : "Undecided" };
  if (d.state === "waiting") return { glyph: "escalation", tone: "hu", word: "Held for your answer" };
  if (d.revised) return { glyph: "back", tone: "hu", word: d.revision?.outcome === "reached" ? "Decided otherwise now" : "Stands no more" };
  if (d.state === "decided" && (!d.stop || d.stop === "consensus")) return { glyph: "consensus", tone: "ye", word: "Reached" };
  if (d.state === "failed") return { glyph: "challenge", tone: "no", word: "Ended with an error" };
  const word = stopped(d.stop) || (d.state === "interrupted" ? "interrupted" : "undecided");
  return { glyph: d.stop === "uncertified" ? "doubt" : "disagree", tone: "", word: word[0].toUpperCase() + word.slice(1) };
}

function Headline({ view, s }: { view: View; s: Situation }) {
  const { play } = view, d = play.detail, end = view.end.value;
  const content = clean(play.proposal(s.leader)?.content ?? "");
  if (end && d.revised && d.revision && !s.whatIf) {
    const was = clean(play.proposal(d.decision?.choice)?.content ?? "");
    if (d.revision!.outcome !== "reached" && was) return <Said text={was} lead="Was decided, and stands no more: " />;
    if (d.revision!.outcome === "reached") return <Said text={content} lead="Without what was taken back: " />;
  }
  if (!s.leader) {
    if (end && d.stop === "rejected") return <span>None: every proposal was turned down</span>;
    if (end && d.state === "failed") return <span>{clean(d.detail ?? "It ended with an error")}</span>;
    return <span class="mut">{!play.proposals(view.seq.value).length ? "No proposal yet" : s.voters ? tied(view) : "No votes yet"}</span>;
  }
  const decided = (end && d.state === "decided" && !s.whatIf) || s.word === "Would decide";
  const lead = decided ? "" : s.whatIf ? `Still open. ${s.letter} leads: ` : s.tone === "hu" ? `Held at ${s.letter}: ` : `Undecided. ${s.letter} leads: `;
  return <Said text={content} lead={lead} />;
}

function Said({ text, lead }: { text: string; lead: string }) {
  const [first, rest] = head(text);
  return <span>{lead}{first}{rest && <div class="long">{rest}</div>}</span>;
}

// tied says what leads together, where nothing leads alone.
function tied({ play, seq }: View): string {
  const support = play.step(seq.value)?.support ?? {}, most = Math.max(...Object.values(support), 0);
  const even = play.proposals(seq.value).filter((p) => most > 0 && support[p.id] > most - 1e-9).map((p) => p.letter);
  return even.length > 1 ? `Nothing leads: ${even.slice(0, -1).join(", ")} and ${even[even.length - 1]} are tied` : "Nothing leads";
}

// head splits a long text after its first line or sentence, so that the headline stays one.
function head(text: string): [string, string] {
  if (text.length <= 200 && !text.includes("\n")) return [text, ""];
  const cut = text.match(/^[^\n]{1,200}?(?:[.!?:](?=\s)|(?=\n))/)?.[0] ?? text.slice(0, text.lastIndexOf(" ", 160) + 1 || 160);
  return [cut.trim(), text.slice(cut.length).trim()];
}

function Dissent({ view, leader, voters }: { view: View; leader: string; voters: string[] }) {
  const [all, showAll] = useState(false);
  const { play } = view, seq = view.seq.value;
  if (!voters.length) return <p class="mut">Nobody has voted</p>;
  const rejected = view.end.value && play.now?.outcome === "rejected" ? play.now.dissent : []; // who agrees with something
  const votes = leader ? voters.map((v) => play.dissent(v, leader, seq)).filter((v): v is Vote => !!v) : [...rejected];
  votes.sort((a, b) => Number(b.stance === "disagree") - Number(a.stance === "disagree") || b.weight - a.weight);
  if (!votes.length) return <p class="mut">{leader || play.now?.outcome === "rejected" ? `Nobody ${view.end.value ? "" : "so far"}` : "Nothing leads"}</p>;
  const most = all || votes.length <= 4 ? votes.length : 3;
  return (
    <>
      {votes.slice(0, most).map((v) => (
        <div class="diss" key={v.voter}>
          <span class={"st " + (v.stance === "disagree" ? "no" : "ink2")}>{v.stance === "disagree" ? <><Glyph name="disagree" label="against" /> {two(v.weight)}</> : <><Glyph name="arrow" /> for {play.letter(v.proposal)}</>}</span>
          <p><b class="b ink">{clean(name(v.voter))}</b> {clean(v.reasoning || "gave no reason")} <Ref seq={v.seq} view={view} /></p>
        </div>
      ))}
      {votes.length > most && <button class="fold" onClick={() => showAll(true)}>and {votes.length - most} more</button>}
    </>
  );
}

// Undone is what was taken back after the decision, so that it stands no more.
function Undone({ view }: { view: View }) {
  const { play } = view, all = play.detail.revision!.said.flatMap((seq) => play.at(seq) ?? []);
  return (
    <>
      {all.map((s) => {
        const target = s.target ? play.at(s.target) : undefined;
        return <p key={s.seq}><b class="b">{clean(name(s.by))}</b> took back {target && <>what <b class="b">{clean(name(target.by))}</b> said <Ref seq={target.seq} view={view} /></>}: {clean(s.reason ?? "")} <Ref seq={s.seq} view={view} /></p>;
      })}
    </>
  );
}

// Out says which proposals lost a conflict, and so cannot be chosen.
function Out({ view }: { view: View }) {
  const { play } = view;
  return (
    <>
      {play.detail.conflicts.filter((c) => c.settled && c.winner && c.settled <= view.seq.value).map((c) => {
        const p = play.proposal(c.winner === c.a ? c.b : c.a);
        if (!p || play.out(p) !== c.settled) return null;
        return <p key={c.seq}><Letter of={p.letter} /> is out: {lost[c.how ?? ""] ?? "it lost against"} {play.letter(c.winner)} <Ref seq={c.settled!} view={view} /></p>;
      })}
    </>
  );
}

const lost: Record<string, string> = { debate: "it lost the debate against", majority: "the majority was for", escalate: "a person was for" };

function Turned({ view }: { view: View }) {
  const { play } = view, d = play.detail, t = d.turn;
  const answers = d.escalations.filter((e) => e.answer);
  const changes = useMemo(() => (t ? changesTo(play, t.to) : []), [play]);
  const from = play.letter(t?.from), to = play.letter(t?.to);
  const evidence = changes.length ? ground(play, changes[0].votes[0]) : undefined;
  if (!t) return <><Out view={view} /><p class="mut">{d.steps.length ? "Nothing: no proposal led for good" : "Nothing yet"}</p></>;
  return (
    <>
      <Out view={view} />
      {changes.length > 0 ? changes.map((c) => (
        <p key={c.from}>{join(c.votes.map((v) => <b class="b" key={v.voter}>{clean(name(v.voter))}</b>))} {c.from && c.from !== to ? `left ${c.from} for ${to}` : `came over to ${to}`} <Ref seq={c.votes[0].seq} view={view} /></p>
      )) : <p>{from && from !== to ? <>{to} overtook {from}{t.by !== "system" && <> with the vote of <b class="b">{clean(name(t.by))}</b></>}</> : <>{to} led{t.by !== "system" && <> from the vote of <b class="b">{clean(name(t.by))}</b> on</>}; nobody changed sides</>} <Ref seq={t.seq} view={view} /></p>}
      {evidence ? <p class="ink2">after {evidence.form === "tool" ? "the result of " : ""}{clean(name(evidence.by))}{evidence.text && <>: {brief(evidence.text)}</>} <Ref seq={evidence.seq} view={view} /></p> : t.text && <p class="ink2">“{clean(t.text)}”</p>}
      {answers.map((e) => <p class="ink2" key={e.seq}><span class="hu"><Glyph name="person" /></span> {name(e.answer!.by) === "you" ? "You" : clean(e.answer!.by)}: {clean(e.answer!.text || `${e.answer!.stance === "disagree" ? "against" : "for"} ${play.letter(e.answer!.vote)}`)} {e.answer!.seq && <Ref seq={e.answer!.seq} view={view} />}</p>)}
    </>
  );
}

// changesTo are the votes of those who came to a proposal from another, by where they came from.
function changesTo(play: Play, to: string): { from: string; votes: Vote[] }[] {
  const changed = new Map<string, Vote>(); // by voter: the last time
  for (const v of play.detail.votes) {
    if (v.proposal !== to || v.stance !== "agree" || v.out || !v.was || play.people.has(v.voter)) continue;
    if (v.was.proposal !== to || v.was.stance !== "agree") changed.set(v.voter, v);
  }
  const groups = new Map<string, Vote[]>();
  for (const v of changed.values()) {
    const from = play.letter(v.was!.proposal);
    groups.set(from, [...(groups.get(from) ?? []), v]);
  }
  return [...groups].map(([from, votes]) => ({ from, votes }));
}

// ground is the last thing of weight that was said between a vote and the one that it changes.
function ground(play: Play, v: Vote): Signal | undefined {
  const all = play.said.slice(play.index(v.was!.seq) + 1, play.index(v.seq)).filter((s) => !play.back(s.seq));
  const last = (...forms: string[]) => all.filter((s) => forms.includes(s.form) || (forms[0] === "tool" && play.people.has(s.by))).pop();
  return last("tool") ?? last("challenge", "finding");
}

const join = (parts: preact.ComponentChild[]) => parts.flatMap((p, i) => (i === 0 ? [p] : i === parts.length - 1 ? [" and ", p] : [", ", p]));

function Before({ view }: { view: View }) {
  const { play } = view, seq = view.seq.value;
  const last = moments(play, user.value).filter((m) => m.seq <= seq).slice(-2).reverse();
  const said = play.at(seq);
  return (
    <>
      {said && <p>{sentence(play, said)} <Ref seq={seq} view={view} /></p>}
      {last.filter((m) => m.seq !== seq).map((m) => <p class="ink2" key={m.seq}><Ref seq={m.seq} view={view} /> {m.text}</p>)}
    </>
  );
}

function Banners({ view }: { view: View }) {
  const { play } = view, d = play.detail;
  const s = situation(view);
  const open = play.asks();
  const reset = () => {
    view.strategy.value = "";
    view.threshold.value = 0;
  };
  return (
    <>
      {view.end.value && open.map((q) => <div key={q.item} class="then hold" role="status"><Glyph name="escalation" /><span><b class="b">{clean(q.by)}</b> asks you: {clean(q.text)}</span><a href={"/inbox/" + encodeURIComponent(q.item)}>Answer</a></div>)}
      {!view.end.value && <div class="then" role="status"><Glyph name="back" /><span>As it stood at <b class="mono">#{view.seq.value}</b>. Later signals are dimmed.</span><button onClick={() => (view.index.value = play.length - 1)}>Back to the end <Key of="End" /></button></div>}
      {s.whatIf && <div class="then" role="status"><Glyph name="live" /><span>What if: <b class="b">{view.strategy.value || d.terms.strategy}</b> at {needed(s.threshold)}. The run itself {play.now?.choice ? `decided ${play.letter(play.now.choice)} with ${two(play.now.support)}` : "decided nothing"}.</span><button onClick={reset}>Back to the run</button></div>}
    </>
  );
}
