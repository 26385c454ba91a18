package swarm_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// The calls of a turn may have been paid for. So the journal has the beginning of its round,
// and all that it acts on, before the turn acts.
func TestTurnActsOnJournaledSignalsOnly(t *testing.T) {
	j := new(journal.Memory)
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	rounds, mu := 0, new(sync.Mutex)
	checks := func(turn *agents.Turn) error {
		mu.Lock()
		defer mu.Unlock()
		rounds = max(rounds, turn.Round)
		held := map[uint64]bool{}
		began := false
		for record, err := range j.Read(0) {
			if err != nil {
				return err
			}
			s, err := record.Signal(codec)
			if err != nil {
				return err
			}
			held[s.Head().Seq] = true
			began = began || s.Kind() == runlog.KindBegan && int(s.Head().Round) == turn.Round
		}
		for _, given := range slices.Concat(turn.New, turn.Heard, turn.Said) {
			if !held[given.Head().Seq] {
				t.Errorf("round %d: the journal does not have %s, which %s heard", turn.Round, given.Kind(), turn.Agent)
			}
		}
		if !began {
			t.Errorf("the journal does not have that round %d began", turn.Round)
		}
		return nil
	}
	team := []*agents.Agent{proposer("p", "a", "do a"), proposer("q", "b", "do b"), voter("v", map[string]signals.Stance{"a": yes, "b": no}), voter("w", map[string]signals.Stance{"a": yes, "b": no})}
	for _, a := range team {
		inner := a.Reactor
		a.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
			if err := checks(turn); err != nil {
				return agents.Fail(err)
			}
			return inner.React(ctx, turn)
		})
	}
	s := newSwarm(t, swarm.Options{Agents: team, Journal: j})
	for range 3 {
		if _, err := s.Solve(t.Context(), signals.Task{Task: "1"}); err != nil {
			t.Fatal(err)
		}
	}
	if rounds < 2 {
		t.Errorf("%d rounds", rounds)
	}
}

// A journal that takes nothing more ends a solve before another turn begins.
func TestNoTurnBeginsThatTheJournalDoesNotHave(t *testing.T) {
	j, turns := new(journal.Memory), 0
	a := &agents.Agent{ID: "a", Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
		turns++
		if err := j.Close(); err != nil {
			return agents.Fail(err)
		}
		return agents.Emit(propose("a", "do a"))
	})}
	b := voter("b", map[string]signals.Stance{"a": yes})
	inner := b.Reactor
	b.Listens = []signals.Kind{signals.KindProposal}
	b.Reactor = agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		turns++
		return inner.React(ctx, turn)
	})
	s := startOn(t, swarm.Options{Agents: []*agents.Agent{a, b}, Journal: j})
	r, err := s.Solve(t.Context(), signals.Task{Task: "1"})
	if turns != 1 || r.Stop != runlog.StopError || !errors.Is(err, journal.ErrClosed) {
		t.Errorf("%d turns, %v, %v", turns, r.Stop, err)
	}
}
