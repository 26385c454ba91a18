package tools_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
)

type place struct {
	City string `json:"city" jsonschema:"where"`
	Days int    `json:"days,omitempty"`
}

type weather struct {
	Sky string `json:"sky"`
}

func forecast(_ context.Context, p place) (weather, error) {
	if p.City != "Bern" {
		return weather{}, fmt.Errorf("no city %q", p.City)
	}
	return weather{"clear"}, nil
}

func TestFuncInfersItsSchemasAndReturnsJSON(t *testing.T) {
	tool := tools.Func("forecast", "Tells the weather.", tools.Hints{ReadsOnly: true}, forecast)
	const input = `{"type":"object","required":["city"],"properties":{"city":{"type":"string","description":"where"},"days":{"type":"integer"}},"additionalProperties":false}`
	var got, want any
	if errors.Join(json.Unmarshal(tool.Input, &got), json.Unmarshal([]byte(input), &want)) != nil || !cmp.Equal(got, want) {
		t.Errorf("input %s", tool.Input)
	}
	if !strings.Contains(string(tool.Output), `"sky"`) {
		t.Errorf("output %s", tool.Output)
	}
	all := made(t, tools.Of(tool), call("forecast", `{"city":"Bern"}`), call("forecast", `{"city":"Rom"}`))
	if all[0].Text != `{"sky":"clear"}` || all[0].How != tools.Done || all[1].Text != `no city "Rom"` || all[1].How != tools.Failed {
		t.Errorf("got %+v", all)
	}
}

func TestFuncOfTypesWithoutASchemaPanics(t *testing.T) {
	for name, f := range map[string]func(){
		"arguments that are no object": func() {
			tools.Func("f", "", tools.Hints{}, func(context.Context, int) (string, error) { return "", nil })
		},
		"a result without a schema": func() {
			tools.Func("f", "", tools.Hints{}, func(context.Context, struct{}) (chan int, error) { return nil, nil })
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func TestPolicyIsThatOfTheRuleOrOfTheTool(t *testing.T) {
	reads, writes, own := tools.Spec{Server: "files", Name: "read", Hints: tools.Hints{ReadsOnly: true}}, tools.Spec{Server: "files", Name: "write"}, tools.Spec{Name: "own"}
	for _, c := range []struct {
		spec  tools.Spec
		rules []tools.Rule
		want  tools.Policy
	}{
		{reads, nil, 0},
		{own, []tools.Rule{{Tools: "files/*"}, {Tools: "/*"}}, 0},
		{reads, []tools.Rule{{Tools: "files/*"}}, tools.Allow},
		{writes, []tools.Rule{{Tools: "files/*"}}, tools.Ask},
		{own, []tools.Rule{{Tools: "own"}}, tools.Allow},
		{own, []tools.Rule{{Tools: "own", Policy: tools.Ask}}, tools.Ask},
		{writes, []tools.Rule{{Tools: "files/*", Policy: tools.Allow}, {Tools: "files/write", Policy: tools.Deny}}, tools.Deny},
		{writes, []tools.Rule{{Tools: "write", Policy: tools.Allow}}, 0},
		{writes, []tools.Rule{{Tools: "file/*", Policy: tools.Allow}}, 0},
		{tools.Spec{Server: "files2", Name: "write"}, []tools.Rule{{Tools: "files/*", Policy: tools.Allow}}, 0},
	} {
		if got := tools.PolicyOf(c.spec, c.rules); got != c.want {
			t.Errorf("%s by %v: got %v, want %v", c.spec.Full(), c.rules, got, c.want)
		}
	}
}

func TestAnAgentMayCallNothingByDefault(t *testing.T) {
	called := false
	tool := does("files", "write", tools.Hints{}, func(context.Context) (tools.Result, error) { called = true; return tools.Result{}, nil })
	for _, set := range []*tools.Set{nil, {}, {From: []tools.Source{tool}}, {From: []tools.Source{tool}, May: []tools.Rule{{Tools: "files/*", Policy: tools.Deny}}}} {
		if names := offered(t, set, 1); len(names) > 0 {
			t.Errorf("offered %v", names)
		}
		if all := made(t, set, call("files/write", `{}`)); !all[0].IsError || called {
			t.Errorf("got %+v, called %v", all[0], called)
		}
	}
}

func TestArgumentsThatDoNotConformAreNotSent(t *testing.T) {
	set := tools.Of(tools.Func("forecast", "", tools.Hints{}, func(context.Context, place) (string, error) {
		t.Error("it was called")
		return "", nil
	}))
	for _, args := range []string{`{}`, `{"city":1}`, `{"city":"Bern","country":"x"}`, `[]`, `"Bern"`, `null`, ``, `{"city":`} {
		o := made(t, set, call("forecast", args))[0]
		if o.How != tools.Invalid || !o.IsError || !strings.Contains(o.Text, "forecast") {
			t.Errorf("%s: %+v", args, o)
		}
	}
}

func TestCallsRunSideBySideUpToTheBound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		running, most := 0, 0
		slow := does("", "slow", tools.Hints{}, func(context.Context) (tools.Result, error) {
			mu.Lock()
			running++
			most = max(most, running)
			mu.Unlock()
			time.Sleep(time.Second)
			mu.Lock()
			running--
			mu.Unlock()
			return tools.Result{Text: "ok"}, nil
		})
		set := tools.Of(slow)
		set.Parallel, set.Most = 3, 6
		began := time.Now()
		all := made(t, set, slices.Repeat([]models.Call{call("slow", `{}`)}, 7)...)
		if took := time.Since(began); took != 2*time.Second || most != 3 {
			t.Errorf("took %v, %d at once", took, most)
		}
		for i, o := range all {
			if (o.How == tools.Beyond) != (i == 6) || o.How == tools.Done && o.Took != time.Second {
				t.Errorf("call %d: %+v", i, o)
			}
		}
	})
}

func TestACallThatDoesNotReturnInTimeIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := tools.Of(does("", "hangs", tools.Hints{}, func(ctx context.Context) (tools.Result, error) {
			<-ctx.Done()
			return tools.Result{}, ctx.Err()
		}))
		set.Timeout = 3 * time.Second
		o := made(t, set, call("hangs", `{}`))[0]
		if o.How != tools.TimedOut || o.Text != "hangs did not return within 3s" || o.Took != 3*time.Second {
			t.Errorf("got %+v", o)
		}
	})
}

func TestACutResultStatesHowMuchWasCut(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("é", 1<<19), strings.Repeat("\xff\xfe a", 1<<18)} {
		set := tools.Of(does("", "big", tools.Hints{}, says(text)))
		set.Output = 1000
		o := made(t, set, call("big", `{}`))[0]
		if len(o.Text) > 1000 || len(o.Text) < 900 || !strings.HasSuffix(o.Text, " bytes more)") {
			t.Errorf("%d bytes: %.20q … %q", len(o.Text), o.Text, o.Text[max(0, len(o.Text)-40):])
		}
		if err := signals.Validate(signals.With(o.Signal("ann"), signals.Header{ID: signals.MustID("x"), Confidence: 1, Source: "ann"})); err != nil {
			t.Error(err)
		}
	}
}

func TestToolsOfTwoServersWithOneNameAreDistinguished(t *testing.T) {
	set := &tools.Set{
		From: []tools.Source{
			does("files", "read", tools.Hints{ReadsOnly: true}, says("the file")), does("mail", "read", tools.Hints{ReadsOnly: true}, says("the mail")),
			does("", "files__read", tools.Hints{}, says("own")), does("evil", "files.read", tools.Hints{ReadsOnly: true}, says("evil")),
			does("files", "read", tools.Hints{ReadsOnly: true}, says("a second files")),
		},
		May: []tools.Rule{{Tools: "files/read"}, {Tools: "mail/*"}, {Tools: "files__read"}, {Tools: "evil/*"}},
	}
	names := map[string]bool{}
	for _, o := range offered(t, set, 1) {
		name, _, _ := strings.Cut(o, ":")
		names[name] = true
		if strings.ContainsAny(name, "/.") || len(name) > 64 {
			t.Errorf("%s is no name for a model", name)
		}
	}
	if len(names) != 4 || !names["files__read"] || !names["mail__read"] {
		t.Errorf("offered %v", names)
	}
	all := made(t, set, call("files__read", `{}`), call("mail__read", `{}`), call("mail/read", `{}`), call("read", `{}`))
	for i, want := range []string{"the file", "the mail", "the mail", `there is no tool "read"`} {
		if all[i].Text != want {
			t.Errorf("%s: got %q, want %q", all[i].Call, all[i].Text, want)
		}
	}
}

func TestAnInvalidSetIsRefusedWithTheField(t *testing.T) {
	good := does("files", "read", tools.Hints{}, says(""))
	spoilt := func(f func(*tools.Tool)) *tools.Set {
		bad := good
		f(&bad)
		return &tools.Set{From: []tools.Source{bad}}
	}
	for want, set := range map[string]*tools.Set{
		`parallel = "-1"`:               {Parallel: -1},
		`timeout = "-1"`:                {Timeout: -time.Second},
		`rule.tools = "a/b/c"`:          {May: []tools.Rule{{Tools: "a/b/c"}}},
		`rule.tools = "*"`:              {May: []tools.Rule{{Tools: "*"}}},
		`rule.policy = "Policy(9)"`:     {May: []tools.Rule{{Tools: "a", Policy: 9}}},
		`tool.name = "files/read": tak`: {From: []tools.Source{good, good}},
		`tool.name = "a b"`:             spoilt(func(b *tools.Tool) { b.Name = "a b" }),
		`tool.server = "a/b"`:           spoilt(func(b *tools.Tool) { b.Server = "a/b" }),
		`tool.input = "[]"`:             spoilt(func(b *tools.Tool) { b.Input = json.RawMessage(`[]`) }),
		`tool.input: `:                  spoilt(func(b *tools.Tool) { b.Input = nil }),
		`tool.output = `:                spoilt(func(b *tools.Tool) { b.Output = json.RawMessage(`{"type":7}`) }),
		`tool.description = `:           spoilt(func(b *tools.Tool) { b.Description = strings.Repeat("x", 1<<20) }),
		`tool.call = "read"`:            spoilt(func(b *tools.Tool) { b.Call = nil }),
	} {
		var field *signals.FieldError
		if err := set.Validate(); !errors.As(err, &field) || !strings.Contains(err.Error(), want) || len(err.Error()) > 300 {
			t.Errorf("%s: got %v", want, err)
		}
	}
	if err := (&tools.Set{From: []tools.Source{good}, May: []tools.Rule{{Tools: "files/*"}}}).Validate(); err != nil {
		t.Error(err)
	}
}

