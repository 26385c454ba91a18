import type { Debate, Decision, Detail, Escalation, Proposal, Said, Step, Vote } from "../lib/types";

// A Play is a solve as it is read: what was said in order, with an index from 0, and what can be
// asked about any position of it. Positions ("seq") are those of the log. A Play is made anew
// when the detail of its solve changes; it is never modified.
export class Play {
  readonly detail: Detail;
  readonly said: Said[];
  readonly rounds: Span[];
  readonly holds: Hold[];
  readonly people: Set<string>;
  readonly agents: string[];
  private readonly seqs: number[];
  private readonly stepSeqs: number[];
  private readonly byProposal = new Map<string, Proposal>();
  private readonly bySeq = new Map<number, Said>();
  private readonly cast = new Map<number, Vote>();
  private readonly backs = new Map<number, Said>();
  private readonly boxes = new Map<string, Vote[]>(); // votes of a voter on a proposal, in order
  private readonly debateOf = new Map<number, Debate>();

  constructor(d: Detail) {
    this.detail = d;
    const all = d.said.filter((s) => !hidden.has(s.form));
    this.said = all;
    this.seqs = all.map((s) => s.seq);
    this.stepSeqs = d.steps.map((s) => s.seq);
    for (const p of d.proposals) for (const id of [p.id, ...(p.aliases ?? [])]) this.byProposal.set(id, p);
    for (const s of d.said) {
      this.bySeq.set(s.seq, s);
      if (s.severity === "retraction" && s.target && !this.backs.has(s.target)) this.backs.set(s.target, s);
    }
    for (const v of d.votes) this.cast.set(v.seq, v);
    for (const v of d.votes) push(this.boxes, v.voter + "\n" + v.proposal, v);
    for (const b of d.debates) for (const a of b.arguments) this.debateOf.set(a.seq, b);
    this.people = new Set(d.people ?? [...d.escalations.flatMap((e) => e.answer?.by ?? []), ...all.filter((s) => s.about === "person" && s.form !== "escalation").map((s) => s.by)]);
    this.agents = d.lanes.filter((l) => !this.people.has(l) && l !== "system");
    this.rounds = d.roundList.map((r, i) => ({
      round: r, from: this.after(r.seq), to: (d.roundList[i + 1] ? this.after(d.roundList[i + 1].seq) : all.length) - 1,
    }));
    this.holds = d.escalations.map((e) => ({ key: e.seq, from: this.index(e.seq), to: e.answer?.seq ? this.index(e.answer.seq) : all.length - 1, open: !e.answer }));
    const round = this.rounds[this.rounds.length - 1];
    if (d.calls.length && round) this.holds.push({ key: -1, from: Math.min(round.from, all.length - 1), to: all.length - 1, open: true });
  }

  get length() {
    return this.said.length;
  }

  get last() {
    return this.seqs[this.seqs.length - 1] ?? 0;
  }

  // index returns the index of the newest entry up to a position; 0 if there is none.
  index(seq: number): number {
    return Math.max(0, upTo(this.seqs, seq) - 1);
  }

  private after = (seq: number) => upTo(this.seqs, seq);

  seqAt(index: number): number {
    return this.seqs[Math.min(Math.max(index, 0), this.seqs.length - 1)] ?? 0;
  }

  // now is the decision by the votes that still count: the one on record, unless something was
  // taken back after it.
  get now(): Decision | undefined {
    return this.detail.revision ?? this.detail.decision;
  }

  // leader is the proposal that is chosen, or that leads at the end; undefined: none does.
  get leader(): Proposal | undefined {
    const { leader, steps } = this.detail;
    return this.proposal(this.now?.choice ?? leader?.proposal ?? steps[steps.length - 1]?.leader);
  }

  // votes reports whether a signal is a vote; in a mode an answer is one.
  votes = (seq: number): boolean => this.cast.has(seq);

  // ballot is the vote of a signal; undefined: it is none.
  ballot = (seq: number): Vote | undefined => this.cast.get(seq);

  // back is the signal that took another one back.
  back = (seq: number): Said | undefined => this.backs.get(seq);

  at = (seq: number): Said | undefined => this.bySeq.get(seq);

  proposal = (id: string | undefined): Proposal | undefined => (id === undefined ? undefined : this.byProposal.get(id));

  letter = (id: string | undefined): string => this.proposal(id)?.letter ?? "";

  debate = (seq: number): Debate | undefined => this.debateOf.get(seq);

  // step is the state of the votes at a position.
  step(seq: number): Step | undefined {
    return this.detail.steps[upTo(this.stepSeqs, seq) - 1];
  }

