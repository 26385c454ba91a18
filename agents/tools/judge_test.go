package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/tools"
)

func is(member, what string) tools.Condition { return tools.Condition{Member: member, Is: what} }

func TestARuleGoesByTheArguments(t *testing.T) {
	docs := tools.Rule{Tools: "s/do", Policy: tools.Allow, When: []tools.Condition{is("path", "docs/**")}}
	secret := tools.Rule{Tools: "s/do", Policy: tools.Deny, When: []tools.Condition{is("path", "docs/secret/**")}}
	cheap := tools.Rule{Tools: "s/*", Policy: tools.Allow, When: []tools.Condition{is("amount", "<= 100")}, Else: tools.Deny}
	site := tools.Rule{Tools: "s/do", Policy: tools.Allow, When: []tools.Condition{is("url", "https://a.example/**"), is("to.name", "ann*")}}
	dry := tools.Rule{Tools: "s/do", Policy: tools.Allow, When: []tools.Condition{is("dry", "true")}, Else: tools.Ask}
	for _, c := range []struct {
		rules []tools.Rule
		args  string
		want  tools.Policy
	}{
		{[]tools.Rule{docs}, `{"path":"docs/a/b.md"}`, tools.Allow},
		{[]tools.Rule{docs}, `{"path":"src/a.go"}`, tools.Ask},
		{[]tools.Rule{docs}, `{"path":"docs/../src/a.go"}`, tools.Ask},
		{[]tools.Rule{docs}, `{"path":"docs/%2e%2e/a.go"}`, tools.Ask},
		{[]tools.Rule{docs}, `{"path":"docs/\\..\\a"}`, tools.Ask},
		{[]tools.Rule{docs}, `{"path":"/docs/a"}`, tools.Ask},
		{[]tools.Rule{docs}, `{"path":"xdocs/a"}`, tools.Ask},
		{[]tools.Rule{docs}, `{"path":["docs/a"]}`, tools.Ask},
		{[]tools.Rule{docs}, `{"path":"docs/a","Path":"/etc/passwd"}`, tools.Ask},
		{[]tools.Rule{docs}, `{}`, tools.Ask},
		{[]tools.Rule{docs}, `["docs/a"]`, tools.Ask},
		{[]tools.Rule{docs, secret}, `{"path":"docs/secret/x"}`, tools.Deny},
		{[]tools.Rule{secret, docs}, `{"path":"docs/secret/x"}`, tools.Deny},
		{[]tools.Rule{secret, docs}, `{"path":"docs/secret/../secret/x"}`, tools.Ask},
		{[]tools.Rule{secret, docs}, `{"path":"docs/x"}`, tools.Allow},
		{[]tools.Rule{cheap}, `{"amount":100}`, tools.Allow},
		{[]tools.Rule{cheap}, `{"amount":100.000000000000000000001}`, tools.Deny},
		{[]tools.Rule{cheap}, `{"amount":90071992547409931}`, tools.Deny},
		{[]tools.Rule{cheap}, `{"amount":1e400}`, tools.Deny},
		{[]tools.Rule{cheap}, `{"amount":"7"}`, tools.Deny},
		{[]tools.Rule{cheap}, `{}`, tools.Deny},
		{[]tools.Rule{site}, `{"url":"https://a.example/x?y=1","to":{"name":"anna"}}`, tools.Allow},
		{[]tools.Rule{site}, `{"url":"https://a.example.evil/x","to":{"name":"anna"}}`, tools.Ask},
		{[]tools.Rule{site}, `{"url":"https://a.example/../x","to":{"name":"anna"}}`, tools.Ask},
		{[]tools.Rule{site}, `{"url":"https://a.example/x","to":"anna"}`, tools.Ask},
		{[]tools.Rule{dry}, `{"dry":true}`, tools.Allow},
		{[]tools.Rule{dry}, `{"dry":false}`, tools.Ask},
		{[]tools.Rule{{Tools: "s/other"}}, `{}`, tools.Deny},
		{[]tools.Rule{docs, {Tools: "s/do", Policy: tools.Deny}}, `{"path":"docs/a"}`, tools.Deny},
	} {
		spec := tools.Spec{Server: "s", Name: "do", Hints: tools.Hints{ReadsOnly: true}}
		if got := tools.Judge(t.Context(), c.rules, "ann", spec, json.RawMessage(c.args)); got.Policy != c.want {
			t.Errorf("%s by %v: %+v, want %s", c.args, c.rules, got, c.want)
		}
	}
}

