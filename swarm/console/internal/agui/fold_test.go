package agui_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/agui"
)

// value draws a JSON value, whose objects have few names, some of which a pointer escapes.
func value(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		switch k := rapid.IntRange(0, 5).Draw(t, "k"); {
		case k < 3 && depth > 0:
			return any(rapid.MapOfN(rapid.SampledFrom([]string{"a", "b/c", "d~e", "", "~1"}), value(depth-1), 0, 4).Draw(t, "object"))
		case k == 3 && depth > 0:
			return any(rapid.SliceOfN(value(depth-1), 0, 3).Draw(t, "array"))
		case k == 4:
			return nil
		}
		return float64(rapid.IntRange(0, 2).Draw(t, "number"))
	})
}

// patch applies operations, as RFC 6902 says, to a copy.
func patch(t interface{ Fatalf(string, ...any) }, doc any, ops []agui.Op) any {
	for _, op := range ops {
		if op.Path == "" {
			doc = op.Value
			continue
		}
		tokens := strings.Split(op.Path[1:], "/")
		at, ok := doc.(map[string]any)
		for i, token := range tokens {
			token = strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
			_, known := at[token]
			if !ok || known == (op.Op == "add") && i == len(tokens)-1 {
				t.Fatalf("%s %s: not there, or there already", op.Op, op.Path)
			}
			switch {
			case i < len(tokens)-1:
				inner, isObject := at[token].(map[string]any)
				copied := maps.Clone(inner)
				at[token], at, ok = copied, copied, isObject
			case op.Op == "remove":
				delete(at, token)
			default:
				at[token] = op.Value
			}
		}
	}
	return doc
}

func TestPatchMakesTheNewStateOfTheOldOne(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := value(3).Draw(t, "a"), value(3).Draw(t, "b")
		ops := agui.Diff(a, b)
		was := a
		if m, ok := a.(map[string]any); ok {
			was = maps.Clone(m)
		}
		if got := patch(t, was, ops); !reflect.DeepEqual(got, b) {
			t.Fatalf("got %v, want %v, by %v", got, b, ops)
		}
		if len(agui.Diff(b, b)) > 0 {
			t.Fatalf("%v differs from itself", b)
		}
	})
}

// frame returns the frame of a signal.
func frame(seq uint64, form string, change func(*api.Frame)) api.Frame {
	at := time.UnixMilli(int64(seq)).UTC()
	f := api.Frame{
		Type: api.FrameSignal, Seq: seq, Solve: &api.Solve{ID: "r.t", State: api.Running, Seq: seq},
		Said: &api.Said{Seq: seq, ID: "sig_" + form, Time: at, By: "ada", Form: form, Text: form},
	}
	if change != nil {
		change(&f)
	}
	return f
}

func types(all []agui.Event) (got []string) {
	for _, e := range all {
		got = append(got, e.Type)
	}
	return got
}

func TestEachFormHasItsEvents(t *testing.T) {
	t.Parallel()
	message := []string{"TEXT_MESSAGE_START", "TEXT_MESSAGE_CONTENT", "TEXT_MESSAGE_END"}
	for form, want := range map[string][]string{
		"proposal": message, "vote": message, "doubt": message, "challenge": message, "finding": message, "escalation": message, "note": message,
		"memory": message, "conflict": message, "settled": message, "answer": message, "consensus": message,
		"tool":  {"TOOL_CALL_START", "TOOL_CALL_END", "TOOL_CALL_RESULT"},
		"round": {"STEP_STARTED"},
		"task":  {"CUSTOM"}, "terms": {"CUSTOM"}, "decided": {"CUSTOM"}, "outcome": {"CUSTOM"}, "same": {"CUSTOM"}, "late": {"CUSTOM"}, "other": {"CUSTOM"},
	} {
		got := types(agui.NewFold("t", "r", 0).Frame(frame(1, form, nil)))
		if !slices.Equal(got, append(want, "STATE_SNAPSHOT")) {
			t.Errorf("%s: got %v", form, got)
		}
	}
}

func TestAFrameIsShownOnceWhetherItCameByDetailOrByFeed(t *testing.T) {
	t.Parallel()
	f := agui.NewFold("t", "r", 0)
	f.Detail(api.SolveDetail{Solve: api.Solve{Seq: 5, State: api.Running}, Said: []api.Said{{Seq: 5, Form: "note", ID: "a"}}})
	if got := f.Frame(frame(5, "note", nil)); got != nil {
		t.Errorf("shown again: %v", got)
	}
	if got := types(f.Frame(frame(6, "note", nil))); len(got) != 4 || f.Seq() != 6 {
		t.Errorf("got %v at %d", got, f.Seq())
	}
}

