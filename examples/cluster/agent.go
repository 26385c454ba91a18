package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

var (
	team = []string{"architect", "builder", "critic", "operator"}
	task = signals.Task{Task: "How should clients retry when a server is gone?"}
)

const replicas = 3

// decide is the process of one agent.
func decide(ctx context.Context, url, id string, out io.Writer) error {
	codec, err := machines.Codec()
	if err != nil {
		return err
	}
	past := machines.NewRecords()
	alarms := make(chan natsbus.Difference, 1)
	log, err := natsbus.Join(ctx, natsbus.Options{
		URL: url, Process: id, Codec: codec, Reserved: machines.Reserved(), Digest: past.Digest(), Storage: natsbus.Storage{Replicas: replicas}, LeaseTTL: 2 * time.Second,
		Tell: natsbus.Tell{Alarm: func(d natsbus.Difference) {
			select {
			case alarms <- d:
			default:
			}
		}},
	})
	if err != nil {
		return err
	}
	defer log.Close()
	ctx, cancel := context.WithCancel(ctx)
	served := make(chan error, 1)
	go func() { served <- machines.Serve(ctx, log, id, func() *agents.Agent { return newAgent(id) }) }()
	defer func() { cancel(); <-served }()
	stop, err := show(log.Bus(), id, out)
	if err != nil {
		return err
	}
	defer stop()
	all := make([]*agents.Agent, len(team))
	for i, id := range team {
		all[i] = &agents.Agent{ID: id}
	}
	if err := machines.Remote(log, all); err != nil {
		return err
	}
	o := swarm.Options{Agents: all, Seed: 7, Quorum: len(team), Limits: swarm.Limits{Deadline: time.Minute}}
	for e, err := range machines.Drive(ctx, log, past, o, task) {
		if err != nil {
			return err
		}
		if stopped, ok := e.(solves.Stopped); ok {
			fmt.Fprintf(out, "%s sees the decision: %s (%s, support %.2f)\n", id, stopped.Result.Answer, stopped.Result.Stop, stopped.Result.Decision.Support)
		}
	}
	return linger(ctx, log, alarms)
}

// linger keeps the process for others that still read and compare.
func linger(ctx context.Context, log *natsbus.Log, alarms <-chan natsbus.Difference) error {
	select {
	case d := <-alarms:
		return fmt.Errorf("%v", d)
	case <-time.After(3 * time.Second):
	case <-ctx.Done():
	}
	return log.Err()
}

// show prints what the agent of this process said, as it is in the log.
func show(b *bus.Bus, id string, out io.Writer) (stop func(), err error) {
	h, err := bus.Handle(b, bus.HandleOptions{Agent: bus.System}, func(_ context.Context, s signals.Signal[signals.Proposal]) error {
		if s.Source == id {
			fmt.Fprintf(out, "%s proposes: %s\n", id, s.Payload.Content)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	v, err := bus.Handle(b, bus.HandleOptions{Agent: bus.System}, func(_ context.Context, s signals.Signal[signals.Vote]) error {
		if s.Source == id {
			fmt.Fprintf(out, "%s votes: %s\n", id, s.Payload.Reasoning)
		}
		return nil
	})
	return func() { h.Close(); v.Close() }, err
}

// newAgent returns an agent that thinks for a while, so that a server has the time to be
// killed. The architect proposes, and all vote.
func newAgent(id string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		select {
		case <-time.After(300 * time.Millisecond):
		case <-ctx.Done():
			return agents.Fail(context.Cause(ctx))
		}
		if len(t.Proposals) == 0 {
			if id != "architect" {
				return agents.Emit()
			}
			return agents.Emit(
				signals.New(signals.Header{Confidence: 0.9}, signals.Proposal{ProposalID: "backoff", Content: "exponential backoff with jitter"}),
				signals.New(signals.Header{Confidence: 0.9}, signals.Vote{ProposalID: "backoff", Stance: signals.Agree, Reasoning: "it spreads the load"}),
			)
		}
		if t.Proposals[0].VoteOf(id) != nil {
			return agents.Emit()
		}
		return agents.Emit(signals.New(signals.Header{Confidence: 0.8}, signals.Vote{ProposalID: t.Proposals[0].ID(), Stance: signals.Agree, Reasoning: "as the " + id + " I agree"}))
	})}
}
