import type { Solve } from "./types";

// How the state of a solve is said and drawn: a glyph, a tone and a word.
export interface Mood { glyph: string; tone: string; word: string }

const stops: Record<string, string> = {
  consensus: "consensus", rejected: "rejected", deadlock: "deadlock", uncertified: "uncertified", settled: "settled", contested: "contested", answered: "one answer", "max-rounds": "rounds used up", "no-progress": "no progress",
  budget: "out of budget", deadline: "out of time", cancelled: "cancelled", escalated: "waits for you", asked: "waits for you", error: "error",
};

export const stopped = (stop = "") => stops[stop] ?? stop.replace(/-/g, " ");

export function mood(s: Solve): Mood {
  if (s.revised) return { glyph: "back", tone: "hu", word: "stands no more" };
  switch (s.state) {
    case "running": return { glyph: "live", tone: "ac", word: s.rounds ? "round " + s.rounds : "begins" };
    case "waiting": return { glyph: "escalation", tone: "hu", word: "waits for you" };
    case "decided": return s.stop && s.stop !== "consensus" ? { glyph: "doubt", tone: "mut", word: stopped(s.stop) } : { glyph: "consensus", tone: "ye", word: stopped(s.stop) || "decided" };
    case "interrupted": return { glyph: "back", tone: "mut", word: s.stop === "cancelled" ? "cancelled" : "interrupted" };
    case "failed": return { glyph: "challenge", tone: "no", word: "error" };
  }
  return s.stop === "uncertified" ? { glyph: "doubt", tone: "mut", word: "uncertified" } : { glyph: "disagree", tone: "mut", word: stopped(s.stop) || "undecided" };
}

// took is how long a solve ran until it stopped, or has been running.
export const took = (s: Solve, now: number) => (s.ended ? Date.parse(s.ended) : s.state === "running" ? now : Date.parse(s.updated)) - Date.parse(s.began);

// answerLine says in one line where a solve stands.
export function answerLine(s: Solve): string {
  const lead = s.leader?.content ?? "";
  if (s.revised) return s.answer ? `Was decided: ${s.answer}` : lead ? `Leads since something was taken back: ${lead}` : "Was not decided";
  if (s.state === "decided" && s.answer) return s.answer;
  if (s.state === "failed") return s.detail || "It ended with an error.";
  if (s.stop === "rejected") return "None: every proposal was turned down.";
  if (!lead) return s.state === "running" ? "No proposal yet" : s.detail || "No proposal";
  if (s.state === "waiting") return `Held at: ${lead}`;
  return (s.state === "running" ? "Leading: " : "Best so far: ") + lead;
}
