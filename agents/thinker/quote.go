package thinker

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A line is a JSON object on one line, member by member.
type line struct {
	b    strings.Builder
	text int // maximum bytes of a text
}

func (l *line) add(name, raw string) {
	if l.b.Len() > 0 {
		l.b.WriteByte(',')
	}
	fmt.Fprintf(&l.b, "%q:%s", name, raw)
}

// say adds a member with a quoted text, unless it is empty.
func (l *line) say(name, said string) {
	if said != "" {
		l.add(name, text.Prompt(said, l.text))
	}
}

func (l *line) String() string { return "{" + l.b.String() + "}" }

// show returns a signal as a line, with its reasons if the view has details.
func (v *view) show(s signals.Any) string {
	h := s.Head()
	l := &line{text: v.text}
	l.add("ref", fmt.Sprintf(`"S%d"`, h.Seq))
	l.add("from", text.Prompt(h.Source, signals.NameBytes))
	l.add("kind", text.Prompt(label(s.Kind()), signals.NameBytes))
	v.body(l, s.Body())
	if m, ok := signals.As[signals.Memory](s); ok && h.Source == system { // of others it means nothing
		l.say("state", m.Payload.Origin.State)
		l.say("said by", m.Payload.Origin.Source)
	}
	l.say("causal", h.CausalLevel.String())
	if h.Confidence > 0 {
		l.add("confidence", fmt.Sprintf("%.2f", h.Confidence))
	}
	return l.String()
}

func label(k signals.Kind) string {
	name, _, _ := strings.Cut(string(k), ":")
	return name
}

// detail adds a text that cheap turns omit.
func (v *view) detail(l *line, name, text string) {
	if v.details {
		l.say(name, text)
	}
}

func (v *view) body(l *line, p signals.Payload) {
	switch p := p.(type) {
	case signals.Discovery:
		l.say("finding", p.Finding)
		v.detail(l, "evidence", p.Evidence)
	case signals.Proposal:
		l.add("proposal", v.refOf(p.ProposalID))
		l.say("content", p.Content)
		v.detail(l, "reasons", p.Reasoning)
	case signals.Doubt:
		l.add("about", v.refTo(p.TargetSignalID))
		l.say("concern", p.Concern)
		l.say("severity", p.Severity.String())
	case signals.Challenge:
		l.add("about", v.refTo(p.TargetSignalID))
		l.say("counterargument", p.CounterArgument)
		l.say("alternative", p.AlternativeProposal)
	case signals.Vote:
		l.add("proposal", v.refOf(p.ProposalID))
		l.say("stance", p.Stance.String())
		v.detail(l, "reasons", p.Reasoning)
	case signals.Conflict:
		l.add("between", fmt.Sprintf("[%s,%s]", v.refTo(p.SignalA), v.refTo(p.SignalB)))
		l.say("about", p.Description)
	case signals.Escalation:
		l.say("reason", p.Reason)
		v.detail(l, "context", p.Context)
	case signals.Memory:
		l.say("content", p.Content)
	case agents.Passed:
		l.say("reason", p.Reason)
	case signals.ToolResult:
		l.say("tool", p.ToolName)
		l.say("result", p.Result)
	case signals.Retraction:
		l.add("about", v.refTo(p.TargetSignalID))
		l.say("reasons", p.Reason)
	case routing.UserMessage:
		l.say("text", p.Text)
	case coordination.Transition:
		l.add("about", v.refTo(p.Signals[0]))
	default:
		text, _ := json.Marshal(p)
		l.say("text", string(text))
	}
}
