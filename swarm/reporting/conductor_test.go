package reporting_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/reporting"
)

// An agent reports in its turn that it is blocked, the conductor of its team answers in
// one of its own, and the agent hears it. A ruling that does not fit decides nothing.
func TestAConductorInTheTeamAnswersEscalations(t *testing.T) {
	for option, want := range map[string]string{"use Monday": "found: by answered, use Monday", "use Sunday": ""} {
		b := newBus(t)
		desk := newDesk(t, b, nil)
		listen(t, desk)
		heard := ""
		ann := &agents.Agent{ID: "ann", Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			for _, s := range turn.New {
				if d, ok := signals.As[reports.Decided](s); ok {
					heard = fmt.Sprintf("found: by %s, %s", d.Payload.Verdict, d.Payload.Option)
				}
			}
			if turn.Round > 1 {
				return agents.Emit()
			}
			r := asking("ann", "x", "no traces of Sunday")
			r.Escalations[0].Options = reports.List{"use Monday", "wait"}
			return agents.Emit(turnOf(t, turn.Thread, "t1", r))
		})}
		lead := reporting.Lead("lead", reporting.Scripted(func(string, reports.Escalation) *reports.Ruling {
			return &reports.Ruling{Verdict: reports.Answered, Option: option}
		}))
		s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{ann, lead}, Bus: b, Seed: 1, Limits: swarm.Limits{Rounds: 4}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Shutdown(context.Background()) }()
		if _, err := s.Solve(t.Context(), signals.Task{Task: "x"}); err != nil {
			t.Fatal(err)
		}
		if open := len(desk.Open()); heard != want || (open == 0) != (want != "") {
			t.Errorf("%s: ann heard %q, want %q; %d open", option, heard, want, open)
		}
		if account := b.Stats().Account; account.DeadFailed != 0 {
			t.Errorf("%s: a handler failed: %+v", option, account)
		}
		listen(t, desk) // what is decided is not decided again
	}
}
