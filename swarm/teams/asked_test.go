package teams_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/asking"
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
		if want := who + " wants to call act with {}: this tool needs a person's approval"; !strings.Contains(r.Detail, want) {
			t.Errorf("%s: it does not say that %s", r.Detail, want)
		}
	}
	if r.Stop != runlog.StopAsked || made.Load() != 0 {
		t.Fatalf("%v: %v; %d calls", r.Stop, r.Err, made.Load())
	}
	asked := r.Questions
	if len(asked) != 2 || !asked[0].Open || !asked[1].Open {
		t.Fatalf("it asks %+v", asked)
	}
	if r = play(); r.Stop != runlog.StopAsked || made.Load() != 0 {
		t.Errorf("without an answer: %v, %d calls", r.Stop, made.Load())
	}
	if len(r.Questions) != 2 {
		t.Errorf("it asks again: %+v", r.Questions)
	}
	for _, q := range asked {
		if err := solves.Answer(t.Context(), store, q.Thread, asking.Answer{ID: q.ID, Verdict: asking.Solve}); err != nil {
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
	play := func(s *swarm.Swarm, answer func(asking.Call) asking.Answer) (stops []string, r *solves.Result) {
		r, err := s.Solve(t.Context(), signals.Task{Task: "act"})
		for r.Stop == runlog.StopAsked && err == nil {
			stops = append(stops, r.Detail)
			open := slices.DeleteFunc(r.Questions, func(q runlog.Question) bool { return !q.Open })
			if err := s.Answer(t.Context(), r.Thread, answer(*open[0].Call)); err != nil {
				t.Fatal(err)
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
	stops, r := play(open(cassette.Model(m, recorder), recorder), func(c asking.Call) asking.Answer {
		return asking.Answer{ID: c.ID, Verdict: asking.Once, By: "ada"}
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
	said, err := cassette.Answered(tape)
	if err != nil {
		t.Fatal(err)
	}
	again, r2 := play(open(cassette.Replay(m.ID(), results), results), func(c asking.Call) asking.Answer {
		i := slices.IndexFunc(said, func(a asking.Answered) bool { return a.Call == c })
		if i < 0 {
			t.Fatalf("the tape has no answer to %v: %+v", c, said)
		}
		return said[i].Answer
	})
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

// TestAnApprovalFromBeforeQuestionsWereSignalsCounts goes on with a journal in which two agents
// asked, and ada has answered the first, in records of the tools' recorder.
func TestAnApprovalFromBeforeQuestionsWereSignalsCounts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/asked-before.journal")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "run.journal")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := journal.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	past, err := solves.List(store)
	if err != nil || len(past) != 1 || past[0].Stop != runlog.StopAsked || len(past[0].Failed) > 0 {
		t.Fatalf("%+v, %v", past, err)
	}
	q := past[0].Questions
	if len(q) != 2 || q[0].Open || q[0].Answer.By != "ada" || q[0].Answer.Verdict != asking.Once || !q[1].Open || q[1].Asks != "third" || q[1].Call.Args != "{}" {
		t.Fatalf("its questions are %+v", q)
	}
	if err := solves.Answer(t.Context(), store, past[0].Thread, asking.Answer{ID: q[0].ID, Verdict: asking.Deny, By: "bob"}); !errors.As(err, new(*runlog.AnsweredError)) {
		t.Errorf("a second answer: %v", err)
	}
	if err := solves.Answer(t.Context(), store, past[0].Thread, asking.Answer{ID: q[1].ID, Verdict: asking.Deny, Reason: "no", By: "bob"}); err != nil {
		t.Fatal(err)
	}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	var made atomic.Int32
	act := tools.Func("act", "Acts.", tools.Hints{}, func(context.Context, struct{}) (string, error) { made.Add(1); return "done", nil })
	team, err := teams.Parse("team.yaml", []byte(`
models: {main: {provider: openai, name: x}}
agents:
  - {id: first, tools: {act: ask}}
  - {id: second}
  - {id: third, tools: {act: ask}}
mode: deliberate
rounds: 1
seed: 5
`))
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
	past, err = s.Results()
	if err != nil {
		t.Fatal(err)
	}
	r, err := s.Resume(t.Context(), past[0].Log, nil)
	if err != nil || r.Stop == runlog.StopAsked || made.Load() != 1 {
		t.Errorf("%v: %s after %d calls, %v", r.Stop, r.Detail, made.Load(), err)
	}
}
