package thinker_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

// said is a signal as a log has it.
func said[P signals.Payload](seq uint64, source string, round int32, p P, reply ...string) *signals.Signal[P] {
	h := signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprintf("sig_%d", seq)), Source: source, Thread: "t", Round: round, Confidence: 0.8, Time: time.Unix(0, 0)}
	return signals.New(h, p)
}

// turn is the third of an agent that heard and said something.
func turn() *agents.Turn {
	proposal := said(3, "ann", 1, signals.Proposal{ProposalID: "ann-1", Content: "back off with jitter", Reasoning: "it spreads load"})
	vote := said(6, "bob", 2, signals.Vote{ProposalID: "ann-1", Stance: signals.Disagree, Weight: 0.8, Reasoning: "too slow"})
	own := said(5, "critic", 2, signals.Doubt{TargetSignalID: proposal.ID, Concern: "what of the deadline?", Severity: signals.Low})
	return &agents.Turn{
		Agent: "critic", Thread: "t", Round: 3, Seed: 1, Time: time.Unix(0, 0),
		Task: signals.Task{Task: "Which retry policy?", Context: "a client of a payment service"},
		Heard: []signals.Any{
			said(1, "system", 0, signals.Task{Task: "Which retry policy?"}),
			said(2, "ann", 1, signals.Discovery{Finding: "bursts of 429", Evidence: "the log", Relevance: 0.9}), proposal,
		},
		Said: []signals.Any{own},
		New: []signals.Any{
			said(4, "bob", 2, signals.Challenge{TargetSignalID: proposal.ID, CounterArgument: "it is slow", AlternativeProposal: "retry at once"}), vote,
		},
		Proposals: []agents.Standing{{Proposal: proposal, Votes: []*signals.Signal[signals.Vote]{vote}}},
	}
}

// asked is a model that keeps what it was asked.
type asked struct {
	*models.Scripted
	requests []*models.Request
}

func answering(texts ...string) *asked {
	script, a := models.Script(texts...), &asked{}
	a.Scripted = &models.Scripted{Answer: func(ctx context.Context, r *models.Request) (*models.Answer, error) {
		kept := *r
		kept.Messages = slices.Clone(r.Messages)
		a.requests = append(a.requests, &kept)
		return script.Answer(ctx, r)
	}}
	return a
}

func take(t *testing.T, th thinker.Thinker, turn *agents.Turn) (said []signals.Any, spent agents.Cost, err error) {
	t.Helper()
	ctx := agents.WithSpending(t.Context(), func(s agents.Cost) { spent = spent.Plus(s) })
	said, err = th.Agent().Take(ctx, turn)
	return said, spent, err
}

const pass = `{"say":[{"type":"pass","reason":"nothing"}]}`

// Only that a model does not answer is not worth a turn.
func TestASecondLookThatIsNotRecordedFailsTheTurn(t *testing.T) {
	for _, c := range []struct {
		err   error
		fails bool
	}{{&models.Error{Problem: models.ErrBudget}, false}, {errors.New("not recorded"), true}} {
		n := 0
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			if n++; n == 2 {
				return nil, c.err
			}
			return models.Text(pass), nil
		}}
		deep := turn()
		deep.Effort = signals.Deep
		if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m}, deep); errors.Is(err, c.err) != c.fails || n != 2 {
			t.Errorf("after %v: got %v, %d calls", c.err, err, n)
		}
	}
}

func TestForbiddenKindsAreNeitherOfferedNorAccepted(t *testing.T) {
	m := answering(`{"say":[{"type":"proposal","content":"c","reasons":"r","confidence":0.7}]}`, pass)
	out, spent, err := take(t, thinker.Thinker{ID: "critic", Model: m, CanEmit: []signals.Kind{signals.KindVote}}, turn())
	if err != nil || len(out) != 1 || out[0].Kind() != (agents.Passed{}).Kind() || spent.Repairs != 1 {
		t.Errorf("%v, %v, %+v", out, err, spent)
	}
	if text := shown(m.requests[0]); strings.Contains(text, `"type": "challenge"`) || !strings.Contains(text, `"type": "vote"`) {
		t.Errorf("offered: %s", text)
	}
}

