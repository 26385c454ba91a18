import type { RoomEvent } from "../../lib/types";

// A Talk is what a room shows: its events in order, with tool calls in their newest form, and
// answers that are being written.
export interface Talk {
  events: RoomEvent[]; // by seq
  writing: Map<string, RoomEvent>; // by stream: the fragments so far, as content
  passed: Map<string, number>; // when an agent passed, by name
  more: boolean; // there are earlier ones
  after: number; // position of the newest event
}

export const empty: Talk = { events: [], writing: new Map(), passed: new Map(), more: false, after: 0 };

// take adds an event to a talk. Updates of a tool call replace its earlier form by ix; fragments
// are joined by stream until the whole text replaces them.
export function take(t: Talk, e: RoomEvent, now: number): Talk {
  if (e.type === "pass") return { ...t, passed: new Map(t.passed).set(e.from, now) };
  if (e.type === "dialogue" && !e.done && e.chunk !== undefined) return { ...t, writing: fragment(t.writing, e) };
  if (e.seq && e.seq <= t.after && t.events.some((x) => x.id === e.id)) return t;
  const writing = e.stream && t.writing.has(e.stream) ? new Map([...t.writing].filter(([s]) => s !== e.stream)) : t.writing;
  const at = e.type === "tool" ? t.events.findIndex((x) => x.type === "tool" && x.ix === e.ix) : -1;
  const events = at >= 0 ? t.events.map((x, i) => (i === at ? { ...e, ts: x.ts } : x)) : [...t.events, e];
  return { ...t, events, writing, after: Math.max(t.after, e.seq ?? 0) };
}

function fragment(writing: Talk["writing"], e: RoomEvent): Talk["writing"] {
  const old = writing.get(e.stream!);
  if (old && (e.part ?? 0) <= (old.part ?? 0) && e.part) return writing;
  return new Map(writing).set(e.stream!, { ...e, content: (old?.content ?? "") + e.chunk });
}

// page makes a talk of a page of events, in front of or instead of what there was.
export function page(events: RoomEvent[], more: boolean, after: number, now: number): Talk {
  const t = events.reduce((t, e) => take(t, e, now), { ...empty, after: 0 });
  return { ...t, more, after: Math.max(after, t.after), passed: new Map() };
}

// earlier puts an older page in front.
export function earlier(t: Talk, events: RoomEvent[], more: boolean): Talk {
  const known = new Set(t.events.map((e) => (e.type === "tool" ? "§" + e.ix : e.id)));
  const old = page(events, more, 0, 0).events.filter((e) => !known.has(e.type === "tool" ? "§" + e.ix : e.id));
  return { ...t, events: [...old, ...t.events], more };
}
