import type { Play } from "./play";

// A Moment is a signal that a reader would like to jump to, with a label for the figure.
export interface Moment {
  seq: number;
  text: string;
  weight: number;
}

const known = new WeakMap<Play, Moment[]>();

// moments returns the turning points of a play in order: conflicts, debates, changes of mind,
// questions to people and their answers.
export function moments(play: Play, user: string): Moment[] {
  if (!known.has(play)) known.set(play, collect(play, user));
  return known.get(play)!;
}

function collect(play: Play, user: string): Moment[] {
  const { detail } = play;
  const who = (name: string) => (name === user ? "you" : name);
  const choice = play.leader?.id;
  const all: Moment[] = [];
  const add = (seq: number | undefined, text: string, weight: number) => seq && all.push({ seq, text, weight });
  for (const [i, c] of detail.conflicts.entries()) add(c.seq, `${play.letter(c.a)} against ${play.letter(c.b)}`, i ? 1 : 5);
  for (const d of detail.debates) add(d.seq, `${play.letter(d.a)}–${play.letter(d.b)} debate`, 6);
  for (const c of detail.conflicts) {
    const out = c.winner && play.proposal(c.winner === c.a ? c.b : c.a);
    if (out && out.lost) add(c.settled, `${out.letter} is out`, 8);
  }
  for (const e of detail.escalations) {
    add(e.seq, "asks you", 9);
    if (e.answer) add(e.answer.seq, who(e.answer.by) === "you" ? "you answer" : `${e.answer.by} answers`, 9);
  }
  for (const s of play.said) {
    if (s.form === "vote" && s.stance === "agree" && s.was && s.was.proposal !== s.proposal) {
      add(s.seq, `${who(s.by)} turns to ${play.letter(s.proposal)}`, s.proposal === choice ? 7 : 4);
    } else if (s.form === "challenge" && !play.debate(s.seq)) add(s.seq, `${who(s.by)} objects`, 3);
    else if (s.severity === "retraction") add(s.seq, `#${s.target} taken back`, 8);
    else if (s.form === "tool") add(s.seq, s.error ? "a tool fails" : `${who(s.by)} has a result`, s.error ? 4 : 3);
  }
  const reached = detail.steps.find((s) => s.outcome === "reached");
  if (reached?.leader) add(reached.seq, `${play.letter(reached.leader)} passes`, 5);
  const seen = new Map<number, Moment>();
  for (const m of all) if ((seen.get(m.seq)?.weight ?? 0) < m.weight) seen.set(m.seq, m);
  return [...seen.values()].sort((a, b) => a.seq - b.seq);
}

export interface Placed extends Moment {
  x: number;
  row: number;
}

// place puts the labels that fit into two rows, the weightier ones first.
export function place(all: Moment[], x: (m: Moment) => number, width: (m: Moment) => number, right: number, most = 9): Placed[] {
  const rows: Placed[][] = [[], []];
  const clash = (row: Placed[], m: Moment, at: number) => row.some((o) => Math.abs(at - o.x) < (width(m) + width(o)) / 2 + 10);
  const placed: Placed[] = [];
  for (const m of [...all].sort((a, b) => b.weight - a.weight || a.seq - b.seq)) {
    if (placed.length === most) break;
    const at = Math.min(x(m), right - width(m) / 2);
    const row = clash(rows[0], m, at) ? (clash(rows[1], m, at) ? -1 : 1) : 0;
    if (row < 0) continue;
    const p = { ...m, x: at, row };
    rows[row].push(p);
    placed.push(p);
  }
  return placed.sort((a, b) => a.seq - b.seq);
}
