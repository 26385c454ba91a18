package decide

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/votes"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A player plays recorded votes over a bus: a task opens a thread, voters are
// agents with their own handles, the first voter for a label proposes it, and
// each row is a vote.
type player struct {
	bus    *bus.Bus
	log    *bus.Subscription
	voters map[string]*bus.Publisher
	file   *journal.File // nil: nothing is kept
	writer *journal.Writer
}

// newPlayer returns a player that writes to a new journal, unless its name is
// empty.
func newPlayer(ctx context.Context, name string) (*player, error) {
	b, err := bus.New(&bus.Options{
		TTL: -1, Sweep: -1,
		Clock: swarm.StepClock(time.Unix(0, 0), time.Millisecond),
		Mint:  signals.SeededMint("swarmbus decide"),
	})
	if err != nil {
		return nil, err
	}
	p := &player{bus: b, voters: map[string]*bus.Publisher{}}
	if name != "" {
		if p.file, p.writer, err = keep(ctx, b, name); err != nil {
			return nil, err
		}
	}
	if p.log, err = b.System().Subscribe(bus.SubscribeOptions{}); err != nil {
		return nil, errors.Join(err, p.close(ctx))
	}
	return p, nil
}

// keep writes the signals published on a bus into a new journal.
func keep(ctx context.Context, b *bus.Bus, name string) (*journal.File, *journal.Writer, error) {
	path, err := runs.Make(name)
	if err != nil {
		return nil, nil, err
	}
	f, err := journal.Open(path, nil)
	if err != nil {
		return nil, nil, err
	}
	if f.Last() > 0 {
		return nil, nil, errors.Join(fmt.Errorf("--journal %s already contains a run: name a new file", path), f.Close())
	}
	w, err := journal.Attach(ctx, b, f, nil)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, w, nil
}

// close waits until everything is written.
func (p *player) close(ctx context.Context) (err error) {
	if p.file != nil {
		err = errors.Join(p.writer.Close(context.WithoutCancel(ctx)), p.file.Close())
	}
	p.bus.Close()
	return err
}

// kept says where the journal is, "" if there is none.
func (p *player) kept() string {
	if p.file == nil {
		return ""
	}
	return p.file.Path()
}

func threadOf(set *votes.Set, t *votes.Task) string { return set.Name + "/" + t.ID }

// play returns the thread of one task as the log has it, and the rows that
// could not be played.
func (p *player) play(ctx context.Context, set *votes.Set, t *votes.Task) (thread []signals.Any, refused []*votes.RowError, err error) {
	name := threadOf(set, t)
	open := signals.New(signals.Header{Thread: name, Confidence: 1, Trace: hooks.TraceOf(ctx)}, signals.Task{Task: "Which label is right for " + t.ID + "?"})
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
		if s.Head().Thread == name { // not how the one before ended
			thread = append(thread, s)
		}
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
	h := signals.Header{Thread: thread, Confidence: v.Confidence, Trace: hooks.TraceOf(ctx)}
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
		signals.Header{Thread: thread, Confidence: confidence, Trace: hooks.TraceOf(ctx)},
		signals.Consensus{ProposalID: choice, Decision: "label " + choice, Confidence: confidence},
	))
	return err
}

// open records the terms of a thread.
func (p *player) open(ctx context.Context, thread string, t *runlog.Terms) error {
	if p.file == nil {
		return nil
	}
	s, err := t.Open(thread)
	if err != nil {
		return err
	}
	return p.say(ctx, s)
}

// record records the decision.
func (p *player) record(ctx context.Context, thread, terms string, d consensus.Decision, observed string) error {
	if p.file == nil {
		return nil
	}
	s, err := runlog.Decided{Name: terms, Closed: true, Observed: observed}.Record(thread, d)
	if err != nil {
		return err
	}
	return p.say(ctx, s)
}

// tell records the outcome.
func (p *player) tell(ctx context.Context, thread, right string) error {
	if p.file == nil {
		return nil
	}
	return p.say(ctx, signals.New(signals.Header{Thread: thread, Confidence: 1}, runlog.Outcome{ProposalID: right}))
}

func (p *player) say(ctx context.Context, s signals.Any) error {
	_, err := p.bus.System().Publish(ctx, s)
	return err
}
