package settle

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

const (
	mostVotes = 16      // of a side, in a question
	mostText  = 1 << 10 // bytes of a content or a reason
)

// Question asks somebody outside which side is right. Its context has both sides, with
// their reasons and votes; of long texts and of many votes it has the beginning.
func (p Pair) Question() signals.Escalation {
	return signals.Escalation{
		Reason:  fmt.Sprintf("proposals %s and %s cannot both stand", p.A.ID(), p.B.ID()),
		Context: strings.Join(append(side(p.A), side(p.B)...), "\n"),
	}
}

func side(s agents.Standing) []string {
	made := s.Proposal.Payload
	lines := []string{fmt.Sprintf("%s, by %s: %s", s.ID(), clip(strings.Join(s.Supporters(), ", ")), clip(made.Content))}
	if made.Reasoning != "" {
		lines = append(lines, "  because: "+clip(made.Reasoning))
	}
	for i, v := range s.Votes {
		if i == mostVotes {
			return append(lines, fmt.Sprintf("  and %d more votes", len(s.Votes)-i))
		}
		line := fmt.Sprintf("  %s %ss (%.2g)", v.Source, v.Payload.Stance, cmp.Or(v.Payload.Weight, v.Confidence))
		if v.Payload.Reasoning != "" {
			line += ": " + clip(v.Payload.Reasoning)
		}
		lines = append(lines, line)
	}
	return lines
}

// clip cuts a text, and keeps it on its line.
func clip(s string) string { return text.Cut(text.Line(s), mostText) }

// Alarmed asks somebody outside about an escalation. Its context has the beginning of the
// details.
func Alarmed(about coordination.Signal) signals.Escalation {
	return signals.Escalation{
		Reason:  about.Summary,
		Context: strings.TrimSpace(fmt.Sprintf("%s by %s. %s", about.Class, about.Source, clip(about.Details))),
	}
}
