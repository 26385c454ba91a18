package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// ErrSignals is the error for a signal beyond [Limits].Signals.
var ErrSignals = errors.New("swarm: too many signals in the solve")

// commitAll publishes the signals of the turns in the order of the agents, as
// each is done or out of time, and checks after each whether there is a reason
// to stop.
func (r *solve) commitAll(ctx context.Context, turns []*seat.Turn) {
	missed := false
	for i, t := range turns {
		o, done := t.Wait(ctx, r.wake.Outside, func() bool { r.drain(ctx); return r.over() })
		switch {
		case r.over(): // the bus is closed
		case r.cancelled(ctx):
			r.interrupted(ctx)
		case t.State == seat.Stopped:
			missed = true
		case done:
			r.commit(ctx, t, o)
			r.decide(ctx, toCome(turns[i+1:]))
		default:
			r.miss(ctx, t)
			missed = true
		}
		if r.over() {
			return
		}
	}
	if missed {
		r.decide(ctx, nil)
	}
	r.roundOver(ctx)
}

// toCome returns the turns that may still have a result.
func toCome(turns []*seat.Turn) []*seat.Turn {
	return slices.DeleteFunc(slices.Clone(turns), func(t *seat.Turn) bool { return t.State == seat.Stopped })
}

// miss continues without a turn. Unless the turn is left behind, its result is
// accepted when it arrives.
func (r *solve) miss(ctx context.Context, t *seat.Turn) {
	if t.State == seat.Awaited {
		r.result.Turns.Late++
		t.State = seat.Late
		late := runlog.Late{Agent: t.Agent, Round: t.Round}
		hooks.Note(ctx, hooks.TurnLate{Agent: t.Agent, Round: t.Round})
		r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, late))
	}
	if ctx.Err() != nil || t.Lost() {
		t.State = seat.Over
	}
}

// commit publishes the signals of one turn, as far as allowed.
func (r *solve) commit(ctx context.Context, t *seat.Turn, o seat.Outcome) {
	t.State, t.Seat.Turn = seat.Over, nil
	r.result.Turns.Retried += o.Tries
	switch calls := asking.Asked(o.Err); {
	case calls != nil:
		r.asks(ctx, calls)
	case o.Err != nil:
		r.failed(ctx, t, o.Err)
	default:
		r.result.Turns.Committed++
	}
	if o.Strategy != "" {
		r.result.Chosen = append(r.result.Chosen, solves.Chosen{Agent: t.Agent, Round: t.Round, Strategy: o.Strategy})
	}
	for _, said := range t.Own(r.thread.Votes.Made(), o.Said) {
		if r.over() {
			break
		}
		said = r.returned.Witnessed(r.valued(said))
		switch known, refused := t.Has(said); {
		case refused:
		case known:
			r.admitted(ctx, said)
		default:
			if err := r.admit(ctx, t.Seat, said); err != nil {
				r.refuse(ctx, solves.Refused{Agent: t.Agent, Round: t.Round, Kind: said.Kind(), Signal: said, Err: err})
			}
		}
	}
	r.end(ctx, r.thread.Handoffs(t.Agent, t.Inbox)) // it had its turn with them
}

// valued returns what an agent says as the log has it: a proposal of a task with a schema as the
// value that it states, unless it states none.
func (r *solve) valued(said signals.Any) signals.Any {
	p, ok := signals.As[signals.Proposal](said)
	if !ok {
		return said
	}
	of := p.Payload
	value, err := r.thread.Votes.Value(of.Content)
	if err != nil || value == of.Content {
		return said
	}
	of.Content = value
	return signals.New(p.Header, of)
}

// asks says what a turn asks a person, as far as the log lacks it. The turn is taken again. The
// round ends first: other turns may be in the middle of a call.
func (r *solve) asks(ctx context.Context, calls []asking.Call) {
	r.result.Turns.Asked++
	for _, c := range calls {
		r.round.asking = append(r.round.asking, c.String())
		if !r.thread.Questions.Asks(c.ID) && !r.over() {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, c))
		}
	}
}

// failed takes the failure of a turn.
func (r *solve) failed(ctx context.Context, t *seat.Turn, err error) {
	r.result.Turns.Failed++
	failed := solves.TurnFailed{Agent: t.Agent, Round: t.Round, Err: err}
	r.result.Failed = append(r.result.Failed, failed)
	t.Seat.Fail(t, err)
	r.yield(failed)
	if !t.Failed {
		r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, runlog.FailedBy(t.Agent, t.Round, err)))
	}
	if miss := (*journal.MissError)(nil); errors.As(err, &miss) {
		r.fail("the replay differs from the recording", err)
	}
}

