package swarm

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Person is the source of an answer whose header has none.
const Person = "person"

// An AnsweredError is returned if the question of a solve has already been
// answered. It wraps [ErrLog].
type AnsweredError struct {
	Thread string
	By     string
	At     time.Time
}

func (e *AnsweredError) Error() string {
	return fmt.Sprintf("swarm: %q answered in thread %s already, at %s", e.By, e.Thread, e.At.Format(time.RFC3339))
}

// Unwrap returns [ErrLog].
func (*AnsweredError) Unwrap() error { return ErrLog }

// stageOf returns how far the solve of a log has come.
func stageOf(log []signals.Any) *runlog.Stage {
	g := new(runlog.Stage)
	for _, said := range log {
		g.Apply(said)
	}
	return g
}

// unrecorded returns the answer of a solve, if it is not recorded as one yet.
func (s *Swarm) unrecorded(g *runlog.Stage) signals.Any {
	for _, said := range g.Replies {
		if s.isOutside(said.Head().Source) {
			return said
		}
	}
	return nil
}

// mayBeAnswered refuses an answer to a question that has been answered, or to a solve
// that has records but none of a stop.
func (s *Swarm) mayBeAnswered(g *runlog.Stage) error {
	said := s.unrecorded(g)
	switch {
	case said != nil:
		h := said.Head()
		return &AnsweredError{h.Thread, h.Source, h.Time}
	case g.Answered != nil && g.Asked == nil:
		return &AnsweredError{g.Answered.Thread, g.Answered.Payload.By, g.Answered.Time}
	case g.Announced != nil:
		return fmt.Errorf("%w: it is decided", ErrLog)
	case s.writer != nil && g.Decided == nil:
		return fmt.Errorf("%w: it was broken off before it stopped: go on with it without an answer first", ErrLog)
	}
	return nil
}

// ended ends a solve that is over as it ended before, without recording anything.
func (r *solve) ended(g *runlog.Stage) {
	if !g.Over() {
		return
	}
	r.records.decided, r.records.announced = true, g.Announced != nil
	made := runlog.Decided{Stop: StopConsensus, Detail: r.votes().Decision().Reason()}
	if g.Decided != nil {
		made = g.Decided.Payload
	}
	if made.Closed {
		r.votes().Close()
	}
	if made.Quorum > 0 {
		r.votes().SetQuorum(made.Quorum)
	}
	r.result.Observed = made.Observed
	r.stop(made.Stop, made.Detail, nil)
}

// onRecord refuses a vote for a proposal that the log does not have.
func onRecord(log []signals.Any, answer signals.Any) error {
	v, ok := signals.As[signals.Vote](answer)
	if !ok || slices.ContainsFunc(log, func(s signals.Any) bool {
		p, ok := signals.As[signals.Proposal](s)
		return ok && p.Payload.ProposalID == v.Payload.ProposalID
	}) {
		return nil
	}
	return fmt.Errorf("swarm: answer: %w", &signals.FieldError{Kind: signals.KindVote, Field: "proposalId", Value: v.Payload.ProposalID, Problem: "nobody proposed it"})
}

// mayAnswer refuses an answer that is not a valid signal, that agents may not
// publish, or that has another's name.
func (s *Swarm) mayAnswer(answer signals.Any) error {
	if err := signals.Validate(answer); err != nil {
		return fmt.Errorf("swarm: answer: %w", err)
	}
	source, kind := cmp.Or(answer.Head().Source, Person), answer.Kind()
	if !s.isOutside(source) {
		return fmt.Errorf("swarm: answer: %w", &signals.FieldError{Field: "source", Value: source, Problem: "an agent of the swarm, not an outsider"})
	}
	if kind == signals.KindEscalation {
		return fmt.Errorf("swarm: answer: %w", &signals.FieldError{Field: "type", Value: string(kind), Problem: "is itself an escalation"})
	}
	if _, err := s.bus.Agent(source, bus.Permissions{CanEmit: []signals.Kind{kind}}); err != nil {
		return fmt.Errorf("swarm: answer: %w", err)
	}
	return nil
}

// isOutside reports whether a name is neither the system's nor similar to that of an
// agent.
func (s *Swarm) isOutside(source string) bool {
	return source != bus.System && !slices.ContainsFunc(s.opts.Agents, func(a *agents.Agent) bool {
		return strings.EqualFold(strings.TrimSpace(a.ID), strings.TrimSpace(source))
	})
}

// answered publishes the answer as a reply to the solve's question, or to the record
// of its stop.
func (r *solve) answered(ctx context.Context, answer signals.Any) {
	h, before := answer.Head(), len(r.thread.Log)
	h.ReplyTo = r.thread.Stage.Question()
	h.Source, h.Thread, h.Round = cmp.Or(h.Source, Person), r.result.Thread, int32(r.result.Rounds)
	publisher, err := r.swarm.bus.Agent(h.Source, bus.Permissions{Threads: []string{r.result.Thread}})
	if err == nil {
		err = r.publish(ctx, publisher, signals.With(answer, h))
	}
	if err != nil {
		r.stop(StopError, "the answer was refused", err)
		return
	}
	news := r.thread.Log[before:]
	r.takeAnswer(ctx, news[slices.IndexFunc(news, func(s signals.Any) bool { return s.Head().Source == h.Source })])
}

// takeAnswer records that a signal is the answer. A solve that is interrupted before
// that does so when it continues.
func (r *solve) takeAnswer(ctx context.Context, said signals.Any) {
	h, question := said.Head(), signals.ID{}
	if asked := r.thread.Stage.Asked; asked != nil {
		question = asked.ID
	}
	r.settleByAnswer(ctx, said)
	r.settled(ctx, r.alarms())
	r.announce(ctx, signals.New(signals.Header{Confidence: 1, ReplyTo: question, Recipients: signals.To(bus.System)}, runlog.Answered{By: h.Source, AnswerID: h.ID}))
	r.tellAll(h.ID)
}

// tellAll passes an answer to agents that do not listen to its kind.
func (r *solve) tellAll(id signals.ID) {
	i := slices.IndexFunc(r.thread.Log, func(s signals.Any) bool { return s.Head().ID == id })
	if i < 0 {
		return
	}
	said := r.thread.Log[i]
	for _, s := range r.seats {
		if !s.agent.Hears(said.Kind()) {
			s.before = append(s.before, said)
		}
	}
}
