package cassette_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

// asks lets an agent ask these questions in a turn, and returns what it came to.
func asks(t *testing.T, m models.Model, agent string, round int, questions ...string) (all []string) {
	t.Helper()
	a := &agents.Agent{ID: agent, Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
		for _, q := range questions {
			shown := ""
			r := &models.Request{Messages: []models.Message{models.User(q)}, Most: 10, Show: func(p models.Piece) { shown += p.Text }}
			answer, err := m.Ask(ctx, r)
			if err != nil {
				after, passes := agents.IsRetryable(err)
				all = append(all, fmt.Sprint(err, after, passes))
				continue
			}
			all = append(all, fmt.Sprintf("%+v shown %q", *answer, shown))
		}
		return agents.Emit()
	})}
	if _, err := a.Take(t.Context(), &agents.Turn{Thread: "t", Round: round}); err != nil {
		t.Fatal(err)
	}
	return all
}

// model answers with a count, so that no two answers are the same, and fails where it
// is asked to.
func model() (*models.Scripted, *int) {
	n := 0
	return &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		n++
		if q := r.Messages[0].Text; strings.HasPrefix(q, "fail") {
			return nil, &models.Error{Model: models.ID{Provider: "scripted", Name: "scripted"}, Problem: models.ErrRateLimited, Status: 429, After: 5, Detail: q}
		}
		return &models.Answer{Text: fmt.Sprint("answer ", n), Finish: models.FinishStop, Usage: models.Usage{Input: n}, Cost: 7}, nil
	}}, &n
}

func TestRecordedCallsReplayWithoutTheModel(t *testing.T) {
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	real, asked := model()
	play := func(m models.Model) (all []string) {
		all = append(all, asks(t, m, "a", 1, "x", "x", "fail please", "y")...)
		all = append(all, asks(t, m, "b", 1, "x")...)
		return append(all, asks(t, m, "a", 2, "x")...)
	}
	recorded := play(cassette.Model(real, recorder))
	if *asked != 6 {
		t.Fatalf("the model was asked %d times", *asked)
	}
	results, err := journal.ReadResults(store)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(recorded, play(cassette.Replay(real.ID(), results))); diff != "" {
		t.Errorf("the replay differs: %s", diff)
	}
	again, err := journal.NewRecorder(store) // as after a crash
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(recorded, play(cassette.Model(real, again))); diff != "" || *asked != 6 {
		t.Errorf("going on: the model was asked %d times: %s", *asked, diff)
	}
}

func TestUnrecordedCallIsAMiss(t *testing.T) {
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	real, _ := model()
	asks(t, cassette.Model(real, recorder), "a", 1, "x")
	for name, got := range map[string][]string{
		"another question": asks(t, cassette.Replay(real.ID(), recorder.Results()), "a", 1, "z"),
		"another agent":    asks(t, cassette.Replay(real.ID(), recorder.Results()), "b", 1, "x"),
		"another round":    asks(t, cassette.Replay(real.ID(), recorder.Results()), "a", 2, "x"),
		"another model":    asks(t, cassette.Replay(models.ID{Provider: "p", Name: "n"}, recorder.Results()), "a", 1, "x"),
		"once too often":   asks(t, cassette.Replay(real.ID(), recorder.Results()), "a", 1, "x", "x")[1:],
	} {
		if len(got) != 1 || !strings.Contains(got[0], "is not recorded") {
			t.Errorf("%s: %v", name, got)
		}
	}
	used := cassette.Replay(real.ID(), recorder.Results())
	asks(t, used, "a", 1, "x")
	if got := asks(t, used, "a", 1, "x"); !strings.Contains(got[0], "serves one solve") {
		t.Errorf("in a second solve: %v", got)
	}
	var miss *journal.MissError
	r := &models.Request{Messages: []models.Message{models.User("x")}}
	if _, err := cassette.Replay(real.ID(), recorder.Results()).Ask(t.Context(), r); !errors.As(err, &miss) {
		t.Errorf("outside of a turn: %v", err)
	}
}

