package limits_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/signals"
)

// turn makes a call in a turn of an agent, which takes so many tokens.
func turn(t *testing.T, b *limits.Budget, agent string, took int) error {
	t.Helper()
	m := limits.New(limits.Options{Budget: b, Tries: 1}).Limit(&models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		if took == 0 {
			return nil, status(504)
		}
		return answer(models.Usage{Input: took - 1, Output: 1})
	}})
	_, err := (&agents.Agent{ID: agent, Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
		if _, err := m.Ask(ctx, request); err != nil {
			return agents.Fail(err)
		}
		return agents.Emit()
	})}).Take(t.Context(), &agents.Turn{})
	return err
}

func TestAnAgentTakesNoMoreThanItsShare(t *testing.T) {
	most := limits.Bound(request) + request.Most
	b := limits.NewBudget(limits.Spend{Tokens: 10 * most})
	b.Share("ada", limits.Spend{Tokens: most + 150})
	for _, c := range []struct {
		agent string
		want  string
	}{
		{"ada", ""},
		{"ada", ""},
		{"ada", fmt.Sprintf("of the share of ada %d of %d tokens are left; one of %dtokens would allow it", most-50, most+150, most+200)},
		{"bob", ""},
		{"bob", ""},
		{"bob", ""},
	} {
		if err := turn(t, b, c.agent, 100); (err == nil) != (c.want == "") || err != nil && (!errors.Is(err, models.ErrBudget) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", c.agent, err, c.want)
		}
	}
	if k := b.Account(); k.Spent.Tokens != 500 || k.Refused != 1 || k.Reserved != (limits.Spend{}) {
		t.Errorf("account %+v", k)
	}
}

func TestADayHasALimitAndTheNextOneTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most := limits.Bound(request) + request.Most
		var kept []limits.Change
		revived := func() *limits.Budget {
			b := limits.NewBudget(limits.Spend{})
			b.PerDay(limits.Spend{Tokens: most + 150})
			for _, c := range kept {
				b.Book(c)
			}
			b.Keep(func(c limits.Change) error { kept = append(kept, c); return nil })
			return b
		}
		b := revived()
		for day := range 3 {
			for range 2 {
				if err := turn(t, b, "ada", 100); err != nil {
					t.Errorf("day %d: %v", day, err)
				}
			}
			for _, b := range []*limits.Budget{b, revived()} {
				want := fmt.Sprintf("of the limit of a day %d of %d tokens are left", most-50, most+150)
				if err := turn(t, b, "bob", 100); !errors.Is(err, models.ErrBudget) || !strings.Contains(err.Error(), want) {
					t.Errorf("day %d: got %v, want %s", day, err, want)
				}
			}
			time.Sleep(24 * time.Hour)
		}
		if k := b.Account(); k.Spent.Tokens != 600 {
			t.Errorf("account %+v", k)
		}
	})
}

func TestPartsOfABudgetThatGoesOnAreThoseThatItHad(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var kept []limits.Change
		revived := func() *limits.Budget {
			b := limits.NewBudget(limits.Spend{})
			b.Share("ada", limits.Spend{Tokens: 2000})
			b.PerDay(limits.Spend{Tokens: 5000})
			for _, c := range kept {
				b.Book(c)
			}
			b.Keep(func(c limits.Change) error { kept = append(kept, c); return nil })
			return b
		}
		live := revived()
		_ = turn(t, live, "bob", 100) // so that the share of a call is known
		for range rapid.IntRange(0, 30).Draw(rt, "calls") {
			_ = turn(t, live, rapid.SampledFrom([]string{"ada", "bob"}).Draw(rt, "agent"), 100)
		}
		again := revived()
		for _, agent := range []string{"ada", "bob"} {
			was, is := turn(t, live, agent, 100), turn(t, again, agent, 100)
			if fmt.Sprint(was) != fmt.Sprint(is) {
				rt.Fatalf("%s: got %v, and after a start %v", agent, was, is)
			}
		}
	})
}

func TestSettlingFreesTheShareOfAnAgent(t *testing.T) {
	most := limits.Bound(request) + request.Most
	b := limits.NewBudget(limits.Spend{})
	b.Share("ada", limits.Spend{Tokens: most})
	if err := turn(t, b, "ada", 0); errors.Is(err, models.ErrBudget) {
		t.Fatal(err)
	}
	if err := turn(t, b, "ada", 1); !errors.Is(err, models.ErrBudget) {
		t.Errorf("all of the share is open, and it takes %v", err)
	}
	if err := b.Settle(); err != nil {
		t.Fatal(err)
	}
	if err := turn(t, b, "ada", 1); err != nil {
		t.Error(err)
	}
}
