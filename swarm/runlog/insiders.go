package runlog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/names"
	"github.com/swarmbus/swarmbus/signals"
)

// Insiders are the ids of the agents of a solve. Answers to it come from nobody among them.
type Insiders []string

// Outside reports whether a name is neither the system's nor one that may be taken for that of an
// agent ([names.Alike]).
func (t Insiders) Outside(source string) bool {
	return source != bus.System && !slices.ContainsFunc(t, func(id string) bool { return names.Alike(id, source) })
}

// Unrecorded returns the oldest answer of a solve that is not recorded as one yet; nil: there is none.
// Where a call of a tool waits, that comes first.
func (t Insiders) Unrecorded(g *Stage) signals.Any {
	return t.unrecorded(g, func(signals.ID) bool { return true })
}

func (t Insiders) unrecorded(g *Stage, to func(signals.ID) bool) signals.Any {
	i := slices.IndexFunc(g.replies, func(said signals.Any) bool {
		return t.Outside(said.Head().Source) && to(said.Head().ReplyTo)
	})
	if i < 0 || g.asksOfCalls() {
		return nil
	}
	return g.replies[i]
}

// Waits refuses an answer to a question that has been answered, or to a solve that is
// decided, that waits for an answer about the call of a tool or, as solves in journals, has records but none of a stop.
func (t Insiders) Waits(g *Stage, question signals.ID, journaled bool) error {
	said := t.unrecorded(g, func(to signals.ID) bool { return to == question })
	switch {
	case said != nil:
		h := said.Head()
		return &AnsweredError{Thread: h.Thread, By: h.Source, At: h.Time}
	case g.Answered != nil && g.Asked() == nil:
		return &AnsweredError{Thread: g.Answered.Thread, By: g.Answered.Payload.By, At: g.Answered.Time}
	case g.asksOfCalls():
		return fmt.Errorf("%w: it waits for an answer about the call of a tool: answer that, and go on with it without another answer first", ErrLog)
	case g.Announced != nil:
		return fmt.Errorf("%w: it is decided, so no question is open: retract takes back what it rests on", ErrLog)
	case journaled && g.Decided == nil:
		return fmt.Errorf("%w: it was broken off before it stopped: go on with it without an answer first", ErrLog)
	}
	return nil
}

// asksOfCalls reports whether the solve stopped in turns that go on with answers about calls of tools;
// without records of stops, whether such an answer is missing.
func (g *Stage) asksOfCalls() bool {
	if g.Decided == nil {
		return len(g.calls) > 0
	}
	return g.Decided.Payload.Stop == StopAsked
}

// Check refuses an answer that is not a valid signal, that agents may not publish on the
// bus, or that has an agent's name.
func (t Insiders) Check(b *bus.Bus, answer signals.Any) error {
	if err := signals.Validate(answer); err != nil {
		return refused(err)
	}
	source, kind := SourceOf(answer), answer.Kind()
	if !t.Outside(source) {
		return refused(&signals.FieldError{Field: "source", Value: source, Problem: "an agent of the swarm, not an outsider"})
	}
	if kind == signals.KindEscalation {
		return refused(&signals.FieldError{Field: "type", Value: string(kind), Problem: "is itself an escalation"})
	}
	if p, ok := signals.As[signals.ToolResult](answer); ok && p.Payload.TriggeredBy != source {
		return refused(&signals.FieldError{Kind: kind, Field: "triggeredBy", Value: p.Payload.TriggeredBy, Problem: "only who called a tool may say what it returned"})
	}
	if _, err := b.Agent(source, bus.Permissions{CanEmit: []signals.Kind{kind}}); err != nil {
		return refused(err)
	}
	return nil
}

// OnRecord refuses a vote for a proposal that the log does not have, and a proposal that does not conform
// to the schema of the task.
func OnRecord(log []signals.Any, answer signals.Any) error {
	if p, ok := signals.As[signals.Proposal](answer); ok {
		task, _ := log[0].Body().(signals.Task)
		if _, err := (&Votes{values: valuesOf(task)}).Value(p.Payload.Content); err != nil {
			return refused(err)
		}
	}
	v, ok := signals.As[signals.Vote](answer)
	if !ok || slices.ContainsFunc(log, func(s signals.Any) bool {
		p, ok := signals.As[signals.Proposal](s)
		return ok && p.Payload.ProposalID == v.Payload.ProposalID
	}) {
		return nil
	}
	return refused(&signals.FieldError{Kind: signals.KindVote, Field: "proposalId", Value: v.Payload.ProposalID, Problem: "no agent proposed it"})
}

// To returns the id of what an answer replies to: the question that it names, the only one that waits,
// or the record of the last stop where none does; zero: there is none. It refuses an answer that names
// no question that waits, one that names none where several wait, and one to an approval that does not
// begin with a verdict.
func (t Insiders) To(log []signals.Any, g *Stage, answer signals.Any) (signals.ID, error) {
	wrong := func(field, value, problem string) error {
		return refused(&signals.FieldError{Kind: answer.Kind(), Field: field, Value: value, Problem: problem})
	}
	id := answer.Head().ReplyTo
	thread := New(log[0].Head().Thread)
	for _, s := range log {
		thread.Apply(s)
	}
	var open []signals.ID
	for _, q := range g.asked {
		if t.unrecorded(g, func(to signals.ID) bool { return to == q.ID }) == nil {
			open = append(open, q.ID)
		}
	}
	switch {
	case !id.IsZero():
	case len(open) > 1:
		return id, wrong("replyTo", "", fmt.Sprintf("required: several questions wait, and an answer names the one that it is to: %v", open))
	case len(open) == 1:
		id = open[0]
	case g.Asked() != nil:
		id = g.Asked().ID
	default:
		return g.stop, nil
	}
	q, ok := thread.Questions.Of(id.String())
	switch {
	case !g.asks(id) && id != g.stop && (!ok || q.Answer == nil):
		return id, wrong("replyTo", id.String(), "no question that waits")
	case !g.asks(id) && id != g.stop:
		return id, &AnsweredError{Thread: q.Thread, By: q.Answer.By, At: q.Answer.At}
	case q.Approval && reports.VerdictOf(reports.Approval, answer) == "":
		said, _ := answer.Body().(signals.Memory)
		return id, wrong("content", said.Content, "no verdict: the question is one of approval, whose answer begins with "+reports.Approve+" or "+reports.Refuse)
	}
	return id, nil
}

// SourceOf returns the source of an answer.
func SourceOf(answer signals.Any) string { return cmp.Or(answer.Head().Source, Person) }

func refused(err error) error { return fmt.Errorf("swarm: answer: %w", err) }
