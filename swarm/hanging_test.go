package swarm_test

import (
	"context"
	"fmt"
	"iter"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A vote waits for agents that hang only where its lead needs them: for a quarter of the deadline if
// another one can be asked, else to the deadline. An agent's own timeout is all that it waits then.
func TestAVoteWaitsForAgentsThatHangWhereItNeedsThem(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agents, hang  int
		timeout, want time.Duration
	}{
		"others make the lead":           {9, 1, 0, 0},
		"another one can be asked":       {9, 4, 0, 30 * time.Second},
		"nobody else is left":            {5, 2, 0, 120 * time.Second},
		"nobody else, but it has a time": {5, 2, 5 * time.Second, 10 * time.Second}, // asked twice
	} {
		synctest.Test(t, func(t *testing.T) {
			o := swarm.Options{Mode: mode.Vote, Seed: 1}
			for i := range c.agents {
				o.Agents = append(o.Agents, &agents.Agent{ID: fmt.Sprint("a", i), TurnTimeout: c.timeout, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
					if i < c.hang {
						<-ctx.Done()
						return agents.Emit()
					}
					return agents.Emit(signals.New(signals.Header{Confidence: 0.8}, signals.Proposal{ProposalID: turn.NewID().String(), Content: "jitter"}))
				})})
			}
			s, err := swarm.New(o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			began := time.Now()
			r, err := s.Solve(t.Context(), signals.Task{Task: "Which retry policy?"})
			if took := time.Since(began); err != nil || r.Stop != runlog.StopConsensus || r.Answer != "jitter" || took > c.want || took < c.want-time.Second {
				t.Errorf("%s: %v %q after %v, want %v: %v", name, r.Stop, r.Answer, took, c.want, err)
			}
		})
	}
}
