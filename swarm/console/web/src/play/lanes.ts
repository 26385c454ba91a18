import type { Said, Vote } from "../lib/types";
import { counts, type Play } from "./play";

// A Lane is what one agent or person did: marks at indexes, and whom it backed from where to where.
export interface Lane {
  name: string;
  person: boolean;
  folded: number; // how many agents it stands for; 1: one
  marks: { i: number; said: Said }[];
  backs: { proposal: string; from: number; to: number }[];
}

// lanes returns the lanes of a play. Of many agents those that dissented or changed their minds
// keep a lane of their own, and the others share one.
export function lanes(play: Play, most = 12): Lane[] {
  const by = new Map<string, Lane>();
  const make = (name: string, person: boolean): Lane => ({ name, person, folded: 1, marks: [], backs: [] });
  for (const a of play.agents) by.set(a, make(a, false));
  for (const p of play.people) by.set(p, make(p, true));
  play.said.forEach((said, i) => by.get(said.by)?.marks.push({ i, said }));
  for (const lane of by.values()) lane.backs = backing(play, lane);
  const all = [...by.values()];
  if (play.agents.length <= most) return all;
  const choice = play.leader?.id ?? "";
  const own = all.filter((l) => l.person || l.backs.length > 1 || play.dissent(l.name, choice, play.last)).slice(0, most - 1);
  const rest = all.filter((l) => !own.includes(l));
  return rest.length ? [...own, fold(rest)] : own;
}

function fold(rest: Lane[]): Lane {
  const marks = rest.flatMap((l) => l.marks).sort((a, b) => a.i - b.i);
  return { name: `${rest.length} others`, person: false, folded: rest.length, marks, backs: [] };
}

// backing follows the votes of a lane: a vote for a proposal, or an answer that counts as one, backs
// it until the same voter is for another or against this one, or until it is taken back.
function backing(play: Play, lane: Lane): Lane["backs"] {
  const end = play.length - 1, all: Lane["backs"] = [];
  const own = lane.marks.flatMap(({ said }) => play.ballot(said.seq) ?? []);
  const note = (seq: number, proposal: string | undefined) => {
    const open = all[all.length - 1], i = play.index(seq);
    const now = open?.to === end ? open.proposal : undefined;
    if (now === proposal) return;
    if (now) open.to = i;
    if (proposal) all.push({ proposal, from: i, to: end });
  };
  const next = (now: string | undefined, v: Vote) => (v.stance === "agree" ? v.proposal : now === v.proposal ? undefined : now);
  let now: string | undefined;
  const outs = own.flatMap((v) => v.out ?? []);
  if (!outs.length) for (const v of own) note(v.seq, (now = next(now, v)));
  for (const seq of outs.length ? [...own.map((v) => v.seq), ...outs].sort((a, b) => a - b) : []) {
    note(seq, own.filter((v) => counts(v, seq)).reduce(next, undefined as string | undefined));
  }
  return all.filter((b) => b.to > b.from || b.to === end);
}

// A Mark's rank says which one is drawn where several share a place.
export const rank = (s: Said) =>
  ({ escalation: 9, answer: 9, proposal: 8, vote: 7, tool: 6, challenge: 5, doubt: 4, finding: 3 })[s.form] ?? 1;

// coarse leaves out what a lane backed for less than the given width, so that the number of
// lines is bounded by the width of the figure.
export function coarse(backs: Lane["backs"], x: (i: number) => number, width: number): Lane["backs"] {
  const kept: Lane["backs"] = [];
  for (const b of backs) {
    const last = kept[kept.length - 1];
    if (!last || x(b.from) - x(last.from) >= width) kept.push(b);
    else if (x(b.to) - x(b.from) > width) kept[kept.length - 1] = { ...b, from: last.from };
  }
  return kept;
}

// thin keeps one mark of each place of the given width, and votes before others.
export function thin(marks: Lane["marks"], x: (i: number) => number, width: number): Lane["marks"] {
  const best = new Map<number, Lane["marks"][number]>();
  for (const m of marks) {
    const slot = Math.floor(x(m.i) / width);
    const old = best.get(slot);
    if (!old || rank(m.said) >= rank(old.said)) best.set(slot, m);
  }
  return [...best.values()];
}
