import { name } from "../../lib/store";
import { clean, two } from "../../lib/text";
import type { Said } from "../../lib/types";
import type { Play } from "../../play/play";

// sentence says in one line what a signal is, for those who hear it rather than see it.
export function sentence(play: Play, s: Said): string {
  const who = name(s.by), letter = play.letter(s.proposal), text = clean(s.text).slice(0, 160);
  switch (s.form) {
    case "vote": return `${who} votes ${s.stance === "agree" ? "for" : s.stance === "disagree" ? "against" : "neither for nor against"} ${letter} with ${two(s.weight ?? 0)}: ${text}`;
    case "proposal": return `${who} proposes ${letter}: ${text}`;
    case "escalation": return `${who} asks a person: ${text}`;
    case "tool": return `${who} used a tool: ${text}`;
    case "consensus": return `consensus on ${letter}`;
  }
  return `${who}, ${s.form}: ${text}`;
}
