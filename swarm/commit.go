package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/retract"
	"github.com/swarmbus/swarmbus/swarm/internal/coordinate"
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
	if o.Err != nil {
		r.failed(ctx, t, o.Err)
	} else {
		r.result.Turns.Committed++
	}
	if o.Strategy != "" {
		r.result.Chosen = append(r.result.Chosen, solves.Chosen{Agent: t.Agent, Round: t.Round, Strategy: o.Strategy})
	}
	for _, said := range r.own(t, o.Said) {
		if r.over() {
			break
		}
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

// own returns what was said in a turn. Where no answer of others is shown, a proposal whose id
// somebody else has taken gets one of its agent: otherwise an agent that guesses ids could
// displace others' answers and collect their votes.
func (r *solve) own(t *seat.Turn, said []signals.Any) []signals.Any {
	if t.Ask != agents.AskAnswer {
		return said
	}
	taken := func(id string) bool {
		return slices.ContainsFunc(r.thread.Votes.Made(), func(m *signals.Signal[signals.Proposal]) bool {
			return m.Payload.ProposalID == id && m.Source != t.Agent
		})
	}
	said = slices.Clone(said)
	mine, n := map[string]string{}, 0
	for i, s := range said {
		switch p := s.Body().(type) {
		case signals.Proposal:
			id := p.ProposalID
			for ; taken(p.ProposalID); n++ {
				p.ProposalID = fmt.Sprintf("%s/%d.%d", t.Agent, t.Round, n+1)
			}
			if p.ProposalID != id {
				mine[id], said[i] = p.ProposalID, signals.New(s.Head(), p)
			}
		case signals.Vote:
			if id := mine[p.ProposalID]; id != "" {
				p.ProposalID = id
				said[i] = signals.New(s.Head(), p)
			}
		}
	}
	return said
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
	if question, asks := agents.IsAsking(err); asks {
		r.round.asking = append(r.round.asking, question) // the round ends first: other turns may be in the middle of a call
	}
	if miss := (*journal.MissError)(nil); errors.As(err, &miss) {
		r.fail("the replay differs from the recording", err)
	}
}

// admit publishes a signal of an agent, or returns why it is refused.
func (r *solve) admit(ctx context.Context, s *seat.Seat, said signals.Any) error {
	if said.Kind() == (agents.Passed{}).Kind() {
		h := said.Head()
		h.Recipients = signals.To(bus.System)
		return r.publish(ctx, s.Publisher, signals.With(said, h))
	}
	if r.signalsLeft() == 0 {
		return ErrSignals
	}
	if coordinate.Is(said.Kind()) {
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
	if p, ok := signals.As[signals.ToolResult](said); ok && p.Payload.TriggeredBy != s.Agent.ID {
		return &signals.FieldError{
			Kind: signals.KindToolResult, Field: "triggeredBy", Value: p.Payload.TriggeredBy, Problem: "only who called a tool may say what it returned",
		}
	}
	h := said.Head()
	h.Source = s.Agent.ID
	if err := retract.Check(r.thread.Log, signals.With(said, h)); err != nil {
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
			r.resolve(ctx, c)
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
		same, err := r.same(ctx, other.Proposal.Payload, p)
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

// same calls Options.Same and recovers from a panic.
func (r *solve) same(ctx context.Context, earlier, later signals.Proposal) (_ bool, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("swarm: Options.Same panicked: %v", v)
		}
	}()
	return r.opts.Same(ctx, earlier, later), nil
}
