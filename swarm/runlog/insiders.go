package runlog

import (
	"cmp"
	"fmt"
	"slices"

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

// Unrecorded returns the answer of a solve, if it is not recorded as one yet; else nil. Where a call of
// a tool waits, that comes first.
func (t Insiders) Unrecorded(g *Stage) signals.Any {
	if g.asksOfCalls() {
		return nil
	}
	for _, said := range g.replies {
		if t.Outside(said.Head().Source) {
			return said
		}
	}
	return nil
}

// Waits refuses an answer to a question that has been answered, or to a solve that is
// decided, that waits for an answer about the call of a tool or, as solves in journals, has records but none of a stop.
func (t Insiders) Waits(g *Stage, journaled bool) error {
	said := t.Unrecorded(g)
	switch {
	case said != nil:
		h := said.Head()
		return &AnsweredError{Thread: h.Thread, By: h.Source, At: h.Time}
	case g.Answered != nil && g.Asked == nil:
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

// Named refuses an answer that replies to another question than the one that waits; one that
// replies to nothing is to that one.
func Named(log []signals.Any, g *Stage, answer signals.Any) error {
	id := answer.Head().ReplyTo
	if id.IsZero() || id == g.Question() {
		return nil
	}
	t := New(log[0].Head().Thread)
	for _, s := range log {
		t.Apply(s)
	}
	of, ok := t.Questions.Of(id.String())
	if !ok || of.Answer == nil {
		return refused(&signals.FieldError{Field: "replyTo", Value: id.String(), Problem: "no question that waits"})
	}
	return &AnsweredError{Thread: of.Thread, By: of.Answer.By, At: of.Answer.At}
}

// SourceOf returns the source of an answer.
func SourceOf(answer signals.Any) string { return cmp.Or(answer.Head().Source, Person) }

func refused(err error) error { return fmt.Errorf("swarm: answer: %w", err) }
