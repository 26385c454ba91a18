package host_test

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
)

// While the journal drops its oldest solves and is folded again, the others are there.
func TestSolvesAreThereWhileOthersAreDropped(t *testing.T) {
	t.Parallel()
	agrees := func(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		return agents.Emit(agents.Propose("a", "do it", 1, ""), agents.Agree("a", 1, "because"))
	}
	options := swarm.Options{Agents: []*agents.Agent{{ID: "one", Reactor: agents.Func(agrees)}}, Quorum: 1, Seed: 1}
	team := host.Team{Retain: journal.Retention{Bytes: 64 << 10}, Sync: journal.SyncNever, Team: desk.Team{Name: "team", Open: desk.Made(options)}}
	hub := feed.New(feed.Options{})
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Teams: []host.Team{team}, Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		hub.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	b, ctx, over := h.Backend(), timetest.Context(t), make(chan struct{})
	list := func() []api.Solve {
		all, err := b.Solves.List(ctx, api.SolvesQuery{Limit: 1000})
		if err != nil {
			t.Error(err)
		}
		return all
	}
	solve := func(n int) {
		one, err := b.Solves.Start(ctx, api.NewSolve{Team: "team", Task: fmt.Sprint("which ", n)})
		for err == nil && one.State == api.Running {
			if err = b.Solves.Changed(ctx, one); err == nil {
				var d api.SolveDetail
				d, err = b.Solves.Get(ctx, one.ID, 0)
				one = d.Solve
			}
		}
		if err != nil {
			t.Errorf("solve %d: %v", n, err)
		}
	}
	solve(0)
	var looks sync.WaitGroup
	looks.Go(func() {
		for {
			select {
			case <-over:
				return
			default:
				if len(list()) == 0 {
					t.Error("no solve is there")
					return
				}
			}
		}
	})
	for n := range 200 {
		solve(n + 1)
	}
	close(over)
	looks.Wait()
	if n := len(list()); n > 100 {
		t.Errorf("%d solves are left, so that none were dropped", n)
	}
}