func TestARecordedFailureIsTheFailure(t *testing.T) {
	want := &models.Error{
		Model: models.ID{Provider: "scripted", Name: "scripted"}, Problem: models.ErrRateLimited, Status: 429, After: 5, Detail: "d", Unbilled: true, Final: true,
	}
	recorder, err := journal.NewRecorder(&journal.Memory{})
	if err != nil {
		t.Fatal(err)
	}
	m := cassette.Model(&models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) { return nil, want }}, recorder)
	r := &models.Request{Messages: []models.Message{models.User("x")}}
	_, _ = m.Ask(t.Context(), r)
	_, err = cassette.Replay(m.ID(), recorder.Results()).Ask(t.Context(), r)
	var got *models.Error
	if !errors.As(err, &got) || *got != *want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestCallEndedByItsContextIsNotRecorded(t *testing.T) {
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	m := cassette.Model(&models.Scripted{Answer: func(ctx context.Context, _ *models.Request) (*models.Answer, error) {
		cancel()
		return nil, context.Cause(ctx)
	}}, recorder)
	r := &models.Request{Messages: []models.Message{models.User("x")}}
	if _, err := m.Ask(ctx, r); !errors.Is(err, context.Canceled) || recorder.Results().Len() != 0 {
		t.Errorf("%v, %d records", err, recorder.Results().Len())
	}
	if _, err := m.Ask(ctx, r); !errors.Is(err, context.Canceled) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

// TestAShowThatPanicsLeavesNoCallHeld asks again at the same place: nothing is recorded,
// and nobody waits.
func TestAShowThatPanicsLeavesNoCallHeld(t *testing.T) {
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	m := models.Script("first", "second")
	ask := func(show func(models.Piece)) (a *models.Answer, panicked any, err error) {
		defer func() { panicked = recover() }()
		a, err = cassette.Model(m, recorder).Ask(t.Context(), &models.Request{Messages: []models.Message{models.User("x")}, Most: 10, Show: show})
		return a, nil, err
	}
	if _, panicked, _ := ask(func(models.Piece) { panic("oh") }); panicked != "oh" || store.Last() != 0 {
		t.Errorf("it panicked with %v, %d records", panicked, store.Last())
	}
	if a, _, err := ask(nil); err != nil || a.Text != "second" {
		t.Errorf("got %+v, %v", a, err)
	}
}

// embedder makes other vectors each time.
type embedder struct{ calls *int }

func (embedder) ID() models.ID { return models.ID{Provider: "test", Name: "vectors"} }

func (e embedder) Embed(_ context.Context, texts ...string) (*models.Vectors, error) {
	*e.calls++
	v := &models.Vectors{Usage: models.Usage{Input: 3}, Cost: 5}
	for i := range texts {
		v.All = append(v.All, []float32{float32(*e.calls) / 3, float32(i) + 0.1})
	}
	return v, nil
}

func TestRecordedVectorsReplayWithoutTheEmbedder(t *testing.T) {
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	e := embedder{&calls}
	play := func(m models.Model) (all []*models.Vectors) {
		for _, texts := range [][]string{{"a", "b"}, {"a", "b"}, {"c"}} {
			v, err := models.EmbedderOf(m).Embed(t.Context(), texts...)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, v)
		}
		return all
	}
	recorded := play(cassette.Model(models.ModelOf(e), recorder))
	results, err := journal.ReadResults(store)
	if err != nil {
		t.Fatal(err)
	}
	replayed := play(cassette.Replay(e.ID(), results))
	if diff := cmp.Diff(recorded, replayed); diff != "" || calls != 3 {
		t.Errorf("%d calls, the replay differs: %s", calls, diff)
	}
	if all := spent(t, store); all.InputTokens != 9 || math.Round(all.Dollars*1e9) != 15 {
		t.Errorf("spent %+v", all)
	}
}

func ExampleReplay() {
	store := &journal.Memory{}
	recorder, _ := journal.NewRecorder(store)
	request := &models.Request{Messages: []models.Message{models.User("Well?")}, Most: 10}
	real := models.Script("only once")
	first, _ := cassette.Model(real, recorder).Ask(context.Background(), request)
	again, err := cassette.Replay(real.ID(), recorder.Results()).Ask(context.Background(), request)
	fmt.Println(first.Text, "/", again.Text, err)
	// Output: only once / only once <nil>
}

func TestAnswersKeepsNoFailure(t *testing.T) {
	store := &journal.Memory{}
	real, asked := model()
	for range 2 {
		recorder, err := journal.NewRecorder(store)
		if err != nil {
			t.Fatal(err)
		}
		asks(t, cassette.Answers(real, recorder), "a", 1, "x", "fail please")
	}
	if *asked != 3 || store.Last() != 1 {
		t.Errorf("asked %d times, %d records", *asked, store.Last())
	}
}