// admit publishes a signal of an agent, or returns why it is refused.
func (r *solve) admit(ctx context.Context, s *seat.Seat, said signals.Any) error {
	if slices.Contains(agents.Records(), said.Kind()) {
		if _, unread := said.Body().(signals.Raw); unread { // of one that joins: it could leave the group that its votes belong to
			return &signals.FieldError{Kind: said.Kind(), Field: "type", Value: string(said.Kind()), Problem: "is not for an agent that joins"}
		}
		h := said.Head()
		h.Recipients = signals.To(bus.System)
		return r.publish(ctx, s.Publisher, signals.With(said, h))
	}
	if r.signalsLeft() == 0 {
		return ErrSignals
	}
	if seat.Coordinates(said.Kind()) {
		entered, err := r.coordinate(ctx, s, said)
		if entered {
			r.emitted++
		}
		return err
	}
	vote, votes := signals.As[signals.Vote](said)
	if votes && vote.Payload.Weight == 0 && vote.Confidence == 0 && vote.Payload.Stance != signals.Abstain {
		return &signals.FieldError{
			Kind: signals.KindVote, Field: "weight", Value: "0", Problem: "the vote states neither a weight nor a confidence",
		}
	}
	if p, ok := signals.As[signals.Proposal](said); ok {
		if _, err := r.thread.Votes.Value(p.Payload.Content); err != nil {
			return err
		}
	}
	if p, ok := signals.As[signals.ToolResult](said); ok && p.Payload.TriggeredBy != s.Agent.ID {
		return &signals.FieldError{
			Kind: signals.KindToolResult, Field: "triggeredBy", Value: p.Payload.TriggeredBy, Problem: "only who called a tool may say what it returned",
		}
	}
	h := said.Head()
	h.Source = s.Agent.ID
	if err := signals.CheckRetraction(r.thread.Log, signals.With(said, h)); err != nil {
		return err
	}
	if err := r.publish(ctx, s.Publisher, said); err != nil {
		return err
	}
	r.emitted++
	r.admitted(ctx, said)
	return nil
}

// admitted updates the state for an agent's signal that entered the log.
func (r *solve) admitted(ctx context.Context, said signals.Any) {
	if p, ok := signals.As[signals.Proposal](said); ok {
		r.compare(ctx, p.Payload)
		for _, c := range r.table().Needless() {
			r.announce(ctx, c.Signal())
		}
	}
}

// refuse records that a signal was not published.
func (r *solve) refuse(ctx context.Context, refused solves.Refused) {
	if r.over() {
		return // the bus is closed
	}
	r.result.Turns.Refused++
	r.result.Refused = append(r.result.Refused, refused)
	r.yield(refused)
	hooks.Note(ctx, refused)
	record := runlog.RefusedBy(refused.Agent, refused.Round, refused.Kind, refused.Err)
	r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, record))
}

// compare calls Options.Same for a new proposal and the earlier ones, and
// publishes the result if it is the same as one.
func (r *solve) compare(ctx context.Context, p signals.Proposal) {
	if r.opts.Same == nil || r.over() {
		return
	}
	own := r.thread.Votes.Of(p.ProposalID)
	if own == nil || own.ID() != p.ProposalID || len(own.Same) > 0 {
		return // already the same, or repeated
	}
	for _, other := range r.thread.Votes.Show("") {
		if other.Proposal.Seq >= own.Proposal.Seq {
			break // a resumed solve has later ones
		}
		same, err := same(ctx, r.opts.Same, other.Proposal.Payload, p)
		if err != nil {
			r.fail("the proposals could not be compared", err)
			return
		}
		if same {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, ReplyTo: own.Proposal.ID}, runlog.Same{ProposalID: p.ProposalID, As: other.ID()}))
			return
		}
	}
}

// same calls compare, which is Options.Same, and recovers from a panic.
func same(ctx context.Context, compare func(context.Context, signals.Proposal, signals.Proposal) bool, earlier, later signals.Proposal) (_ bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("swarm: Options.Same panicked: %v", v)
		}
	}()
	return compare(ctx, earlier, later), nil
}
