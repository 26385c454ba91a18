package a2a_test

import (
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/hosttest"
)

// asking serves a team that asks about two calls in one turn, and returns the ids of the questions
// by the tool.
func asking(t *testing.T) (ops *hosttest.Server, s *server, task string, ids map[string]string) {
	t.Helper()
	ops = hosttest.Start(t, t.TempDir(), hosttest.Call{Tool: "note", Args: `{"text":"hello"}`}, hosttest.Call{Tool: "wipe", Args: `{"path":"/prod"}`})
	agent, err := a2a.New(t.Context(), a2a.Options{Backend: ops.Backend})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(agent.Handler())
	t.Cleanup(web.Close)
	s = &server{t, web.URL, hosttest.Team, ops.Backend}
	got := s.call("message/send", says("", text("Do it.")))
	if got.Error != nil || got.Result.Status.State != "input-required" {
		t.Fatalf("got %+v %+v", got.Error, got.Result)
	}
	ids = map[string]string{}
	for _, p := range got.Result.Status.Message.Parts {
		if p.Kind == "data" {
			ids[p.Data["tool"].(map[string]any)["tool"].(string)] = p.Data["id"].(string)
		}
	}
	if len(ids) != 2 {
		t.Fatalf("it asks about %v", ids)
	}
	return ops, s, got.Result.ID, ids
}

func verdict(id, verdict string) string {
	return `{"kind":"data","data":{"id":"` + id + `","verdict":"` + verdict + `","reason":"no"}}`
}

// later sends a message that is not waited for.
func (s *server) later(task string, parts ...string) answer {
	s.t.Helper()
	return s.call("message/send", `{"configuration":{"blocking":false},`+says(task, parts...)[1:])
}

// The client decides on the first question, which a person answers in the meantime.
func TestAnAnswerGoesToTheQuestionThatWasRead(t *testing.T) {
	t.Parallel()
	ops, s, task, ids := asking(t)
	if _, err := ops.Backend.Inbox.Decide(t.Context(), ids["note"], api.Verdict{Verdict: "deny", Reason: "no", By: "ada"}); err != nil {
		t.Fatal(err)
	}
	got := s.later(task, verdict(ids["note"], "once"))
	if got.Error != nil || got.Result.Metadata["answered"].(map[string]any)["by"] != "ada" {
		t.Errorf("the answer that came second: got %+v %+v, want the first one", got.Error, got.Result)
	}
	for name, parts := range map[string]string{"text": text("once"), "data": `{"kind":"data","data":{"verdict":"once"}}`} {
		if got := s.later(task, parts); got.Error == nil || got.Error.Code != -32602 || !strings.Contains(fmt.Sprint(got.Error.Data["error"]), "names its question") || !strings.Contains(fmt.Sprint(got.Error.Data["error"]), ids["wipe"]) {
			t.Errorf("%s without an id: got %+v %+v", name, got.Error, got.Result)
		}
	}
	if ran := ops.Ran(); len(ran) != 0 {
		t.Fatalf("%q ran", ran)
	}
	if got := s.call("message/send", says(task, verdict(ids["wipe"], "deny"))); got.Error != nil || got.Result.Status.State != "completed" {
		t.Errorf("got %+v %+v", got.Error, got.Result)
	}
	if ran := ops.Ran(); len(ran) != 0 {
		t.Errorf("%q ran", ran)
	}
}

// A client whose response was lost sends its message again.
func TestAMessageThatIsRepeatedIsTheSameAnswer(t *testing.T) {
	t.Parallel()
	ops, s, task, ids := asking(t)
	for range 3 {
		if got := s.later(task, verdict(ids["note"], "once")); got.Error != nil || got.Result.Status.State != "input-required" {
			t.Fatalf("got %+v %+v", got.Error, got.Result)
		}
	}
	open := ops.Open(t, task)
	if len(open) != 1 || open[0].Tool.Tool != "wipe" {
		t.Fatalf("%+v is open, want wipe", open)
	}
	s.call("message/send", says(task, text(ids["wipe"]+" deny: not in production")))
	for range 2 { // after the end, too
		if got := s.later(task, verdict(ids["note"], "once")); got.Error != nil || got.Result.Status.State != "completed" {
			t.Errorf("got %+v %+v", got.Error, got.Result)
		}
	}
	if diff := cmp.Diff([]string{`note {"text":"hello"}`}, ops.Ran()); diff != "" {
		t.Errorf("ran:\n%s", diff)
	}
	items, err := ops.Backend.Inbox.Items(t.Context(), true)
	if i := slices.IndexFunc(items, func(i api.Item) bool { return i.ID == ids["wipe"] }); err != nil || items[i].Answer.Text != "not in production" {
		t.Errorf("got %+v (%v)", items, err)
	}
}

func TestAnIDIsThatOfTheTaskAlone(t *testing.T) {
	t.Parallel()
	ops, s, task, ids := asking(t)
	second, items := ops.Asks(t)
	if got := s.later(task, verdict(items[0].ID, "once")); got.Error == nil || got.Error.Code != -32602 {
		t.Errorf("a question of %s: got %+v", second, got.Result)
	}
	if got := s.later(task, verdict(ids["note"][:len(ids["note"])-1], "once")); got.Error == nil {
		t.Errorf("a part of an id: got %+v", got.Result)
	}
	if got := s.later(task, verdict(ids["note"], "once"), verdict(ids["wipe"], "once")); got.Error == nil {
		t.Errorf("two ids in one message: got %+v", got.Result)
	}
	if ran := ops.Ran(); len(ran) != 0 {
		t.Errorf("%q ran", ran)
	}
}

// What turned out to be right is told of a task that is over, and the team learns it.
func TestAnOutcomeIsToldOfATaskThatIsOver(t *testing.T) {
	t.Parallel()
	ops, s, task, ids := asking(t)
	s.call("message/send", says(task, verdict(ids["note"], "deny")))
	s.call("message/send", says(task, verdict(ids["wipe"], "deny")))
	d, err := ops.Backend.Solves.Get(t.Context(), task, 0)
	if err != nil || d.State != api.Decided {
		t.Fatalf("%v, %v", d.State, err)
	}
	tells := func(right string) answer {
		return s.call("message/send", says(task, `{"kind":"data","data":{"right":"`+right+`"}}`))
	}
	if got := tells("nothing"); got.Error == nil || got.Error.Code != -32602 {
		t.Errorf("a proposal that nobody made: got %+v", got.Result)
	}
	for _, right := range []string{d.Decision.Choice, ""} {
		if got := tells(right); got.Error != nil || got.Result.Status.State != "completed" {
			t.Errorf("%q: got %+v %+v", right, got.Error, got.Result)
		}
		told, err := ops.Backend.Solves.Get(t.Context(), task, 0)
		if last := told.Said[len(told.Said)-1]; err != nil || last.Form != "outcome" {
			t.Errorf("%q: the log ends with %+v, %v", right, last, err)
		}
	}
}
