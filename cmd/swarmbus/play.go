package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/votes"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// A player plays recorded votes over a bus: a task opens a thread, voters are
// agents with their own handles, the first voter for a label proposes it, and
// each row is a vote.
type player struct {
	bus    *bus.Bus
	log    *bus.Subscription
	voters map[string]*bus.Publisher
}

func newPlayer() (*player, error) {
	b, err := bus.New(&bus.Options{
		TTL: -1, Sweep: -1,
		Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond),
		Mint:  signals.SeededMint("swarmbus decide"),
	})
	if err != nil {
		return nil, err
	}
	log, err := b.System().Subscribe(bus.SubscribeOptions{})
	if err != nil {
		return nil, err
	}
	return &player{b, log, map[string]*bus.Publisher{}}, nil
}

func threadOf(set *votes.Set, t *votes.Task) string { return set.Name + "/" + t.ID }

// play returns the thread of one task as the log has it, and the rows that
// could not be played.
func (p *player) play(ctx context.Context, set *votes.Set, t *votes.Task) (thread []signals.Any, refused []*votes.RowError, err error) {
	name := threadOf(set, t)
	open := signals.New(signals.Header{Thread: name, Confidence: 1, Trace: agents.TraceOf(ctx)}, signals.Task{Task: "Which label is right for " + t.ID + "?"})
	if _, err := p.bus.System().Publish(ctx, open); err != nil {
		return nil, nil, fmt.Errorf("task %q: %w", t.ID, err)
	}
	proposed := map[string]bool{}
	for _, v := range t.Votes {
		err := p.vote(ctx, name, v, proposed[v.Label])
		var denied *bus.PermissionError // a voter that calls itself the system
		switch {
		case errors.Is(err, signals.ErrInvalid), errors.As(err, &denied):
			refused = append(refused, set.Refuse(v, err))
		case err != nil:
			return nil, nil, err
		default:
			proposed[v.Label] = true
		}
	}
	for {
		s, err := p.log.Poll()
		if s == nil || err != nil {
			return thread, refused, err
		}
		thread = append(thread, s)
	}
}

func (p *player) vote(ctx context.Context, thread string, v votes.Vote, proposed bool) error {
	voter := p.voters[v.Voter]
	if voter == nil {
		var err error
		can := bus.Permissions{CanEmit: []signals.Kind{signals.KindProposal, signals.KindVote}}
		if voter, err = p.bus.Agent(v.Voter, can); err != nil {
			return err
		}
		p.voters[v.Voter] = voter
	}
	h := signals.Header{Thread: thread, Confidence: v.Confidence, Trace: agents.TraceOf(ctx)}
	said := []signals.Any{signals.New(h, signals.Vote{ProposalID: v.Label, Stance: signals.Agree, Weight: v.Confidence})}
	if !proposed {
		proposal := signals.Proposal{ProposalID: v.Label, Content: "label " + v.Label}
		said = append([]signals.Any{signals.New(h, proposal)}, said...)
	}
	_, err := voter.PublishAll(ctx, said...)
	return err
}

// settle ends the thread's conflicts with what was decided.
func (p *player) settle(ctx context.Context, thread, choice string, confidence float64) error {
	_, err := p.bus.System().Publish(ctx, signals.New(
		signals.Header{Thread: thread, Confidence: confidence, Trace: agents.TraceOf(ctx)},
		signals.Consensus{ProposalID: choice, Decision: "label " + choice, Confidence: confidence},
	))
	return err
}
