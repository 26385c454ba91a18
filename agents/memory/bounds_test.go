package memory_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/signals"
)

// TestFullFactCanStillBeConfirmedByTwoIndependentGroups fills a fact in each way that there is.
func TestFullFactCanStillBeConfirmedByTwoIndependentGroups(t *testing.T) {
	t.Parallel()
	const fact = "port 22 is open"
	for name, fill := range map[string]func(i int) memory.Claim{
		"one source":                       func(int) memory.Claim { return claim("eve", fact, "revoked") },
		"one group":                        func(i int) memory.Claim { return grouped(claim(fmt.Sprint("s", i), fact), "model") },
		"many groups that repeat":          func(i int) memory.Claim { return claim(fmt.Sprint("s", i), fact, fact) },
		"many groups with what is revoked": func(i int) memory.Claim { return claim(fmt.Sprint("s", i), fact, "revoked") },
	} {
		p := pool(t, memory.Options{})
		remember(t, p, claim("eve", "revoked"))
		revoke(t, p, "eve")
		for i := range 70 {
			c := fill(i)
			c.Signal = signals.MustID(fmt.Sprint("x", i))
			remember(t, p, c)
		}
		remember(t, p, grouped(claim("ann", fact), "g1"), grouped(claim("bob", fact), "g2"))
		found, err := p.Recall(t.Context(), memory.Query{Text: fact})
		if err != nil || len(found) != 1 || len(found[0].Said) > 64 || name == "one source" && len(found[0].Said) != 3 {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

func TestAFactSaysHowManyStatementsItLeftOut(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	for i := range 10 {
		remember(t, p, grouped(claim(fmt.Sprint("s", i), "x"), "model"))
	}
	found, err := p.Recall(t.Context(), memory.Query{Text: "x", Quarantined: true})
	if err != nil || len(found) != 1 || len(found[0].Said) != 8 || found[0].LeftOut != 2 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestAStatementConfirmsForItsLifetime(t *testing.T) {
	t.Parallel()
	now := day
	p, err := memory.New(memory.Options{Store: &memorytest.Twin{}, Lifetime: 24 * time.Hour, Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	a, b := claim("ann", "port 22 is open"), claim("bob", "port 22 is open")
	a.Time, b.Time = day, day.Add(23*time.Hour)
	early := claim("ann", "port 22 is open", "port 22 is open")
	early.Signal, early.Time = signals.MustID("early"), b.Time.Add(59*time.Minute)
	remember(t, p, a, b, early) // the echo prolongs nothing
	if got := recalled(t, p, memory.Query{Text: "port 22"}); len(got) != 1 {
		t.Errorf("while both last: %v", got)
	}
	now = day.Add(46 * time.Hour)
	echo := claim("ann", "port 22 is open", "port 22 is open")
	echo.Signal, echo.Time = signals.MustID("echo"), now
	for range 2 {
		if got := recalled(t, p, memory.Query{Text: "port 22"}); got != nil {
			t.Errorf("after one is over: %v", got)
		}
		if got := recalled(t, p, memory.Query{Text: "port 22", Quarantined: true}); !cmp.Equal(got, []string{"port 22 is open: quarantined"}) {
			t.Errorf("after one is over: %v", got)
		}
		remember(t, p, echo) // which brings nothing back
	}
}

func TestARepeatWithALifetimeShortensNoStatementThatNeverExpires(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	short := claim("ann", "x")
	short.Signal, short.Expires = signals.MustID("short"), day.Add(-1)
	remember(t, p, claim("ann", "x"), short)
	if got := recalled(t, p, memory.Query{Text: "x", Quarantined: true}); len(got) != 1 {
		t.Errorf("recalled %v", got)
	}
}

// TestRepeatedRecallIsAnEcho recalls with the tool itself, so that both
// agree on the form of its results.
func TestRepeatedRecallIsAnEcho(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	const fact = `the "key" is in <repo>`
	remember(t, p, claim("evil", fact))
	r, err := p.Tool().Call(t.Context(), []byte(`{"about":"key"}`))
	if err != nil {
		t.Fatal(err)
	}
	own := []string{memory.IDOf(fact)}
	for name, c := range map[string]struct {
		tool, text, by string
		round          int32
		from           []string
	}{
		"by itself":                        {"recall", r.Text, "ann", 2, own},
		"a result that was cut":            {"recall", r.Text[:len(r.Text)-60] + "… (60 bytes more)", "ann", 2, own},
		"by another in an earlier round":   {"recall", r.Text, "bob", 1, own},
		"by another at the same time":      {"recall", r.Text, "bob", 2, nil},
		"another tool that says it itself": {"look_up", r.Text, "ann", 2, nil},
		"nothing":                          {"recall", "[]", "ann", 2, nil},
	} {
		h := signals.Header{ID: signals.MustID("r"), Source: c.by, Thread: "t", Time: day, Round: c.round}
		log := []signals.Any{
			signals.New(h, signals.ToolResult{ToolName: c.tool, Result: c.text, TriggeredBy: c.by}),
			said("s", "ann", 2, "", signals.Memory{Content: fact, Category: "c", Importance: 1}),
		}
		if got, ok := memory.ClaimOf(log, "g"); !ok || !cmp.Equal(got.From, c.from) {
			t.Errorf("%s: from %v, want %v", name, got.From, c.from)
		}
		decided := append(log[:1:1], said("d", "system", 3, "", signals.Consensus{ProposalID: "p", Decision: "x"}))
		if got, _ := memory.DecisionOf(decided); (len(got.Facts) == 1) != (c.tool == "recall" && c.text != "[]") {
			t.Errorf("%s: the decision knew %v", name, got.Facts)
		}
	}
}

func TestASolveBeginsWithoutTheFactsThatHaveExpired(t *testing.T) {
	t.Parallel()
	store := &memorytest.Twin{}
	p := pool(t, memory.Options{Store: store, Quarantined: true})
	over := claim("ann", "the port is 8080")
	over.Expires = day
	remember(t, p, over, claim("ann", "the port is open"))
	if _, err := p.Brief(t.Context(), signals.Task{Task: "Which port?"}); err != nil {
		t.Fatal(err)
	}
	left, err := store.Linked(t.Context(), "ann")
	if err != nil || len(left) != 1 || left[0].Content != "the port is open" {
		t.Errorf("stored: %v, %v", left, err)
	}
}
