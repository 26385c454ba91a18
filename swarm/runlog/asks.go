package runlog

import (
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/internal/text"
)

// An Option is a proposal that the answer to an escalation may vote for. Its id names it,
// wherever it stands in a list.
type Option struct {
	ID      string
	Content string
	Support float64
}

// Words returns the whole question on several lines: who asks what, and all that an answer is
// about. What agents and servers say is printable.
func (q *Question) Words(options ...Option) string {
	if q.Call != nil {
		return text.Lines(q.Asks + " wants to call a tool.\n" + q.Call.Detail())
	}
	words := text.Line(q.Asks + " asks: " + q.Reason)
	for line := range strings.Lines(text.Lines(q.Context)) {
		words += "\n| " + strings.TrimRight(line, "\n")
	}
	for _, o := range options {
		words += "\n" + text.Line(fmt.Sprintf("%s: %s (support %.2f)", o.ID, o.Content, o.Support))
	}
	return words
}

// Verdicts returns those that the question takes; nil: it takes a text or a vote.
func (q *Question) Verdicts() []asking.Verdict {
	if q.Call == nil {
		return nil
	}
	return q.Call.Verdicts()
}

// Schema returns the JSON schema of an answer: an object of texts.
func (q *Question) Schema(options ...Option) map[string]any {
	field := func(about string, of ...string) map[string]any {
		s := map[string]any{"type": "string", "description": about}
		if len(of) > 0 {
			s["enum"] = of
		}
		return s
	}
	if q.Call != nil {
		var may []string
		var each []string
		for _, v := range q.Verdicts() {
			may, each = append(may, string(v)), append(each, fmt.Sprintf("%s: %s", v, v.Does()))
		}
		fields := map[string]any{
			"verdict": field(strings.Join(each, "; "), may...),
			"reason":  field("Required to deny, and to respond: the agent sees it"),
		}
		if q.Call.ForSolve() {
			fields["args"] = field("With edit, required: all arguments, as JSON")
		}
		return map[string]any{"type": "object", "properties": fields, "required": []string{"verdict"}}
	}
	about := "Passed to all agents"
	if q.Approval {
		about = "Begins with " + reports.Approve + " or " + reports.Refuse + "; passed to all agents"
	}
	fields := map[string]any{"answer": field(about)}
	if len(options) > 0 {
		ids := []string{}
		for _, o := range options {
			ids = append(ids, o.ID)
		}
		fields["vote"] = field("Id of a proposal to vote for", ids...)
		fields["stance"] = field("Of the vote; default: agree", "agree", "disagree", "abstain")
	}
	return map[string]any{"type": "object", "properties": fields}
}
