package teams_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// caller is a model that calls a tool in each turn of an agent that has one, says that it
// did, and otherwise passes.
type caller struct{ models.Model }

func (caller) Ask(_ context.Context, r *models.Request) (*models.Answer, error) {
	switch results := r.Messages[len(r.Messages)-1].Results; {
	case len(r.Tools) > 0 && len(results) == 0:
		return &models.Answer{Calls: []models.Call{{ID: "1", Name: r.Tools[0].Name, Args: []byte(`{}`)}}, Finish: models.FinishCalls}, nil
	case len(results) > 0:
		return &models.Answer{Text: `{"say":[{"type":"discovery","finding":"it is done","evidence":"","relevance":0.5,"confidence":0.5}]}`, Finish: models.FinishStop}, nil
	}
	return &models.Answer{Text: `{"say":[{"type":"pass","reason":"nothing"}]}`, Finish: models.FinishStop}, nil
}

// TestTurnsThatAskAreTakenAgainWhenAllIsAnswered has two agents that have to ask and one that
// does not.
func TestTurnsThatAskAreTakenAgainWhenAllIsAnswered(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse("team.yaml", []byte(`
models: {main: {provider: openai, name: x}}
agents:
  - {id: first, tools: {act: ask}}
  - {id: second}
  - {id: third, tools: {act: ask}}
mode: deliberate
rounds: 2
`))
	if err != nil {
		t.Fatal(err)
	}
	store, made := &journal.Memory{}, atomic.Int32{}
	act := tools.Func("act", "Acts.", tools.Hints{}, func(context.Context, struct{}) (string, error) { made.Add(1); return "done", nil })
	play := func() *solves.Result {
		recorder, err := journal.NewRecorder(store)
		if err != nil {
			t.Fatal(err)
		}
		o, err := team.Build(teams.Parts{
			Models: func(string) models.Model { return cassette.Answers(caller{models.Script()}, recorder) },
			Tools:  []tools.Source{act}, Record: cassette.Tools(recorder),
		})
		if err != nil {
			t.Fatal(err)
		}
		o.Journal = store
		s, err := swarm.New(o)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		past, err := s.Results()
		if err != nil {
			t.Fatal(err)
		}
		if len(past) == 0 {
			r, _ := s.Solve(t.Context(), signals.Task{Task: "act"})
			return r
		}
		r, _ := s.Resume(t.Context(), past[0].Log, nil)
		return r
	}
	r := play()
	for _, who := range []string{"first", "third"} {
		if want := who + " wants to call act with {}: its policy is to ask"; !strings.Contains(r.Detail, want) {
			t.Errorf("%s: it does not say that %s", r.Detail, want)
		}
	}
	if r.Stop != runlog.StopAsked || made.Load() != 0 {
		t.Fatalf("%v: %v; %d calls", r.Stop, r.Err, made.Load())
	}
	open, err := cassette.Asked(store, r.Thread)
	if err != nil || len(open) != 2 {
		t.Fatalf("open are %v, %v", open, err)
	}
	if r = play(); r.Stop != runlog.StopAsked || made.Load() != 0 {
		t.Errorf("without an answer: %v, %d calls", r.Stop, made.Load())
	}
	for _, q := range open {
		if err := cassette.Answer(store, q, tools.Answer{Verdict: tools.AllowSolve}); err != nil {
			t.Fatal(err)
		}
	}
	if r = play(); r.Stop == runlog.StopAsked || made.Load() < 2 {
		t.Errorf("%v: %s; %d calls", r.Stop, r.Detail, made.Load())
	}
	var acted []string
	for _, s := range r.Log {
		if d, ok := signals.As[signals.Discovery](s); ok && d.Round == 1 {
			acted = append(acted, d.Source)
		}
	}
	if want := []string{"first", "third"}; !cmp.Equal(acted, want) {
		t.Errorf("in round 1 acted %q, want %q", acted, want)
	}
}

// counted is a model that counts the requests to it.
type counted struct {
	models.Model
	n *atomic.Int32
}

func (c counted) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) {
	c.n.Add(1)
	return c.Model.Ask(ctx, r)
}

// TestARunThatAskedAPersonIsRepeatedFromItsCassette goes on after the answers in the same
// swarm, and then plays the cassette without model and tool.
func TestARunThatAskedAPersonIsRepeatedFromItsCassette(t *testing.T) {
	t.Parallel()
	team, err := teams.Parse("team.yaml", []byte(`
models: {main: {provider: openai, name: x}}
agents:
  - {id: first, tools: {act: ask}}
  - {id: second, tools: {act: ask}}
rounds: 3
seed: 5
`))
	if err != nil {
		t.Fatal(err)
	}
	tape, asked, made := &journal.Memory{}, atomic.Int32{}, atomic.Int32{}
	act := tools.Func("act", "Acts.", tools.Hints{}, func(context.Context, struct{}) (string, error) { made.Add(1); return "done", nil })
	open := func(m models.Model, by journal.Caller) *swarm.Swarm {
		o, err := team.Build(teams.Parts{Models: func(string) models.Model { return m }, Tools: []tools.Source{act}, Record: cassette.Tools(by)})
		if err != nil {
			t.Fatal(err)
		}
		o.Journal, o.Clock = &journal.Memory{}, swarm.StepClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), time.Millisecond)
		s, err := swarm.New(o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	// play answers one question at each stop, and returns the details of all stops.
	play := func(s *swarm.Swarm, answer func(tools.Question)) (stops []string, r *solves.Result) {
		r, err := s.Solve(t.Context(), signals.Task{Task: "act"})
		for r.Stop == runlog.StopAsked && err == nil {
			stops = append(stops, r.Detail)
			questions, problem := cassette.Asked(tape, r.Thread)
			if problem != nil {
				t.Fatal(problem)
			}
			if answer != nil {
				answer(questions[0])
			}
			r, err = s.Resume(t.Context(), r.Log, nil)
		}
		if err != nil {
			t.Fatal(err)
		}
		return stops, r
	}
	recorder, err := journal.NewRecorder(tape)
	if err != nil {
		t.Fatal(err)
	}
	m := counted{caller{models.Script()}, &asked}
	stops, r := play(open(cassette.Model(m, recorder), recorder), func(q tools.Question) {
		if err := cassette.Answer(tape, q, tools.Answer{Verdict: tools.AllowOnce}); err != nil {
			t.Fatal(err)
		}
	})
	answers, err := cassette.Spent(tape)
	if err != nil || int(asked.Load()) != len(answers) || len(stops) < 2 || r.Stop == runlog.StopError {
		t.Fatalf("%d requests for %d answers after the stops %q, then %s %s, %v", asked.Load(), len(answers), stops, r.Stop, r.Detail, err)
	}
	results, err := journal.ReadResults(tape)
	if err != nil {
		t.Fatal(err)
	}
	requests, calls := asked.Load(), made.Load()
	again, r2 := play(open(cassette.Replay(m.ID(), results), results), nil)
	if diff := cmp.Diff(stops, again); diff != "" || asked.Load() != requests || made.Load() != calls {
		t.Errorf("%d requests and %d calls more, stops: %s", asked.Load()-requests, made.Load()-calls, diff)
	}
	if diff := cmp.Diff(lines(r.Log), lines(r2.Log)); diff != "" {
		t.Errorf("the log of the replay differs: %s", diff)
	}
}

func lines(log []signals.Any) (all []string) {
	for _, s := range log {
		all = append(all, fmt.Sprintf("%v %v", s.Head(), s.Body()))
	}
	return all
}
