package swarm_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// camps is a team of which one half is for x and the other for y, with equal weight but for one of them.
func camps(n int) (team []*agents.Agent) {
	for i := range n {
		side, weight := []string{"x", "y"}[i%2], 0.8
		if i == n-1 {
			weight = 0.81
		}
		id := fmt.Sprintf("a%02d", i)
		team = append(team, &agents.Agent{ID: id, Reactor: agents.Func(func(_ context.Context, t *agents.Turn) seq {
			own := func(s agents.Standing) bool { return s.Proposal.Payload.Content == "do "+side }
			switch {
			case t.Ask == agents.AskVerdict:
				for _, s := range t.Proposals {
					if own(s) {
						return agents.Emit(agents.Agree(s.ID(), weight, "it is ours"))
					}
				}
				return agents.Emit(agents.Pass("nothing to judge"))
			case t.Ask != 0:
				return agents.Emit(agents.Propose(fmt.Sprint(id, "-", t.Round), "do "+side, weight, ""))
			case t.Round == 1 && i < 2:
				return agents.Emit(agents.Propose(side, "do "+side, weight, side+" is quick"), agents.Agree(side, weight, side+" is known"))
			}
			for _, s := range t.Proposals {
				if own(s) && s.VoteOf(id) == nil {
					return agents.Emit(agents.Agree(s.ID(), weight, fmt.Sprint("reason ", i)))
				}
			}
			return agents.Emit(agents.Pass("nothing new"))
		})})
	}
	return team
}

func TestAnEvenSplitIsNoConsensus(t *testing.T) {
	for n := 2; n <= 20; n += 2 {
		for _, by := range []settle.Policy{settle.ByDebate, settle.ByMajority, settle.ByEscalation} {
			for _, m := range mode.All() {
				if m != mode.Deliberate && n > 2 {
					continue // not all are asked, and chance says of which side those are
				}
				t.Run(fmt.Sprint(n, by, m), func(t *testing.T) {
					t.Parallel()
					ledger := new(reliability.Ledger)
					s := newSwarm(t, swarm.Options{Agents: camps(n), Conflicts: by, Mode: m, Ledger: ledger, Seed: 1})
					for range 20 {
						r := solve(t, s)
						if r.Stop == runlog.StopEscalated {
							said := signals.With(agents.Agree(r.Decision.Leaders[0], 1, "it is mine"), signals.Header{Source: "ceo", Confidence: 1})
							if r, err := s.Resume(t.Context(), r.Log, said); err != nil || !r.Stop.Chose() {
								t.Fatalf("answered: %v: %s, %v", r.Stop, r.Detail, err)
							}
							continue // with a person's vote it is even no more
						}
						d := r.Decision
						single := m == mode.Single
						if r.Stop == runlog.StopConsensus || !single && math.Abs(d.Confidence-0.5) > 0.05 && n > 2 {
							t.Fatalf("%v: %s; confidence %v", r.Stop, r.Detail, d.Confidence)
						}
					}
					several, _ := ledger.Models()
					first, known := several.Reliability("a00", 2)
					for i := range n {
						rate, _ := several.Reliability(fmt.Sprintf("a%02d", i), 2)
						if m == mode.Deliberate && known && math.Abs(rate.Sensitivity-first.Sensitivity) > 0.01 {
							t.Errorf("a%02d has a rate of %v, a00 one of %v", i, rate.Sensitivity, first.Sensitivity)
						}
					}
				})
			}
		}
	}
}
