import type { Debate, Said } from "../lib/types";
import type { Play, Span } from "./play";

export type Filter = "all" | "argument" | "vote" | "person";

// An Item is what the text of a solve shows at one place: the head of a round, a debate with its
// arguments, or a signal.
export type Item =
  | { type: "round"; key: string; i: number; span: Span }
  | { type: "debate"; key: string; i: number; debate: Debate }
  | { type: "said"; key: string; i: number; said: Said };

// items returns the text of a play, filtered. Rounds of which nothing is left are left out.
export function items(play: Play, filter: Filter): Item[] {
  const all: Item[] = [];
  const shown = new Set<Debate>();
  let round = 0, head: Item | undefined, conflicts = false;
  play.said.forEach((said, i) => {
    while (play.rounds[round] && play.rounds[round].from <= i) {
      head = { type: "round", key: "r" + play.rounds[round].round.seq, i, span: play.rounds[round] };
      round++;
    }
    if (said.form === "task" || !passes(play, said, filter)) return;
    if (said.form === "conflict" && play.detail.terms.reason) { // in a mode every other answer is one: a line for all
      if (conflicts) return;
      conflicts = true;
    }
    if (head) all.push(head);
    head = undefined;
    const debate = play.debate(said.seq);
    if (!debate) all.push({ type: "said", key: "s" + said.seq, i, said });
    else if (!shown.has(debate)) {
      shown.add(debate);
      all.push({ type: "debate", key: "d" + debate.seq, i, debate });
    }
  });
  return all;
}

const passes = (play: Play, s: Said, f: Filter) => f === "all" || s.about === f || (f === "vote" && play.votes(s.seq)) || (f === "argument" && s.form === "escalation");

export function counts(play: Play): Record<Filter, number> {
  const n = { all: 0, argument: 0, vote: 0, person: 0 };
  for (const s of play.said) {
    if (s.form === "task") continue;
    for (const f of Object.keys(n) as Filter[]) if (passes(play, s, f)) n[f]++;
  }
  return n;
}