func TestACheckSeesTheCallAndIsAskedIfItSaysNothing(t *testing.T) {
	for name, c := range map[string]struct {
		policy, says tools.Policy
		err          error
		want         tools.Policy
	}{
		"allows":          {0, tools.Allow, nil, tools.Allow},
		"denies":          {0, tools.Deny, nil, tools.Deny},
		"nothing":         {0, 0, nil, tools.Ask},
		"fails":           {0, tools.Allow, errors.New("no"), tools.Ask},
		"never lowers":    {tools.Ask, tools.Allow, nil, tools.Ask},
		"raises":          {tools.Allow, tools.Deny, nil, tools.Deny},
		"is not asked":    {tools.Deny, tools.Allow, nil, tools.Deny},
		"knows no policy": {0, 9, nil, tools.Ask},
	} {
		seen := ""
		rule := tools.Rule{Tools: "s/do", Policy: c.policy, Check: func(_ context.Context, call json.RawMessage) (tools.Policy, error) {
			seen = string(call)
			return c.says, c.err
		}}
		got := tools.Judge(t.Context(), []tools.Rule{rule}, "ann", tools.Spec{Server: "s", Name: "do"}, json.RawMessage(`{"n":90071992547409931}`))
		if got.Policy != c.want || c.policy != tools.Deny && seen != `{"agent":"ann","args":{"n":90071992547409931},"tool":"s/do"}` {
			t.Errorf("%s: got %+v after %s", name, got, seen)
		}
	}
}

func TestConditionsThatMeanNothingAreRefused(t *testing.T) {
	for _, r := range []tools.Rule{
		{Tools: "a", Else: tools.Deny},
		{Tools: "a", When: []tools.Condition{is("", "x")}},
		{Tools: "a", When: []tools.Condition{is("x", "")}},
		{Tools: "a", When: []tools.Condition{is("x", "<= many")}},
		{Tools: "a", When: []tools.Condition{is("x", "=< 7")}},
		{Tools: "a", Else: 9, When: []tools.Condition{is("x", "y")}},
	} {
		s := tools.Set{May: []tools.Rule{r}}
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), "rule.") {
			t.Errorf("%+v: %v", r, err)
		}
	}
}

// A person's changes are judged as the agent's call would be.
func TestChangedArgumentsAreJudgedAnew(t *testing.T) {
	s, by := &sender{schema: toSomebody}, newRecords()
	set := s.set(by, tools.Ask)
	set.May = append(set.May, tools.Rule{Tools: "mail/send", Policy: tools.Deny, When: []tools.Condition{is("to", "ceo")}})
	_, err := makes(t.Context(), set, call("mail__send", `{"to":"all"}`))
	by.answer(asked(t, err)[0], asking.Answer{Verdict: asking.Edit, Args: `{"to":"ceo"}`})
	if o := made(t, set, call("mail__send", `{"to":"all"}`))[0]; o.How != tools.Denied || s.got != nil {
		t.Errorf("got %+v, sent %q", o, s.got)
	}
	if o := made(t, set, call("mail__send", `{"to":"ceo"}`))[0]; o.How != tools.Denied || !strings.Contains(o.Text, "mail/send: deny if to is ceo") || s.got != nil {
		t.Errorf("got %+v, sent %q", o, s.got)
	}
}
