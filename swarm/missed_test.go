package swarm_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Agents that call their model only for new proposals say nothing about the votes that
// they hear after a call that failed. The solve has still to hear them on the proposal:
// each time it is resumed, with a budget for one more call, it gets one more vote.
func TestASolveGoesOnWhereAgentsFailedAndWereSilentSince(t *testing.T) {
	var budget, voters atomic.Int32
	critic := func(id string) *agents.Agent {
		return reacts(id, func(_ context.Context, turn *agents.Turn) seq {
			heard := map[signals.Kind]int{}
			for _, s := range turn.New {
				heard[s.Kind()]++
			}
			switch {
			case heard[signals.KindProposal] == 0:
				return agents.Emit()
			case heard[signals.KindProposal] > 1 || heard[signals.KindVote] != int(voters.Load())-1:
				t.Errorf("%s heard %v with the vote of voter %d to come", id, heard, voters.Load())
			}
			if budget.Add(-1) < 0 {
				return agents.Fail(agents.ErrBudget)
			}
			return agents.Emit(vote("a", yes, 1))
		})
	}
	j := new(journal.Memory)
	var r *solves.Result
	for n := 2; n <= 6; n++ { // the planner has voted
		budget.Store(1)
		voters.Store(int32(n))
		s := newSwarm(t, swarm.Options{Agents: team(critic), Journal: j, Seed: 1})
		past, err := s.Results()
		if err != nil {
			t.Fatal(err)
		}
		if len(past) == 0 {
			r, err = s.Solve(t.Context(), signals.Task{Task: "1"})
		} else {
			r, err = s.Resume(t.Context(), past[0].Log, nil)
		}
		want := runlog.StopBudget
		if n == 6 {
			want = runlog.StopConsensus
		}
		if err != nil || r.Stop != want || r.Decision.Voters != n || (r.Observed == "") != (want == runlog.StopBudget) {
			t.Fatalf("%v with %d voters, observed %q, %v; want %v with %d", r.Stop, r.Decision.Voters, r.Observed, err, want, n)
		}
		if err := s.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := replayed(t, j); err != nil {
		t.Error(err)
	}
}

// An outage differs from a deadlock by the votes that it cost: if those who can take
// turns are enough for a quorum and have two positions, it is a deadlock.
func TestAnOutageThatMayHaveDecidedIsNoDeadlock(t *testing.T) {
	t.Parallel()
	abstains := func(id string) *agents.Agent { return voter(id, map[string]signals.Stance{"a": pass}) }
	for name, c := range map[string]struct {
		team   []*agents.Agent
		quorum int
		want   runlog.StopReason
	}{
		"alone, one failed":            {[]*agents.Agent{planner(), abstains("v"), failing(agents.ErrBudget)("c")}, 2, runlog.StopBudget},
		"alone, one failed, by itself": {[]*agents.Agent{planner(), abstains("v"), abstains("w"), failing(agents.ErrBudget)("c")}, 0, runlog.StopBudget},
		"alone":                        {[]*agents.Agent{planner(), abstains("v"), quiet("c")}, 2, runlog.StopDeadlock},
		"five of ten failed":           {mixed(4, 5), 0, runlog.StopBudget},
		"four of ten failed":           {mixed(5, 4), 0, runlog.StopDeadlock}, // with their votes it is five of six
	} {
		r := solve(t, newSwarm(t, swarm.Options{Agents: c.team, Quorum: c.quorum}))
		if r.Stop != c.want || (r.Observed == "") != (c.want == runlog.StopBudget) {
			t.Errorf("%s: %v %q, observed %q; want %v", name, r.Stop, r.Detail, r.Observed, c.want)
		}
	}
}

// mixed returns a planner with agents that are silent and agents that fail.
func mixed(silent, fail int) []*agents.Agent {
	all := []*agents.Agent{planner()}
	for i := range silent {
		all = append(all, quiet(fmt.Sprint("silent", i)))
	}
	for i := range fail {
		all = append(all, failing(agents.ErrBudget)(fmt.Sprint("fails", i)))
	}
	return all
}
