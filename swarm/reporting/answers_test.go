package reporting_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/reporting"
)

// A worker has at most four open escalations, and asks six times.
func TestWhatResumeAnsweredIsDecided(t *testing.T) {
	for _, kind := range []reports.EscalationKind{reports.Help, reports.Approval} {
		b := newBus(t)
		p, err := b.Agent("conductor", bus.Permissions{CanEmit: []signals.Kind{signals.KindEscalation}})
		if err != nil {
			t.Fatal(err)
		}
		desk := newDesk(t, b, reporting.Escalate(p))
		listen(t, desk)
		ann, asked := worker(t, desk, "ann"), []signals.ID(nil)
		react := func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			n := fmt.Sprint(len(asked))
			r := asking("ann", n, "question "+n)
			r.TaskID, r.Escalations[0].Kind = turn.Thread, kind
			filed, err := ann.File(ctx, r)
			if err != nil {
				return agents.Fail(err)
			}
			for _, a := range filed.Accepted {
				if a.Part == reports.PartEscalation {
					asked = append(asked, a.ID)
				}
			}
			return agents.Say(signals.New(signals.Header{Confidence: 0.9}, signals.Discovery{Finding: "f" + n}))
		}
		s, err := swarm.New(swarm.Options{Agents: []*agents.Agent{{ID: "ann", Reactor: agents.Func(react)}}, Bus: b, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = s.Shutdown(context.Background()) }()
		result, err := s.Solve(t.Context(), signals.Task{Task: "x"})
		for i := range 5 {
			if err != nil {
				t.Fatal(err)
			}
			if kind == reports.Approval && i == 4 {
				break // an approval stays open
			}
			if result.Stop != swarm.StopEscalated || len(asked) != i+1 {
				t.Fatalf("%s: after %d answers: %s, %d asked", kind, i, result.Stop, len(asked))
			}
			answer := signals.New(signals.Header{Source: "lead", Confidence: 1}, signals.Memory{Content: fmt.Sprint("yes", i), Category: "answer", Importance: 1})
			result, err = s.Resume(t.Context(), result.Log, answer)
			r, _ := desk.Request(asked[i])
			switch {
			case kind == reports.Approval && r.Decision != nil:
				t.Errorf("an approval is decided: %+v", r.Decision)
			case kind == reports.Help && (r.Decision == nil || r.Decision.By != "lead" || r.Decision.Verdict != reports.Answered):
				t.Errorf("after answer %d: %+v", i, r.Decision)
			}
		}
	}
}
