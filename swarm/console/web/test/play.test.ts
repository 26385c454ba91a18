import { describe, expect, it } from "vitest";
import { counts, items } from "../src/play/items";
import { lanes } from "../src/play/lanes";
import { place } from "../src/play/moments";
import { join, merge, Play, upTo } from "../src/play/play";
import { path } from "../src/play/series";
import type { Detail, Said, Step, Vote } from "../src/lib/types";

const said = (seq: number, form: string, by: string, more: Partial<Said> = {}): Said => ({
  seq, id: "sig_" + seq, time: new Date(seq * 1000).toISOString(), round: 1, by, kind: form, form,
  about: form === "vote" ? "vote" : form === "round" ? "system" : "argument", text: `text ${seq}`, sure: 1, ...more,
});

const vote = (seq: number, voter: string, proposal: string, stance: Vote["stance"]): Vote => ({ seq, round: 1, voter, proposal, stance, weight: 0.5, counts: true });

const proposal = (id: string, letter: string, seq: number) => ({
  id, letter, seq, round: 1, by: ["ada"], content: id, agree: 0, disagree: 0, abstain: 0, for: 0, against: 0, support: 0, probability: 0,
});

function detail(more: Partial<Detail> = {}): Detail {
  return {
    id: "r.t", run: "r", thread: "t", task: "ship?", state: "running", threshold: 0.7, spark: [], quorate: 0, voters: 0, quorum: 2, agents: 2, rounds: 1, signals: 6, waits: 0,
    began: "", updated: "", seq: 6, cost: { calls: 0, inputTokens: 0, outputTokens: 0 }, terms: { strategy: "voting", threshold: 0.7, quorum: 2, learns: false },
    lanes: ["ada", "bob"], proposals: [proposal("ship", "A", 3), { ...proposal("wait", "B", 4), aliases: ["later"] }],
    votes: [vote(5, "bob", "ship", "agree"), vote(6, "bob", "ship", "disagree")], steps: [], roundList: [{ round: 1, seq: 2, time: new Date(2000).toISOString(), turns: ["ada"] }],
    said: [said(1, "task", "system"), said(2, "round", "system"), said(3, "proposal", "ada"), said(4, "proposal", "bob"), said(5, "vote", "bob"), said(6, "vote", "bob")],
    conflicts: [], debates: [], escalations: [], calls: [], costs: [], obstacles: [], rests: [], ...more,
  };
}

describe("a play", () => {
  it("has the votes as they were at each position", () => {
    const p = new Play(detail());
    expect(p.vote("bob", "ship", 4)).toBeUndefined();
    expect(p.vote("bob", "ship", 5)?.stance).toBe("agree");
    expect(p.vote("bob", "ship", 99)?.stance).toBe("disagree");
    expect(p.dissent("bob", "ship", 5)).toBeUndefined();
    expect(p.dissent("bob", "ship", 6)?.seq).toBe(6);
  });
  it("knows a proposal by each of its ids", () => expect(new Play(detail()).letter("later")).toBe("B"));
  it("counts what people read, not the records", () => expect(new Play(detail()).said.map((s) => s.seq)).toEqual([1, 3, 4, 5, 6]));
  it("says that an open question holds the decision until it is answered", () => {
    const asked = { seq: 4, by: "ada", time: "", reason: "may we?" };
    expect(new Play(detail({ escalations: [asked] })).hold(6)?.seq).toBe(4);
    expect(new Play(detail({ escalations: [{ ...asked, answer: { by: "me", time: "", seq: 5 } }] })).hold(6)).toBeUndefined();
    expect(new Play(detail({ escalations: [asked] })).hold(3)).toBeUndefined();
  });
});

describe("a play from which something was taken back", () => {
  const votes = [vote(3, "ada", "ship", "agree"), { ...vote(5, "bob", "wait", "agree" as const) }, { ...vote(6, "bob", "ship", "agree" as const), out: 8 }];
  const back = { said: [said(2, "proposal", "ada"), said(3, "vote", "ada"), said(5, "vote", "bob"), said(6, "vote", "bob"), said(7, "finding", "ada"), said(8, "note", "you", { severity: "retraction", target: 6, about: "person" })], votes };
  const made = { strategy: "voting", outcome: "reached", choice: "ship", leaders: ["ship"], support: 1, none: 0, confidence: 1, learned: false, voters: 2, reason: "", dissent: [], uncounted: [] };
  it("counts a vote until it was taken back, and then the one before it", () => {
    const p = new Play(detail(back));
    expect(p.vote("bob", "ship", 7)?.seq).toBe(6);
    expect(p.vote("bob", "ship", 8)).toBeUndefined();
    expect(p.dissent("bob", "ship", 8)?.seq).toBe(5);
  });
  it("draws whom a voter backs as the votes count", () => {
    const p = new Play(detail(back)), bob = lanes(p).find((l) => l.name === "bob");
    expect(bob?.backs).toEqual([{ proposal: "wait", from: 2, to: 3 }, { proposal: "ship", from: 3, to: 5 }, { proposal: "wait", from: 5, to: 5 }]);
  });
  it("goes by what is left of the decision", () => {
    const left = { ...made, outcome: "pending", choice: undefined, support: 0.4, said: [8], changed: true };
    expect(new Play(detail({ ...back, decision: made })).now?.support).toBe(1);
    expect(new Play(detail({ ...back, decision: made, revision: left })).now?.support).toBe(0.4);
  });
});