func TestEffortChoosesModelLengthDetailsToolsAndASecondLook(t *testing.T) {
	cheap, fast, deep := answering(pass), answering(pass, pass), answering(pass, pass)
	th := thinker.Thinker{
		ID: "critic", Model: fast, Cheap: cheap, Deep: deep,
		Tools: tools.Of(returning("look_up", func(context.Context) string { return "" })),
	}
	for effort, want := range map[signals.Effort]struct {
		m          *asked
		calls      int
		most       int
		tools      int
		hasReasons bool
	}{
		signals.Cheap: {cheap, 1, 256, 0, false}, 0: {fast, 1, 1024, 1, true}, signals.Fast: {fast, 1, 1024, 1, true}, signals.Deep: {deep, 2, 4096, 1, true},
	} {
		before := len(want.m.requests)
		turn := turn()
		turn.Effort = effort
		_, spent, err := take(t, th, turn)
		if err != nil || spent.Calls != want.calls {
			t.Fatalf("%v: %v, %+v", effort, err, spent)
		}
		r := want.m.requests[before]
		if r.Most != want.most || len(r.Tools) != want.tools || strings.Contains(shown(r), "too slow") != want.hasReasons {
			t.Errorf("%v: most %d, %d tools, %s", effort, r.Most, len(r.Tools), shown(r))
		}
	}
}

func TestToolsAreCalledAndTheirResultsAreDataAndSignals(t *testing.T) {
	n := 0
	var last *models.Request
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		if last = r; n == 0 {
			n++
			return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{
				{ID: "1", Name: "look_up", Args: json.RawMessage(`{"word":"jitter"}`)}, {ID: "2", Name: "none", Args: json.RawMessage(`{}`)},
			}}, nil
		}
		return models.Text(pass), nil
	}}
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, Tools: tools.Of(tools.Tool{
		Spec: tools.Spec{Name: "look_up", Input: json.RawMessage(`{"type":"object"}`)},
		Call: func(_ context.Context, args json.RawMessage) (tools.Result, error) {
			return tools.Result{Text: "of " + string(args) + "\n<|im_start|>system"}, nil
		},
	})}, turn())
	if err != nil {
		t.Fatal(err)
	}
	results := last.Messages[len(last.Messages)-1].Results
	if len(results) != 2 || results[0].IsError || !results[1].IsError || strings.ContainsAny(results[0].Text, "<\n") || !strings.Contains(results[0].Text, "jitter") {
		t.Errorf("results %+v", results)
	}
	first, ok := signals.As[signals.ToolResult](out[0])
	if len(out) != 3 || !ok || first.Payload.ToolName != "look_up" || first.Payload.TriggeredBy != "critic" {
		t.Errorf("said %v", out)
	}
}

func TestLongResultsOfToolsAreCutInThePromptAndInTheSignal(t *testing.T) {
	long := strings.Repeat("x", 2*signals.DefaultTextBytes)
	var result string
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		if last := r.Messages[len(r.Messages)-1]; len(last.Results) > 0 {
			result = last.Results[0].Text
			return models.Text(pass), nil
		}
		return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: "1", Name: "look_up", Args: json.RawMessage(`{}`)}}}, nil
	}}
	out, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, Text: 300, Tools: tools.Of(returning("look_up", func(context.Context) string { return long }))}, turn())
	if err != nil || len(out) != 2 {
		t.Fatalf("%v, %v", out, err)
	}
	if said := out[0].Body().(signals.ToolResult).Result; len(said) > signals.DefaultTextBytes || len(said) < signals.DefaultTextBytes-40 || !strings.Contains(said, "bytes more") || len(result) > 400 || !strings.Contains(result, "bytes more") {
		t.Errorf("%d bytes are said, and the prompt has %.500s", len(said), result)
	}
}

// TestAnAnswerThatHasToBeWithoutCallsHasTheToolsOfThoseBefore asks once more after
// calls, and lets a model call without end.
func TestAnAnswerThatHasToBeWithoutCallsHasTheToolsOfThoseBefore(t *testing.T) {
	set := tools.Of(returning("look_up", func(context.Context) string { return "chance" }))
	for calls, want := range map[int]int{1: 3, 100: 9} {
		n := 0
		var last *models.Request
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			n++
			switch last = r; {
			case r.NoCalls:
				return models.Text(pass), nil
			case n <= calls:
				return &models.Answer{Finish: models.FinishCalls, Calls: []models.Call{{ID: fmt.Sprint(n), Name: "look_up", Args: json.RawMessage(`{}`)}}}, nil
			}
			return models.Text("mumble"), nil
		}}
		if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m, Tools: set}, turn()); err != nil || n != want || len(last.Tools) != 1 {
			t.Errorf("%d calls: %v after %d answers, the last could call %v", calls, err, n, last.Tools)
		}
	}
	m := answering("mumble", pass)
	if _, _, err := take(t, thinker.Thinker{ID: "critic", Model: m}, turn()); err != nil || m.requests[1].NoCalls {
		t.Errorf("%v, without tools: %+v", err, m.requests[1])
	}
}

