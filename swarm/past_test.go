package swarm_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// states is how each solve of a journal ended, as text.
func states(t *testing.T, j journal.Reader) (all []string) {
	t.Helper()
	past, err := solves.List(j)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range past {
		asks := ""
		if r.Question != nil {
			asks = r.Question.Reason
		}
		all = append(all, fmt.Sprintf("%s: %v, %v %q, %q %q", r.Task.Task, r.Stop, r.Decision.Outcome, r.Decision.Choice, r.Answer, asks))
	}
	return all
}

func TestThePastSaysHowEachSolveEndedAndWhichRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		j := new(journal.Memory)
		stances := map[string]signals.Stance{"a": yes, "b": no}
		asked, answer := make(chan bool), make(chan bool)
		waits := &agents.Agent{ID: "waits", TurnTimeout: time.Hour, Reactor: agents.Each(func(_ context.Context, s signals.Any) seq {
			task, _ := signals.As[signals.Task](s)
			if task == nil {
				return agents.Emit()
			}
			switch task.Payload.Task {
			case "escalate":
				return agents.Emit(signals.New(signals.Header{}, signals.Escalation{Reason: "too dear"}))
			case "run":
				asked <- true
				<-answer
			}
			return agents.Emit()
		})}
		proposes := agents.On(func(_ context.Context, task *signals.Signal[signals.Task]) seq {
			if task.Payload.Task == "reject" {
				return agents.Emit(agents.Propose("b", "do b", 1, ""))
			}
			return agents.Emit(agents.Propose("a", "do a", 1, ""))
		})
		s := newSwarm(t, swarm.Options{
			Agents: []*agents.Agent{{ID: "p", Reactor: proposes, CanEmit: []signals.Kind{signals.KindProposal}}, waits, voter("v", stances), voter("w", stances)},
			Seed:   1, Journal: j, Limits: swarm.Limits{Deadline: 2 * time.Hour},
		})
		var results []*solves.Result
		for _, task := range []string{"decide", "reject", "escalate"} {
			r, err := s.Solve(t.Context(), signals.Task{Task: task})
			if err != nil {
				t.Fatal(err)
			}
			results = append(results, r)
		}
		go s.Solve(context.Background(), signals.Task{Task: "run"})
		<-asked
		time.Sleep(time.Second) // the journal has what there is
		want := []string{
			`decide: consensus, reached "a", "do a" ""`, `reject: rejected, rejected "", "" ""`,
			`escalate: escalated, pending "", "" "too dear"`, `run: unset, unset "", "" ""`,
		}
		if diff := cmp.Diff(want, states(t, j)); diff != "" {
			t.Error(diff)
		}
		past, err := s.Results()
		for i, r := range results {
			if err != nil || cmp.Diff(sources(r.Log), sources(past[i].Log)) != "" || r.Detail != past[i].Detail || !r.Decision.Equal(past[i].Decision) {
				t.Errorf("%v: got %s and %v, want %s and %v", err, past[i].Detail, past[i].Decision, r.Detail, r.Decision)
			}
		}
		close(answer)
		if r, err := s.Resume(t.Context(), past[2].Log, vote("a", yes, 1)); err != nil || r.Stop != runlog.StopConsensus {
			t.Fatalf("got %v, %v", r, err)
		}
		want[2] = `escalate: consensus, reached "a", "do a" ""`
		want[3] = `run: consensus, reached "a", "do a" ""`
		time.Sleep(time.Second)
		if diff := cmp.Diff(want, states(t, j)); diff != "" {
			t.Errorf("after the answer: %s", diff)
		}
	})
}