describe("a play that waits for a permission", () => {
  const call = { id: "r.t.1", type: "tool" as const, solve: "r.t", run: "r", task: "", asks: "ada", seq: 6, since: "", open: true, reason: "writes", options: [], tool: { agent: "ada", tool: "rehearse", args: {}, why: "the rule says ask", detail: "", changed: false, solve: true } };
  it("is held from the round that asks, and says what it asks", () => {
    const p = new Play(detail({ calls: [call] }));
    expect(p.holds.map((h) => [h.from, h.to, h.open])).toEqual([[1, 4, true]]);
    expect(p.asks()).toEqual([{ item: "r.t.1", by: "ada", text: "May I call rehearse? (the rule says ask)" }]);
  });
});

describe("the text of a play", () => {
  it("has the answers of a mode as votes, and one line for its conflicts", () => {
    const conflict = (seq: number) => said(seq, "conflict", "system", { about: "system" });
    const mode = { terms: { strategy: "vote", reason: "equal", threshold: 1e-9, quorum: 1, learns: false }, said: [said(3, "proposal", "ada"), said(4, "proposal", "bob"), conflict(5), said(6, "proposal", "cem"), conflict(7), conflict(8)], votes: [vote(3, "ada", "ship", "agree"), vote(4, "bob", "wait", "agree"), vote(6, "cem", "ship", "agree")] };
    const p = new Play(detail(mode));
    expect(items(p, "vote").filter((i) => i.type === "said").map((i) => i.type === "said" && i.said.seq)).toEqual([3, 4, 6]);
    expect(counts(p).vote).toBe(3);
    expect(items(p, "all").filter((i) => i.type === "said" && i.said.form === "conflict").length).toBe(1);
  });
  it("leaves out rounds of which the filter leaves nothing", () => {
    expect(items(new Play(detail()), "all").map((i) => i.type)).toEqual(["round", "said", "said", "said", "said"]);
    expect(items(new Play(detail()), "person")).toEqual([]);
  });
  it("shows a debate once, with its arguments", () => {
    const debate = { a: "ship", b: "wait", forA: "ada", forB: "bob", seq: 2, arguments: [3, 4].map((seq) => ({ seq, by: "ada", for: "ship", part: "attack", text: "no" })) };
    expect(items(new Play(detail({ debates: [debate] })), "all").map((i) => i.type)).toEqual(["round", "debate", "said", "said"]);
  });
});

describe("what comes later", () => {
  it("is joined without gaps or doubles", () => {
    const rows = (...seqs: number[]) => seqs.map((seq) => ({ seq }));
    expect(join(rows(1, 2), rows(3))).toEqual(rows(1, 2, 3));
    expect(join(rows(1, 3), rows(2, 3, 4))).toEqual(rows(1, 2, 3, 4));
    expect(join(rows(1), [])).toEqual(rows(1));
  });
  it("makes the votes before it not count", () => {
    const d = detail({ votes: [vote(5, "bob", "ship", "agree")] });
    expect(merge(d, detail({ votes: [vote(6, "bob", "ship", "disagree")] })).votes.map((v) => v.counts)).toEqual([false, true]);
  });
});

describe("the line of support", () => {
  const steps = (n: number, v: (i: number) => number): Step[] => Array.from({ length: n }, (_, i) => ({ seq: i, support: { a: v(i) }, none: 0, confidence: 0, outcome: "pending", voters: 2 }));
  it("steps at each change", () => expect(path(steps(2, (i) => i / 2), "a", 0, (s) => s * 10, (v) => v, 30)).toBe("M0.0 0.0V0.0H10.0V0.5H30.0"));
  it("is no longer than the figure is wide", () => {
    const d = path(steps(100_000, (i) => (i % 7) / 7), "a", 0, (s) => s / 100, (v) => v, 1000);
    expect(d.length).toBeLessThan(80_000);
    expect(d).toContain("0.9"); // the highest of a column is drawn
  });
});

it("upTo counts", () => expect([0, 1, 2, 5].map((x) => upTo([1, 2, 2, 4], x))).toEqual([0, 1, 3, 4]));

it("labels that do not fit are left out, the lighter first", () => {
  const all = [{ seq: 1, text: "a", weight: 1 }, { seq: 2, text: "b", weight: 9 }, { seq: 3, text: "c", weight: 5 }];
  expect(place(all, (m) => m.seq, () => 40, 500).map((m) => m.text)).toEqual(["b", "c"]);
});
