import { describe, expect, it } from "vitest";
import type { RoomEvent } from "../src/lib/types";
import { earlier, empty, page, take } from "../src/screens/rooms/talk";

const event = (seq: number, more: Partial<RoomEvent>): RoomEvent => ({ id: "e" + seq, type: "user", room: "ops", from: "user", priority: "normal", ts: "2026-01-01T00:00:00Z", turn: 0, seq, ...more });

const chunk = (part: number, text: string): RoomEvent => ({ ...event(0, { type: "dialogue", from: "Reed", stream: "s", part, chunk: text }), seq: undefined, id: "c" + part });

describe("a talk", () => {
  it("joins the fragments of an answer and replaces them by the whole text", () => {
    let t = [chunk(1, "Backup "), chunk(2, "sync"), chunk(2, "sync")].reduce((t, e) => take(t, e, 0), empty);
    expect(t.writing.get("s")?.content).toBe("Backup sync");
    t = take(t, event(5, { type: "dialogue", from: "Reed", stream: "s", done: true, content: "Backup sync is running." }), 0);
    expect(t.writing.size).toBe(0);
    expect(t.events.map((e) => e.content)).toEqual(["Backup sync is running."]);
  });
  it("shows a tool call at one place, in its newest form", () => {
    const t = [event(1, { type: "tool", ix: 3, status: "pending" }), event(2, {}), event(3, { type: "tool", ix: 3, status: "done", stub: "ok" })].reduce((t, e) => take(t, e, 0), empty);
    expect(t.events.map((e) => [e.type, e.status])).toEqual([["tool", "done"], ["user", undefined]]);
  });
  it("has no event twice, whatever is sent again", () => {
    const t = [event(1, {}), event(2, {}), event(1, {}), event(2, {})].reduce((t, e) => take(t, e, 0), empty);
    expect(t.events.map((e) => e.seq)).toEqual([1, 2]);
  });
  it("keeps a pass out of the transcript", () => {
    const t = take(empty, event(0, { type: "pass", from: "Veda" }), 7);
    expect(t.events).toEqual([]);
    expect(t.passed.get("Veda")).toBe(7);
  });
  it("puts earlier pages in front", () => {
    const t = earlier(page([event(3, {}), event(4, {})], true, 4, 0), [event(1, {}), event(2, {}), event(3, {})], false);
    expect(t.events.map((e) => e.seq)).toEqual([1, 2, 3, 4]);
    expect(t.more).toBe(false);
  });
});
