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
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// Person is the source of an answer whose header has none.
const Person = "person"

// KindAnswered is the kind of [Answered].
const KindAnswered signals.Kind = "escalation:answered"

// Answered says that the question of a solve was answered from outside the swarm,
// and that the solve continues. Its header replies to the question, if there was
// one.
type Answered struct {
	By       string     `json:"by"`       // required
	AnswerID signals.ID `json:"answerId"` // required; of the answer's signal
}

// Kind returns KindAnswered.
func (Answered) Kind() signals.Kind { return KindAnswered }

// Check implements [signals.Checker].
func (p Answered) Check(l signals.Limits) error {
	if p.AnswerID.IsZero() {
		return &signals.FieldError{Kind: KindAnswered, Field: "answerId", Problem: "required"}
	}
	return l.Name("by", p.By)
}

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

// A progress says how far a solve has come in a log.
type progress struct {
	asked     bool                      // there is a question without an answer
	question  signals.ID                // what an answer replies to: the question, or else the record of the stop
	said      signals.Any               // the answer, if it is not recorded as one yet; nil: none
	answered  *signals.Signal[Answered] // the last one; nil: none
	decided   *Decided                  // record of the last stop; nil: none, or it has continued
	announced bool
}

// progressOf returns the progress of a log; recorded says that it has records.
func (s *Swarm) progressOf(log []signals.Any) (p progress) {
	recorded := s.writer != nil
	for _, said := range log {
		h := said.Head()
		switch said := said.(type) {
		case *signals.Signal[signals.Escalation]:
			if !p.asked {
				p.asked, p.question = true, said.ID
			}
		case *signals.Signal[Answered]:
			p = progress{answered: said, announced: p.announced}
		case *signals.Signal[Opened]:
			p.decided = nil
		case *signals.Signal[Decided]:
			p.decided = &said.Payload
			if !p.asked {
				p.question = said.ID
			}
		case *signals.Signal[signals.Consensus]:
			p.announced = true
		default:
			stopped := p.decided != nil || p.asked && !recorded
			if stopped && p.said == nil && h.ReplyTo == p.question && !p.question.IsZero() && s.isOutside(h.Source) {
				p.said = said
			}
		}
	}
	return p
}

// open refuses an answer to a question that has been answered, or to a solve that
// has records but none of a stop.
func (p *progress) open(recorded bool) error {
	switch {
	case p.said != nil:
		h := p.said.Head()
		return &AnsweredError{h.Thread, h.Source, h.Time}
	case p.answered != nil && !p.asked:
		return &AnsweredError{p.answered.Thread, p.answered.Payload.By, p.answered.Time}
	case p.announced:
		return fmt.Errorf("%w: it is decided", ErrLog)
	case recorded && p.decided == nil:
		return fmt.Errorf("%w: it was broken off before it stopped: go on with it without an answer first", ErrLog)
	}
	return nil
}

// over reports whether a solve does not continue by itself.
func (p *progress) over() bool {
	if p.decided == nil {
		return p.announced
	}
	return !p.decided.Stop.goesOn()
}

// ended ends a solve that is over as it ended before, without recording anything.
func (r *solve) ended(p progress) {
	if !p.over() {
		return
	}
	r.recorded, r.announced = true, p.announced
	made := cmp.Or(p.decided, &Decided{Stop: StopConsensus, Detail: r.votes.Decision().Reason()})
	if made.Closed {
		r.votes.Close()
	}
	if made.Quorum > 0 {
		r.votes.SetQuorum(made.Quorum)
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
	h, before := answer.Head(), len(r.result.Log)
	h.ReplyTo = r.progress.question
	h.Source, h.Thread, h.Round = cmp.Or(h.Source, Person), r.result.Thread, int32(r.result.Rounds)
	mouth, err := r.swarm.bus.Agent(h.Source, bus.Permissions{Threads: []string{r.result.Thread}})
	if err == nil {
		err = r.publish(ctx, mouth, signals.With(answer, h))
	}
	if err != nil {
		r.stop(StopError, "the answer was refused", err)
		return
	}
	news := r.result.Log[before:]
	r.takeAnswer(ctx, news[slices.IndexFunc(news, func(s signals.Any) bool { return s.Head().Source == h.Source })])
}

// takeAnswer records that a signal is the answer. A solve that is interrupted before
// that does so when it continues.
func (r *solve) takeAnswer(ctx context.Context, said signals.Any) {
	h, question := said.Head(), signals.ID{}
	if r.escalated != nil {
		question = r.escalated.ID
	}
	// None are open if the solve stopped by itself: its thread was closed then.
	open := slices.Collect(r.swarm.bus.Conflicts(r.result.Thread))
	r.disputes = slices.DeleteFunc(r.disputes, func(p conflict.Pair) bool { return !slices.Contains(open, p) })
	for _, p := range slices.Clone(r.disputes) {
		if p.B.Signal != h.ID { // not a conflict that the answer opened
			r.resolve(ctx, p, h.Source+" was asked")
		}
	}
	r.announce(ctx, signals.New(signals.Header{Confidence: 1, ReplyTo: question, Recipients: signals.To(bus.System)}, Answered{h.Source, h.ID}))
	r.tellAll(h.ID)
}

// tellAll passes an answer to agents that do not listen to its kind.
func (r *solve) tellAll(id signals.ID) {
	i := slices.IndexFunc(r.result.Log, func(s signals.Any) bool { return s.Head().ID == id })
	if i < 0 {
		return
	}
	said := r.result.Log[i]
	for _, s := range r.seats {
		if !s.agent.Hears(said.Kind()) {
			s.before = append(s.before, said)
		}
	}
}

// enfranchise adds the source of an answer to the voters.
func (r *solve) enfranchise(voter string) {
	if r.terms.Electorate == nil || slices.Contains(r.terms.Electorate, voter) {
		return
	}
	terms := *r.terms
	terms.Electorate = append(slices.Clone(terms.Electorate), voter)
	r.terms = &terms
	r.again()
}
