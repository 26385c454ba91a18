package swarm

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// A turn is an agent at work.
type turn struct {
	*agents.Turn
	seat *seat
	done chan outcome // holds one, so that a turn left behind can end
}

type outcome struct {
	said []signals.Any
	err  error
}

// round lets everybody who has heard something speak, and asks whether that
// is a reason to stop.
func (r *solve) round(ctx context.Context) {
	turns := r.pending()
	switch {
	case ctx.Err() != nil:
		r.interrupted(ctx)
		return
	case len(turns) == 0:
		r.exhausted(ctx)
		return
	case r.result.Rounds == r.opts.Rounds:
		r.votes.Close()
		r.stop(StopMaxRounds, fmt.Sprintf("no decision in %d rounds", r.opts.Rounds), nil)
		return
	}
	r.result.Rounds++
	ctx, end := agents.Start(ctx, agents.Op{Name: agents.OpRound, Thread: r.result.Thread, Round: r.result.Rounds})
	defer end(nil, nil)
	r.yield(RoundStarted{r.result.Rounds, names(turns)})
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // turns that are not needed any more
	r.begin(ctx, turns)
	r.commitAll(ctx, turns)
}

// pending returns a turn for every agent with something in its inbox.
func (r *solve) pending() []*turn {
	var turns []*turn
	for _, s := range r.seats {
		if t := s.hear(); t != nil {
			turns = append(turns, &turn{t, s, make(chan outcome, 1)})
		}
	}
	return turns
}

func (r *solve) begin(ctx context.Context, turns []*turn) {
	now := r.swarm.now()
	effort := agents.Effort(0)
	if r.opts.Effort != nil {
		effort = r.opts.Effort(r.result.Thread)
	}
	for _, t := range turns {
		r.result.Turns.Taken++
		t.Thread, t.Round, t.Task = r.result.Thread, r.result.Rounds, r.result.Task
		t.Proposals, t.Effort = r.proposals.show(), effort
		t.Seed, t.Time, t.Most = r.result.Seed, now, r.opts.TurnSignals
		r.swarm.running.Go(func() {
			said, err := t.seat.agent.Take(ctx, t.Turn)
			t.done <- outcome{said, err}
		})
	}
}

// commitAll waits for the turns in the order of the agents, and publishes
// what they said.
func (r *solve) commitAll(ctx context.Context, turns []*turn) {
	var failed []error
	before := r.said
	for i, t := range turns {
		select {
		case <-ctx.Done():
			r.interrupted(ctx)
		case o := <-t.done:
			if r.commit(ctx, t.seat, o) != nil {
				failed = append(failed, o.err)
			}
			r.decide(ctx, turns[i+1:])
		}
		if r.result.Stop != 0 {
			r.result.Turns.Dropped += r.result.Turns.Taken - r.result.Turns.Committed - r.result.Turns.Failed
			return
		}
	}
	if len(failed) == len(turns) && r.said == before {
		r.stop(StopError, "no agent could take its turn", errors.Join(failed...))
	}
	r.escalateConflicts(ctx)
}

// commit publishes what one agent said, as far as it may.
func (r *solve) commit(ctx context.Context, s *seat, o outcome) error {
	if o.err != nil {
		r.result.Turns.Failed++
		r.yield(TurnFailed{s.agent.ID, r.result.Rounds, o.err})
	} else {
		r.result.Turns.Committed++
	}
	for _, said := range o.said {
		if r.result.Stop != 0 || r.said == r.opts.Signals {
			break
		}
		if err := r.publish(ctx, s.mouth, said); err != nil {
			r.result.Turns.Refused++
			refused := Refused{s.agent.ID, said, err}
			r.yield(refused)
			agents.Note(ctx, refused)
			continue
		}
		r.said++
	}
	return o.err
}

func names(turns []*turn) []string {
	var all []string
	for _, t := range turns {
		all = append(all, t.seat.agent.ID)
	}
	return all
}