func TestAStepEndsBeforeTheNextOneAndBeforeTheRun(t *testing.T) {
	t.Parallel()
	f := agui.NewFold("t", "r", 0)
	f.Frame(frame(1, "round", func(f *api.Frame) { f.Said.Text = "Round 1" }))
	second := f.Frame(frame(2, "round", func(f *api.Frame) { f.Said.Text = "Round 2" }))
	if second[0].Type != "STEP_FINISHED" || second[0].StepName != "Round 1" || second[1].StepName != "Round 2" {
		t.Errorf("got %+v", second)
	}
	end := f.End(api.SolveDetail{Solve: api.Solve{Seq: 3, State: api.Undecided}}, nil)
	if got := types(end[len(end)-2:]); !slices.Equal(got, []string{"STEP_FINISHED", "RUN_FINISHED"}) || end[len(end)-1].Outcome.Type != "success" {
		t.Errorf("got %v", got)
	}
}

func TestSupportAndProposalsAreChangedByPatches(t *testing.T) {
	t.Parallel()
	f := agui.NewFold("t", "r", 0)
	first := f.Frame(frame(1, "proposal", func(f *api.Frame) { f.Said.Proposal = "a/b" }))
	all := f.Frame(frame(2, "vote", func(f *api.Frame) { f.Step = &api.Step{Support: map[string]float64{"a/b": 0.7}} }))
	delta := all[len(all)-1]
	state := first[len(first)-1].Snapshot
	got := patch(t, state, delta.Delta.([]agui.Op)).(map[string]any)["proposals"].(map[string]any)["a/b"].(map[string]any)["support"]
	if got != 0.7 || !slices.ContainsFunc(delta.Delta.([]agui.Op), func(o agui.Op) bool { return o.Path == "/proposals/a~1b/support" && o.Op == "replace" }) {
		t.Errorf("got %v by %+v", got, delta)
	}
}

func TestWhatAgentsAreSayingIsAPatchOfTheState(t *testing.T) {
	t.Parallel()
	f := agui.NewFold("t", "r", 0)
	says := func(all map[string]string) []agui.Event {
		return f.Frame(api.Frame{Type: api.FrameSaying, Solve: &api.Solve{Saying: all}})
	}
	if got := says(map[string]string{"ada": "blue"}); got != nil {
		t.Errorf("before the state: %+v", got)
	}
	first := f.Frame(frame(1, "note", nil))
	said := says(map[string]string{"ada": "blue"})
	f.Frame(frame(2, "note", nil)) // of another agent's turn
	state := patch(t, first[len(first)-1].Snapshot, said[0].Delta.([]agui.Op))
	if got := state.(map[string]any)["solve"].(map[string]any)["saying"].(map[string]any)["ada"]; got != "blue" {
		t.Errorf("ada says %v", got)
	}
	if gone := says(nil); len(gone) != 1 || gone[0].Delta.([]agui.Op)[0].Op != "remove" {
		t.Errorf("when nobody speaks: %+v", gone)
	}
}

func TestACallToAllowIsAnInterruptOfItsToolCall(t *testing.T) {
	t.Parallel()
	d := api.SolveDetail{Solve: api.Solve{ID: "r.t", State: api.Waiting}}
	all := agui.NewFold("t", "r", 0).End(d, []api.Item{{ID: "i", Asks: "ada", Reason: "policy", Tool: &api.Call{Tool: "rm", Args: json.RawMessage(`{"f":1}`)}}})
	if got := types(all); !slices.Equal(got, []string{"STATE_SNAPSHOT", "TOOL_CALL_START", "TOOL_CALL_ARGS", "TOOL_CALL_END", "RUN_FINISHED"}) {
		t.Fatalf("got %v", got)
	}
	asked := all[len(all)-1].Outcome.Interrupts[0]
	if asked.ID != "i" || asked.CallID != all[1].CallID || asked.Reason != "tool_call" || all[2].Delta != `{"f":1}` {
		t.Errorf("got %+v", asked)
	}
}

func TestAFailedSolveIsAnErrorAndACancelledOneIsNot(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]string{api.Failed: "RUN_ERROR", api.Interrupted: "RUN_FINISHED"} {
		all := agui.NewFold("t", "r", 0).End(api.SolveDetail{Solve: api.Solve{State: state, Detail: "why"}}, nil)
		last := all[len(all)-1]
		if last.Type != want || want == "RUN_FINISHED" && last.Outcome.Type != "cancelled" {
			t.Errorf("%s: got %+v", state, last)
		}
	}
}
