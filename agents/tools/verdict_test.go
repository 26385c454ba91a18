package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

// A sender is a tool that notes what it gets.
type sender struct {
	schema string
	got    []string
	fails  error
}

func (s *sender) set(by *records, p tools.Policy) *tools.Set {
	t := does("mail", "send", tools.Hints{}, nil)
	t.Input = json.RawMessage(s.schema)
	t.Call = func(_ context.Context, args json.RawMessage) (tools.Result, error) {
		s.got = append(s.got, string(args))
		return tools.Result{Text: "sent"}, s.fails
	}
	return &tools.Set{From: []tools.Source{t}, May: []tools.Rule{{Tools: "mail/send", Policy: p}}, Record: by}
}

const toSomebody = `{"type":"object","properties":{"to":{"type":"string"}},"required":["to"]}`

func TestArgumentsWithTwoMeaningsAreRefusedBeforeAnybodyIsAsked(t *testing.T) {
	for _, policy := range []tools.Policy{tools.Ask, tools.Allow} {
		s := &sender{schema: toSomebody}
		for args, want := range map[string]string{
			`{"to":"all","to":"ann"}`: `the member "to" is there twice`,
			"{\"to\":\"a\xff\"}":      "not UTF-8",
			`{"to":"\ud800"}`:         "surrogate",
		} {
			if all := made(t, s.set(newRecords(), policy), call("mail__send", args)); all[0].How != tools.Invalid || !strings.Contains(all[0].Text, want) || len(s.got) != 0 {
				t.Errorf("%s: got %+v, sent %q", args, all, s.got)
			}
		}
	}
}

func TestACallIsMadeWithTheArgumentsOfAPersonAndTheAgentIsTold(t *testing.T) {
	for args, want := range map[string]tools.How{`{ "to":"ann" }`: tools.Done, `{"to":7}`: tools.Invalid} {
		s, by := &sender{schema: toSomebody}, newRecords()
		_, err := makes(t.Context(), s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))
		by.answer(asked(t, err)[0], asking.Answer{Verdict: asking.Edit, Args: args})
		o := made(t, s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))[0]
		if o.How != want || want == tools.Done && (!slices.Equal(s.got, []string{args}) || !strings.Contains(o.Text, args) || !strings.HasSuffix(o.Text, "sent")) || want != tools.Done && s.got != nil {
			t.Errorf("%s: got %+v, sent %q", args, o, s.got)
		}
	}
}

// What is asked after a crash is whether the changed call may be made again.
func TestAChangedCallThatMayHaveBeenMadeIsAskedAsItWasSent(t *testing.T) {
	s, by := &sender{schema: toSomebody}, newRecords()
	_, err := makes(t.Context(), s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))
	by.answer(asked(t, err)[0], asking.Answer{Verdict: asking.Edit, Args: `{"to":"ann"}`})
	by = by.after(2) // what is offered is on record, and that the call begins
	if _, err := makes(t.Context(), s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`)); err == nil {
		by = by.after(0)
	} else if !errors.Is(err, errKilled) {
		t.Fatal(err)
	}
	for at := range by.all { // the result is lost
		if strings.Contains(string(by.all[at]), `"how"`) {
			delete(by.all, at)
		}
	}
	by = by.after(-1)
	_, err = makes(t.Context(), s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))
	q := asked(t, err)
	if q[0].Args != `{"to":"ann"}` || q[0].Attempt != 1 {
		t.Fatalf("asked %+v", q)
	}
	by.answer(q[0], asking.Answer{Verdict: asking.Once})
	made(t, s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))
	for _, got := range s.got {
		if got != `{"to":"ann"}` {
			t.Errorf("sent %q", s.got)
		}
	}
}

func TestAPersonCanSayWhatTheResultIs(t *testing.T) {
	s, by := &sender{schema: toSomebody}, newRecords()
	_, err := makes(t.Context(), s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))
	by.answer(asked(t, err)[0], asking.Answer{Verdict: asking.Respond, Reason: "I have told them."})
	o := made(t, s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))[0]
	if o.Text != "I have told them." || o.IsError || o.How != tools.Answered || s.got != nil {
		t.Errorf("got %+v, sent %q", o, s.got)
	}
}

// What an answer was about is not what is to be called any more: the rule, the tool, the arguments.
func TestWhatHasChangedSinceTheAnswerIsAskedAnewWithBoth(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*tools.Set)
		args   string
		want   []string
	}{
		"the rule":      {func(s *tools.Set) { s.May[0].Tools = "mail/*" }, `{"to":"all"}`, []string{`"mail/send: ask"`, `"mail/*: ask"`}},
		"the arguments": {func(*tools.Set) {}, `{"to":"ann"}`, []string{`{"to":"all"}`, `{"to":"ann"}`}},
		"the tool": {func(s *tools.Set) {
			t := s.From[0].(tools.Tool)
			t.Description = "Sends to everybody."
			s.From[0] = t
		}, `{"to":"all"}`, []string{"was: \"Does send.\"", "now: \"Sends to everybody.\""}},
	} {
		s, by := &sender{schema: toSomebody}, newRecords()
		_, err := makes(t.Context(), s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))
		first := asked(t, err)[0]
		by.answer(first, asking.Answer{Verdict: asking.Once, By: "ada"})
		now := s.set(by, tools.Ask)
		c.change(now)
		_, err = makes(t.Context(), now, call("mail__send", c.args))
		q := asked(t, err)[0]
		if q.ID == first.ID || q.Was != first.ID || s.got != nil || !strings.Contains(q.Why, `ada answered "once", and since then something has changed`) {
			t.Errorf("%s: asked %+v, sent %q", name, q, s.got)
		}
		for _, want := range c.want {
			if !strings.Contains(q.Detail(), want) {
				t.Errorf("%s: the detail is %s, want %s", name, q.Detail(), want)
			}
		}
		by.answer(q, asking.Answer{Verdict: asking.Once})
		if made(t, now, call("mail__send", c.args)); !slices.Equal(s.got, []string{c.args}) {
			t.Errorf("%s: sent %q", name, s.got)
		}
	}
}

// An answer whose arguments do not fit would use the question up, and the call would fail.
func TestAnAnswerWhoseArgumentsDoNotFitTheToolIsRefused(t *testing.T) {
	s, by := &sender{schema: toSomebody}, newRecords()
	_, err := makes(t.Context(), s.set(by, tools.Ask), call("mail__send", `{"to":"all"}`))
	q := asked(t, err)[0]
	for args, want := range map[string]string{`{"to":7}`: "does not fit the tool", `{}`: "does not fit the tool", `{"to":"ann"}`: ""} {
		err := q.Takes(asking.Answer{ID: q.ID, Verdict: asking.Edit, Args: args})
		if wrong := (*signals.FieldError)(nil); (err != nil) != (want != "") || err != nil && (!errors.As(err, &wrong) || wrong.Field != "args" || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", args, err, want)
		}
	}
}