  // vote is the newest vote of a voter on a proposal up to a position that counts there: neither it
  // nor all that it rests on was taken back by then.
  vote(voter: string, proposal: string, seq: number): Vote | undefined {
    const all = this.boxes.get(voter + "\n" + proposal) ?? [];
    let i = find(all.length, (i) => all[i].seq <= seq) - 1;
    while (i >= 0 && !counts(all[i], seq)) i--;
    return all[i];
  }

  // proposals are those made up to a position.
  proposals = (seq: number): Proposal[] => this.detail.proposals.filter((p) => p.seq <= seq);

  // voters are those who had voted by then.
  voters(seq: number): string[] {
    const ps = this.proposals(seq);
    return this.everyone.filter((v) => ps.some((p) => this.vote(v, p.id, seq)));
  }

  private get everyone() {
    return [...this.agents, ...this.people];
  }

  // dissent is the vote that best says why a voter is not for a proposal: one against it, or its
  // newest one for another.
  dissent(voter: string, proposal: string, seq: number): Vote | undefined {
    const own = this.vote(voter, proposal, seq);
    if (own?.stance === "disagree") return own;
    if (own?.stance === "agree") return undefined;
    return this.proposals(seq)
      .map((p) => this.vote(voter, p.id, seq))
      .filter((v): v is Vote => v?.stance === "agree")
      .sort((a, b) => b.seq - a.seq)[0];
  }

  // out is where a proposal lost a conflict for good, so that it cannot be chosen; 0: it can.
  out(p: Proposal): number {
    if (!p.lost) return 0;
    const ids = [p.id, ...(p.aliases ?? [])];
    return this.detail.conflicts.find((c) => c.settled && c.winner && (ids.includes(c.a) || ids.includes(c.b)) && !ids.includes(c.winner))?.settled ?? 0;
  }

  // asks are the questions that wait for an answer, and the calls of tools that wait for a permission.
  asks(): { item: string; by: string; text: string }[] {
    const { escalations, calls } = this.detail;
    return [
      ...escalations.flatMap((e) => (e.item ? [{ item: e.item, by: e.by, text: e.reason }] : [])),
      ...calls.map((c) => ({ item: c.id, by: c.asks, text: `May I call ${c.tool!.tool}? (${c.tool!.why})` })),
    ];
  }

  // hold is the question that waited for an answer at a position.
  hold(seq: number): Escalation | undefined {
    return this.detail.escalations.find((e) => e.seq <= seq && (!e.answer || (e.answer.seq ?? 0) > seq));
  }
}

export interface Span { round: Detail["roundList"][number]; from: number; to: number }
export interface Hold { key: number; from: number; to: number; open: boolean }

// counts reports whether a vote counts at a position.
export const counts = (v: Vote, seq: number) => v.seq <= seq && !(v.out && v.out <= seq);

// Records that people need not read: what they say is shown elsewhere.
const hidden = new Set(["round", "terms", "decided", "outcome", "passed", "answer"]);

const push = <K, V>(m: Map<K, V[]>, k: K, v: V) => void (m.get(k)?.push(v) ?? m.set(k, [v]));

// upTo is how many of the ascending numbers are at most x.
export const upTo = (sorted: number[], x: number) => find(sorted.length, (i) => sorted[i] <= x);

// find is the first index from 0 to n at which a predicate that holds for a prefix is false.
export function find(n: number, holds: (i: number) => boolean): number {
  let low = 0, high = n;
  while (low < high) {
    const mid = (low + high) >> 1;
    if (holds(mid)) low = mid + 1;
    else high = mid;
  }
  return low;
}

// merge adds what came later to a detail: rows by position, the rest replaced.
export function merge(old: Detail | undefined, d: Detail): Detail {
  if (!old || old.id !== d.id) return d;
  return { ...d, said: join(old.said, d.said), votes: recount(join(old.votes, d.votes)), steps: join(old.steps, d.steps) };
}

export function join<T extends { seq: number }>(old: T[], more: T[]): T[] {
  if (!more.length) return old;
  const last = old.length ? old[old.length - 1].seq : -1;
  const fresh = more.filter((m) => m.seq > last);
  return fresh.length === more.length ? [...old, ...fresh] : union(old, more);
}

function union<T extends { seq: number }>(old: T[], more: T[]): T[] {
  const all = new Map<number, T>();
  for (const x of [...old, ...more]) all.set(x.seq, x);
  return [...all.values()].sort((a, b) => a.seq - b.seq);
}

// recount says again which votes count: a voter's newest on each proposal.
function recount(votes: Vote[]): Vote[] {
  const newest = new Map<string, number>();
  for (const v of votes) newest.set(v.voter + "\n" + v.proposal, v.seq);
  return votes.map((v) => {
    const last = newest.get(v.voter + "\n" + v.proposal) === v.seq && v.counts !== false;
    return last === v.counts ? v : { ...v, counts: last };
  });
}