// calling lets an agent call a tool with these arguments in its first turn of a thread.
func calling(ctx context.Context, set *tools.Set, clock func() time.Time, args ...string) (all []tools.Outcome, err error) {
	a := &agents.Agent{ID: "a", Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
		calls, err := set.Begin(ctx)
		if err != nil {
			return agents.Fail(err)
		}
		for _, text := range args {
			made, err := calls.Make(ctx, models.Call{ID: "c", Name: "look", Args: json.RawMessage(text)})
			if err != nil {
				return agents.Fail(err)
			}
			all = append(all, made...)
		}
		return agents.Emit()
	})}
	_, err = a.Take(ctx, &agents.Turn{Thread: "t", Round: 1, Clock: clock})
	return all, err
}

type word struct {
	Word string `json:"word"`
}

// looking is a set with a tool that returns another text each time.
func looking(by journal.Caller, made *int, call func()) *tools.Set {
	set := tools.Of(tools.Func("look", "", tools.Hints{}, func(_ context.Context, in word) (string, error) {
		*made++
		call()
		if in.Word == "nowhere" {
			return "", errors.New("there is nothing")
		}
		return fmt.Sprint(in.Word, " ", *made), nil
	}))
	set.Record = cassette.Tools(by)
	return set
}

// A tool is called once for each call of a turn; its errors are results, and a replay says
// that a call took as long as when it was made.
func TestToolIsCalledOnceForEachCall(t *testing.T) {
	store, made, now := &journal.Memory{}, 0, time.Unix(0, 0)
	words := []string{`{"word":"x"}`, `{"word":"x"}`, `{"word":"nowhere"}`}
	play := func(takes time.Duration) []tools.Outcome {
		recorder, err := journal.NewRecorder(store)
		if err != nil {
			t.Fatal(err)
		}
		set := looking(recorder, &made, func() { now = now.Add(takes) })
		all, err := calling(t.Context(), set, func() time.Time { return now }, words...)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	first := play(time.Second)
	var texts []string
	for _, o := range first {
		texts = append(texts, fmt.Sprint(o.Text, " ", o.IsError, " ", o.Took))
	}
	if diff := cmp.Diff([]string{"x 1 false 1s", "x 2 false 1s", "there is nothing true 1s"}, texts); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(first, play(time.Hour)); diff != "" || made != 3 {
		t.Errorf("gone on with: %d calls: %s", made, diff)
	}
	results, err := journal.ReadResults(store)
	if err != nil {
		t.Fatal(err)
	}
	replayed, err := calling(t.Context(), &tools.Set{May: []tools.Rule{{Tools: "look"}}, Record: cassette.Tools(results)}, nil, words...)
	if diff := cmp.Diff(first, replayed); diff != "" || err != nil {
		t.Errorf("replayed without the tool: %v: %s", err, diff)
	}
	var miss *journal.MissError
	if _, err := calling(t.Context(), looking(results, &made, func() {}), nil, `{"word":"new"}`); !errors.As(err, &miss) {
		t.Errorf("of a call that is not on record: %v", err)
	}
}

func TestToolThatEndedWithItsContextIsNotRecorded(t *testing.T) {
	store, made := &journal.Memory{}, 0
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	if _, err := calling(ctx, looking(recorder, &made, cancel), nil, `{"word":"nowhere"}`); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for record, err := range store.Read(0) {
		if err != nil || strings.Contains(string(record.Body), "there is nothing") {
			t.Errorf("recorded: %s, %v", record.Body, err)
		}
	}
}

// TestACallThatBeganAndHasNoResultIsAskedAfterARestart interrupts a call, and starts again
// with the same journal: the tool is called again only with a person's answer.
func TestACallThatBeganAndHasNoResultIsAskedAfterARestart(t *testing.T) {
	store, made := &journal.Memory{}, 0
	var said []asking.Answered
	run := func(ctx context.Context, during func()) ([]tools.Outcome, error) {
		recorder, err := journal.NewRecorder(store)
		if err != nil {
			t.Fatal(err)
		}
		return calling(asking.With(ctx, said), looking(recorder, &made, during), nil, `{"word":"x"}`, `{"word":"nowhere"}`)
	}
	ctx, kill := context.WithCancel(t.Context())
	_, _ = run(ctx, func() {
		if made == 2 {
			kill()
		}
	})
	_, err := run(t.Context(), func() {})
	calls := asking.Asked(err)
	if len(calls) != 1 || made != 2 {
		t.Fatalf("got %v after %d calls", err, made)
	}
	said = []asking.Answered{{Call: calls[0], Answer: asking.Answer{ID: calls[0].ID, Verdict: asking.Once, By: "ann"}}}
	if all, err := run(t.Context(), func() {}); err != nil || made != 3 || all[0].Text != "x 1" || all[1].Text != "there is nothing" {
		t.Errorf("%+v, %v after %d calls", all, err, made)
	}
	if got, err := cassette.Answered(store); err != nil || !cmp.Equal(got, said, cmp.Comparer(func(a, b asking.Call) bool { return a == b })) {
		t.Errorf("the record of the call has the answers %+v, %v", got, err)
	}
}

// spent is the sum of what the answers took.
func spent(t *testing.T, j journal.Reader) (all agents.Cost) {
	t.Helper()
	by, err := cassette.Spent(j)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range by {
		all = all.Plus(s)
	}
	return all
}

func TestSpentIsTheCostOfRecordedAnswers(t *testing.T) {
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	real, _ := model()
	asks(t, cassette.Model(real, recorder), "a", 1, "x", "fail please", "y")
	if all := spent(t, store); all.Calls != 2 || all.InputTokens+all.OutputTokens != 1+3 || math.Round(all.Dollars*1e9) != 14 || all.Time != 0 {
		t.Errorf("%+v", all)
	}
	if err := cassette.Book(store, "a booking is no answer"); err != nil {
		t.Fatal(err)
	}
	asks(t, cassette.Answers(real, recorder), "b", 2, "z")
	if all := spent(t, store); all.Calls != 3 || all.InputTokens+all.OutputTokens != 4+4 || all.Time == 0 {
		t.Errorf("%+v", all)
	}
	by, err := cassette.Spent(store)
	if err != nil {
		t.Fatal(err)
	}
	calls := map[string]int{}
	for key, s := range by {
		calls[key.Agent] += s.Calls
	}
	if calls["a"] != 2 || calls["b"] != 1 {
		t.Errorf("calls by agent: %v", calls)
	}
}

func TestBookedKeepsTheOrderOfChanges(t *testing.T) {
	type change struct{ Used, Open int }
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	real, _ := model()
	want := []change{{Open: 100}, {Used: 40, Open: -100}, {}}
	for i, c := range want {
		if err := cassette.Book(store, c); err != nil {
			t.Fatal(err)
		}
		asks(t, cassette.Model(real, recorder), "a", i, "x")
	}
	var got []change
	for c, err := range cassette.Booked[change](store) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAFallbackIsReplayed has a model that is out in one turn and answers in the next.
func TestAFallbackIsReplayed(t *testing.T) {
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	first := &models.Scripted{Name: "large"}
	first.Answer = func(context.Context, *models.Request) (*models.Answer, error) {
		if n++; n == 1 {
			return nil, &models.Error{Model: first.ID(), Problem: models.ErrNotFound, Status: 404, Detail: "gone"}
		}
		return models.Text("large"), nil
	}
	second := models.Script("small")
	second.Name = "large" // of another server
	ask := func(m models.Model) (said []string) {
		for round := 1; round < 3; round++ {
			a := agents.Agent{ID: "a", Reactor: agents.On(func(ctx context.Context, _ *signals.Signal[signals.Task]) iter.Seq2[signals.Any, error] {
				got, err := models.Ask(ctx, m, &models.Request{Messages: []models.Message{models.User("?")}, Most: 9})
				said = append(said, fmt.Sprintf("%+v %+v %v", got.Text, got.Instead, err))
				return agents.Emit()
			})}
			if _, err := a.Take(t.Context(), &agents.Turn{Thread: "t", Round: round, New: []signals.Any{signals.New(signals.Header{}, signals.Task{Task: "?"})}}); err != nil {
				t.Fatal(err)
			}
		}
		return said
	}
	recorded := ask(models.Fallback(cassette.Model(first, recorder), cassette.Model(second, recorder)))
	results, err := journal.ReadResults(store)
	if err != nil {
		t.Fatal(err)
	}
	again := ask(models.Fallback(cassette.Replay(first.ID(), results), cassette.Replay(second.ID(), results)))
	if diff := cmp.Diff(recorded, again); diff != "" || !strings.Contains(recorded[0], "gone") || !strings.HasPrefix(recorded[1], "large <nil>") {
		t.Errorf("%s %v", diff, recorded)
	}
}
