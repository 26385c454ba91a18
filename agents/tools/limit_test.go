package tools_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/tools"
)

func limitedSet(l tools.Limits, f func(context.Context) (tools.Result, error)) *tools.Set {
	return &tools.Set{From: []tools.Source{tools.Limit(does("s", "t", tools.Hints{ReadsOnly: true}, f), l)}, May: []tools.Rule{{Tools: "s/t"}}}
}

func TestABreakerOpensAfterCallsWithoutAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n, err := 0, errors.New("the pipe is broken")
		set := limitedSet(tools.Limits{Failures: 2, Rest: 10 * time.Second}, func(context.Context) (tools.Result, error) { n++; return tools.Result{Text: "ok"}, err })
		one := func() string { return made(t, set, call("s/t", `{}`))[0].Text }
		one()
		one()
		if text := one(); n != 2 || text != "the call of s/t got no result: tools: too many calls in a row got no result: try again in 10s" {
			t.Errorf("%q after %d calls", text, n)
		}
		time.Sleep(10 * time.Second)
		err = nil
		if text := one(); text != "ok" || n != 3 {
			t.Errorf("%q after %d calls", text, n)
		}
	})
}

func TestFailuresThatAServerReportsDoNotOpenTheBreaker(t *testing.T) {
	n := 0
	set := limitedSet(tools.Limits{Failures: 1}, func(context.Context) (tools.Result, error) {
		if n++; n%2 == 0 {
			return tools.Result{Text: "no such file", IsError: true}, nil
		}
		return tools.Result{}, &tools.RefusalError{Code: -32602, Text: "no such tool"}
	})
	for range 6 {
		if o := made(t, set, call("s/t", `{}`))[0]; !o.IsError || strings.Contains(o.Text, "in a row") {
			t.Errorf("got %+v", o)
		}
	}
	if n != 6 {
		t.Errorf("%d calls", n)
	}
}

func TestAProbeThatPanicsLeavesTheBreakerUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		set := limitedSet(tools.Limits{Failures: 1, Rest: time.Second}, func(context.Context) (tools.Result, error) {
			switch n++; n {
			case 1:
				return tools.Result{}, errors.New("down")
			case 2:
				panic("oh")
			}
			return tools.Result{Text: "ok"}, nil
		})
		made(t, set, call("s/t", `{}`))
		time.Sleep(time.Second)
		if o := made(t, set, call("s/t", `{}`))[0]; o.How != tools.Broken || !strings.Contains(o.Text, "s/t panicked: oh") {
			t.Errorf("the panic is lost: %+v", o)
		}
		if o := made(t, set, call("s/t", `{}`))[0]; !strings.Contains(o.Text, "in a row") {
			t.Errorf("a probe that panicked is taken for a good one: %+v", o)
		}
		time.Sleep(time.Second)
		if o := made(t, set, call("s/t", `{}`))[0]; o.Text != "ok" {
			t.Errorf("got %+v", o)
		}
	})
}

func TestCallsWaitForTheRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		set := limitedSet(tools.Limits{Rate: 1}, says("ok"))
		began := time.Now()
		made(t, set, call("s/t", `{}`), call("s/t", `{}`), call("s/t", `{}`))
		if took := time.Since(began); took != 2*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

func TestOnlyTheTimeOfACallAndNotThatOfItsCallerOpensTheBreaker(t *testing.T) {
	for name, opens := range map[string]bool{"the deadline of the caller": false, "the timeout of a call": true} {
		synctest.Test(t, func(t *testing.T) {
			hangs := true
			set := limitedSet(tools.Limits{Failures: 1}, func(ctx context.Context) (tools.Result, error) {
				if hangs {
					<-ctx.Done()
					return tools.Result{}, ctx.Err()
				}
				return tools.Result{Text: "ok"}, nil
			})
			ctx := t.Context()
			if !opens {
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				ctx = short
			}
			_, _ = makes(ctx, set, call("s/t", `{}`))
			hangs = false
			if o := made(t, set, call("s/t", `{}`))[0]; strings.Contains(o.Text, "in a row") != opens {
				t.Errorf("%s: %+v", name, o)
			}
		})
	}
}
