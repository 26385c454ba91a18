package swarm

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Join lets an agent take part in a solve of a thread that deliberates, from its next round on: it
// hears what was said before, may vote, and counts for the default quorum. An agent that is not among
// the options is put on the bench; a swarm that resumes the solve needs it in its options
// ([agents.Agent].Bench). The error is a
// [*signals.FieldError], or a wrapped [runlog.ErrLog] if the solve is over.
func (s *Swarm) Join(ctx context.Context, thread string, a *agents.Agent) error {
	s.answering.Lock()
	defer s.answering.Unlock()
	if err := s.seated(a); err != nil {
		return err
	}
	return s.change(ctx, thread, runlog.Member{Agent: a.ID})
}

// Leave takes an agent out of a solve: it takes no more turns, its turn that runs is dropped, and the
// default quorum is that of those who are left. Its votes count. The errors are those of [Swarm.Join].
func (s *Swarm) Leave(ctx context.Context, thread, agent string) error {
	s.answering.Lock()
	defer s.answering.Unlock()
	return s.change(ctx, thread, runlog.Member{Agent: agent, Leaves: true})
}

func (s *Swarm) change(ctx context.Context, thread string, m runlog.Member) error {
	log := slices.Collect(s.bus.History(bus.Filter{Threads: []string{thread}}))
	said, err := namesOf(s.opts.Agents).Member(log, thread, namesOf(s.benched()), m)
	if err != nil {
		return err
	}
	h := said.Head()
	h.Time, h.Trace = s.clock.Now(), hooks.TraceOf(ctx)
	_, err = runlog.Publish(ctx, s.bus, signals.With(said, h))
	return err
}

// seated puts an agent on the bench, unless it is there.
func (s *Swarm) seated(a *agents.Agent) error {
	bench := s.benched()
	if slices.Contains(bench, a) {
		return nil
	}
	if err := checkAgents(append(slices.Clone(s.opts.Agents), append(bench, a)...)); err != nil {
		return fmt.Errorf("swarm: %w", err)
	}
	if _, err := s.bus.Agent(a.ID, bus.Permissions{CanEmit: published(a)}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bench = append(s.bench, a)
	return nil
}
