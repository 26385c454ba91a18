package host_test

import (
	"math"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// A solve of a team with a budget has how much of it is used, in the list and in the feed.
func TestASolveHasHowMuchOfItsBudgetIsUsed(t *testing.T) {
	t.Parallel()
	for budget, used := range map[teams.Budget]func(api.Cost) float64{
		"0.50usd":     func(c api.Cost) float64 { return c.Dollars / 0.5 },
		"20000tokens": func(c api.Cost) float64 { return float64(c.InputTokens+c.OutputTokens) / 20_000 },
		"":            nil,
	} {
		h, hub := open(t, t.TempDir(), func(t *host.Team) { t.File = &teams.Team{Budget: budget} })
		client, err := hub.Join(t.Name(), "test", time.Now())
		if err != nil {
			t.Fatal(err)
		}
		defer hub.Leave(client)
		hub.Subscribe(client, api.Subscription{}, nil)
		one := solve(t, h.Backend(), payments)
		if one.Cost.Dollars == 0 {
			t.Fatal("it cost nothing")
		}
		if used == nil {
			if one.Budget != nil {
				t.Errorf("without a budget: %+v", one.Budget)
			}
			continue
		}
		if one.Budget == nil || one.Budget.Limit != string(budget) || math.Abs(one.Budget.Used-used(one.Cost)) > 1e-9 {
			t.Errorf("%s: got %+v of a cost of %+v", budget, one.Budget, one.Cost)
		}
		for f := range hub.Frames(t.Context(), client) {
			if f.Solve != nil && (f.Solve.Budget == nil || math.Abs(f.Solve.Budget.Used-used(f.Solve.Cost)) > 1e-9) {
				t.Errorf("%s: signal %d has %+v", budget, f.Seq, f.Solve.Budget)
			}
			if f.Solve != nil && f.Solve.Ended != nil {
				break
			}
		}
	}
}