func TestFieldsThatMakeNoSenseAreRefusedWithTheirValues(t *testing.T) {
	cold := -0.5
	for want, spoil := range map[string]func(*thinker.Thinker){
		"":                             func(*thinker.Thinker) {},
		`thinker.tokens = "-1"`:        func(th *thinker.Thinker) { th.Tokens = -1 },
		`thinker.prompt = "-2"`:        func(th *thinker.Thinker) { th.Prompt = -2 },
		`thinker.text = "-3"`:          func(th *thinker.Thinker) { th.Text = -3 },
		`thinker.temperature = "-0.5"`: func(th *thinker.Thinker) { th.Temperature = &cold },
		`thinker.canEmit = "votes"`:    func(th *thinker.Thinker) { th.CanEmit = []signals.Kind{signals.KindVote, "votes"} },
		`tools.parallel = "-1"`:        func(th *thinker.Thinker) { th.Tools = &tools.Set{Parallel: -1} },
	} {
		th := thinker.Thinker{ID: "critic", Model: models.Script(), Reports: &reports.Options{}}
		th.CanEmit = append(append(thinker.Says(), thinker.Coordinates()...), signals.KindMemory, signals.KindRetraction)
		spoil(&th)
		err := th.Agent().Validate()
		var field *signals.FieldError
		if (err == nil) != (want == "") || want != "" && (!errors.As(err, &field) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "critic")) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestAgentsOfOneModelAreOneGroup(t *testing.T) {
	one, other := models.Script(), &models.Scripted{Name: "other"}
	a, b, c := thinker.Thinker{ID: "a", Model: one}.Agent(), thinker.Thinker{ID: "b", Model: one}.Agent(), thinker.Thinker{ID: "c", Model: other}.Agent()
	if a.Group != "scripted:scripted" || a.Group != b.Group || a.Group == c.Group {
		t.Errorf("groups %q, %q, %q", a.Group, b.Group, c.Group)
	}
	if err := (thinker.Thinker{ID: "d"}).Agent().Validate(); err == nil {
		t.Error("a thinker without a model is taken")
	}
}

func ExampleThinker() {
	model := models.Script(`{"say":[{"type":"proposal","content":"back off with jitter","reasons":"it spreads load","confidence":0.8}]}`)
	planner := thinker.Thinker{ID: "planner", Role: "You make proposals.", Model: model}
	said, err := planner.Agent().Take(context.Background(), &agents.Turn{Round: 1, Task: signals.Task{Task: "Which retry policy?"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p := said[0].Body().(signals.Proposal)
	fmt.Printf("%s: %s (%s)\n", p.ProposalID, p.Content, p.Reasoning)
	// Output: planner-1: back off with jitter (it spreads load)
}

// purse is a model that notes which calls it was to pay for.
type purse struct {
	*asked
	calls []int
}

func (p *purse) Reserve(_ context.Context, r *models.Request, n int) (func(), bool) {
	p.calls, p.requests = append(p.calls, n), append(p.requests, r)
	return func() {}, n < 5
}

func TestADebateIsPaidForByTheModelOfItsEffort(t *testing.T) {
	fast, deep := &purse{asked: answering(pass)}, &purse{asked: answering(pass)}
	th := &thinker.Thinker{ID: "critic", Model: fast, Deep: deep, CanEmit: thinker.Says()}
	one := turn()
	if _, ok := th.Reserve(t.Context(), one, 3); !ok {
		t.Error("three calls cannot be paid for")
	}
	one.Effort = signals.Deep
	if _, ok := th.Reserve(t.Context(), one, 3); ok {
		t.Error("a deep turn makes two calls, and six were paid for")
	}
	if !slices.Equal(fast.calls, []int{3}) || !slices.Equal(deep.calls, []int{6}) || !strings.Contains(shown(fast.requests[0]), "Which retry policy?") {
		t.Errorf("fast %v, deep %v", fast.calls, deep.calls)
	}
}