// watched is a hook that keeps the calls that it sees.
type watched struct {
	mu    sync.Mutex // protects the field below
	calls []string
}

func (h *watched) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	if op.Name != hooks.OpTool {
		return ctx, func(any, error) {}
	}
	return ctx, func(result any, err error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.calls = append(h.calls, fmt.Sprintf("%s %v %v %v", op.Target, op.Attributes, result, err != nil))
	}
}

func (*watched) Note(context.Context, any) {}

func (*watched) Trace(context.Context) *signals.Trace { return nil }

func TestHookSeesPolicyAndOutcomeAndNoArguments(t *testing.T) {
	h := &watched{}
	set := &tools.Set{
		From: []tools.Source{does("files", "read", tools.Hints{ReadsOnly: true}, says("ok")), does("files", "write", tools.Hints{}, says("ok")), does("files", "drop", tools.Hints{}, says("ok"))},
		May:  []tools.Rule{{Tools: "files/*"}, {Tools: "files/drop", Policy: tools.Deny}}, Parallel: 1,
	}
	_, err := makes(hooks.With(t.Context(), h), set, call("files/read", `{"secret":1}`), call("secret", `{}`), call("files/read", `["secret"]`), call("files/drop", `{}`), call("files/write", `{"secret":1}`))
	asked(t, err)
	want := []string{
		"files/read [policy=allow tool.type=function tool.call.id=] [outcome=done] false", "(unknown) [policy=unset tool.type=function tool.call.id=] [outcome=unknown] true", "files/read [policy=allow tool.type=function tool.call.id=] [outcome=invalid] true",
		"files/drop [policy=deny tool.type=function tool.call.id=] [outcome=denied] true", "files/write [policy=ask tool.type=function tool.call.id=] [outcome=asked] false",
	}
	if diff := cmp.Diff(want, h.calls); diff != "" {
		t.Error(diff)
	}
}

func TestCallsOutsideOfATurnAreRefused(t *testing.T) {
	if _, err := tools.Of().Begin(t.Context()); err == nil {
		t.Error("they begin")
	}
}

func ExampleFunc() {
	rate := tools.Func("error_rate", "Share of requests that failed in the last hour.", tools.Hints{ReadsOnly: true},
		func(_ context.Context, in struct {
			Service string `json:"service"`
		},
		) (float64, error) {
			return map[string]float64{"payments": 0.31}[in.Service], nil
		})
	fmt.Println(string(rate.Input))
	result, err := rate.Call(context.Background(), []byte(`{"service":"payments"}`))
	fmt.Println(result.Text, err)
	// Output:
	// {"type":"object","properties":{"service":{"type":"string"}},"required":["service"],"additionalProperties":false}
	// 0.31 <nil>
}

// A shifting source has the tools that it is set to, as a server does.
type shifting struct{ tools []tools.Tool }

func (c *shifting) Tools(context.Context) ([]tools.Tool, error) { return c.tools, nil }

func TestARuleThatNamesNoToolIsAnError(t *testing.T) {
	server := func(name string) tools.Tool {
		tool := tools.Func(name, "", tools.Hints{ReadsOnly: true}, forecast)
		tool.Server = "s"
		return tool
	}
	of := tools.Of(tools.Func("forecast", "", tools.Hints{}, forecast))
	of.May = append(of.May, tools.Rule{Tools: "forcast", Policy: tools.Ask})
	if err := of.Validate(); err == nil || !strings.Contains(err.Error(), `did you mean "forecast"?`) {
		t.Errorf("of a function: %v", err)
	}
	from := &shifting{[]tools.Tool{server("read"), server("write")}}
	misspelt := &tools.Set{From: []tools.Source{from}, May: []tools.Rule{{Tools: "s/*"}, {Tools: "s/wirte", Policy: tools.Ask}}}
	if err := misspelt.Validate(); err != nil {
		t.Errorf("what a server has is not known before: %v", err)
	}
	if _, err := makes(t.Context(), misspelt); err == nil || !strings.Contains(err.Error(), `did you mean "s/write"?`) {
		t.Errorf("of a server: %v", err)
	}
	right := &tools.Set{From: []tools.Source{from}, May: []tools.Rule{{Tools: "s/*"}, {Tools: "s/write", Policy: tools.Ask}}}
	made(t, right)
	from.tools = from.tools[:1] // the server has it no longer
	made(t, right)
}
