package limits_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

func TestKeptChangesAreUseAndOpenReservations(t *testing.T) {
	b := limits.NewBudget(limits.Spend{})
	var used, open limits.Spend
	b.Keep(func(c limits.Change) error {
		used, open = limits.Spend{Tokens: used.Tokens + c.Used.Tokens}, limits.Spend{Tokens: open.Tokens + c.Open.Tokens}
		return nil
	})
	most := limits.Bound(request) + request.Most
	for _, c := range []struct {
		usage       models.Usage
		err         error
		likely      int
		used, stays int
	}{
		{models.Usage{}, nil, most, 0, most},
		{models.Usage{}, status(504), most, 0, most},
		{models.Usage{}, status(400), most, 0, 0},
		{models.Usage{Input: 180, Output: 20}, nil, most, 200, 0},
		{models.Usage{Input: 180, Output: 20}, nil, 250, 200, 0},
		{models.Usage{}, status(504), 250, 0, 250},
	} {
		usedBefore, openBefore := used, open
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			if got := open.Tokens - openBefore.Tokens; got < c.likely || got > c.likely+1 {
				t.Errorf("during the call %d tokens are open, want %d", got, c.likely)
			}
			a, _ := answer(c.usage)
			return a, c.err
		}}
		_, _ = limits.New(limits.Options{Budget: b, Tries: 1}).Limit(m).Ask(t.Context(), request)
		account := b.Account()
		if got := used.Tokens - usedBefore.Tokens; got != c.used || account.Used() != used {
			t.Errorf("usage %v, %v: %d tokens are used, want %d, account %+v", c.usage, c.err, got, c.used, account)
		}
		if got := open.Tokens - openBefore.Tokens; got < c.stays || got > c.stays+1 || account.Open != open {
			t.Errorf("usage %v, %v: %d tokens stay open, want %d, account %+v", c.usage, c.err, got, c.stays, account)
		}
	}
	full := errors.New("the disk is full")
	b.Keep(func(limits.Change) error { return full })
	before := b.Account()
	if _, err := limits.New(limits.Options{Budget: b}).Limit(failing(0, nil).model()).Ask(t.Context(), request); !errors.Is(err, full) || b.Account() != before {
		t.Errorf("got %v, account %+v", err, b.Account())
	}
	if err := b.Settle(); !errors.Is(err, full) || b.Account() != before {
		t.Errorf("settled: %v, account %+v", err, b.Account())
	}
}

func asked(t *testing.T, b *limits.Budget, n, used int) {
	t.Helper()
	m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		return answer(models.Usage{Input: used - 1, Output: 1})
	}}
	for range n {
		if _, err := limits.New(limits.Options{Budget: b}).Limit(m).Ask(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLikelyCostFollowsRecentCalls(t *testing.T) {
	b := limits.NewBudget(limits.Spend{})
	var open int
	b.Keep(func(c limits.Change) error { open = max(c.Open.Tokens, open); return nil })
	likely := func() int {
		open = 0
		asked(t, b, 1, 100)
		return open
	}
	asked(t, b, 3, 100)
	if got := likely(); got < 125 || got > 126 {
		t.Errorf("a call after calls of 100 tokens is expected to take %d", got)
	}
	asked(t, b, 40, 300)
	if got := likely(); got < 370 || got > 376 {
		t.Errorf("a call after 40 calls of 300 tokens is expected to take %d", got)
	}
	asked(t, b, 1, limits.Bound(request)+request.Most)
	asked(t, b, 40, limits.Bound(request)+request.Most)
	if got := likely(); got != limits.Bound(request)+request.Most {
		t.Errorf("a call is expected to take %d, more than it may", got)
	}
}

func TestACallThatFailedHoldsBackAllThatItMayHaveTaken(t *testing.T) {
	most := limits.Bound(request) + request.Most
	b := limits.NewBudget(limits.Spend{Tokens: 100 + 2*most})
	asked(t, b, 1, 100)
	fails := limits.New(limits.Options{Budget: b, Tries: 1}).Limit(failing(99, status(504)).model())
	for range 2 {
		_, _ = fails.Ask(t.Context(), request)
	}
	if k := b.Account(); k.Spent.Tokens > 100+2*126 || k.Spent.Tokens+k.Withheld.Tokens != 100+2*most {
		t.Errorf("account %+v", k)
	}
	if _, err := fails.Ask(t.Context(), request); !errors.Is(err, models.ErrBudget) || !strings.Contains(err.Error(), "and 0 of") {
		t.Errorf("a third call: %v", err)
	}
	if err := b.Settle(); err != nil || b.Account().Spent.Tokens != 100 || b.Account().Withheld != (limits.Spend{}) || b.Account().Open != (limits.Spend{}) {
		t.Errorf("settled: %v, %+v", err, b.Account())
	}
	asked(t, b, 1, 100)
}

func TestABudgetThatGoesOnHasTheAccountThatWasKept(t *testing.T) {
	before := limits.NewBudget(limits.Spend{Tokens: 1 << 20})
	var kept []limits.Change
	before.Keep(func(c limits.Change) error { kept = append(kept, c); return nil })
	asked(t, before, 5, 100)
	_, _ = limits.New(limits.Options{Budget: before, Tries: 1}).Limit(failing(9, status(504)).model()).Ask(t.Context(), request)

	after := limits.NewBudget(limits.Spend{Tokens: 1 << 20})
	for _, c := range kept {
		after.Book(c)
	}
	if was, is := before.Account(), after.Account(); is.Spent != was.Spent || is.Open != was.Open || is.Used().Tokens != 500 || is.Open.Tokens == 0 {
		t.Errorf("account %+v, before %+v", is, was)
	}
	open := 0
	after.Keep(func(c limits.Change) error { open = max(c.Open.Tokens, open); return nil })
	if asked(t, after, 1, 100); open > 126 {
		t.Errorf("its first call is expected to take %d", open)
	}
	after.Keep(func(c limits.Change) error { kept = append(kept, c); return nil })
	if err := after.Settle(); err != nil {
		t.Fatal(err)
	}
	settled := limits.NewBudget(limits.Spend{})
	for _, c := range kept {
		settled.Book(c)
	}
	if k := settled.Account(); k.Spent.Tokens != 500 || k.Open != (limits.Spend{}) {
		t.Errorf("after it was settled: %+v", k)
	}
}

func TestSettlingWhereNothingIsOpenRecordsNothing(t *testing.T) {
	b := limits.NewBudget(limits.Spend{})
	b.Keep(func(c limits.Change) error { t.Errorf("%+v is recorded", c); return nil })
	if err := b.Settle(); err != nil {
		t.Error(err)
	}
}

type named struct {
	name string
	part int
}

func (m named) ID() models.ID { return models.ID{Provider: "test", Name: m.name} }

func (m named) Ask(_ context.Context, r *models.Request) (*models.Answer, error) {
	return answer(models.Usage{Input: limits.Bound(r) / m.part, Output: r.Most / m.part})
}

func TestALikelyCostIsThatOfTheModelInTokensAndMoney(t *testing.T) {
	small, large := named{"small", 200}, named{"large", 2}
	price := models.Price{Input: 1, Output: 50}
	b := limits.NewBudget(limits.Spend{})
	var open limits.Spend
	b.Keep(func(c limits.Change) error {
		if c.Used == (limits.Spend{}) {
			open = c.Open
		}
		return nil
	})
	shared := limits.New(limits.Options{Budget: b, Prices: map[models.ID]models.Price{small.ID(): price, large.ID(): price}})
	for range 3 {
		for _, m := range []named{small, large} {
			before := b.Account().Spent
			if _, err := shared.Limit(m).Ask(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			took := limits.Spend{Tokens: b.Account().Spent.Tokens - before.Tokens, Money: b.Account().Spent.Money - before.Money}
			if before.Tokens > limits.Bound(request)/2 && (open.Tokens < took.Tokens || open.Tokens > took.Tokens*13/10+1 || open.Money < took.Money || open.Money > took.Money*13/10+1) {
				t.Errorf("a call of %s took %v, expected were %v", m.name, took, open)
			}
		}
	}
}

func TestSettlingLetsACallBeginThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		most := limits.Bound(request) + request.Most
		b := limits.NewBudget(limits.Spend{Tokens: 2*most + 10})
		b.Book(limits.Change{Open: limits.Spend{Tokens: 20}})
		slow := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			time.Sleep(time.Minute)
			return answer(models.Usage{Input: 1, Output: 1})
		}}
		began := time.Now()
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() {
				if _, err := limits.New(limits.Options{Budget: b}).Limit(slow).Ask(t.Context(), request); err != nil {
					t.Error(err)
				}
			})
		}
		time.Sleep(time.Second)
		if err := b.Settle(); err != nil {
			t.Error(err)
		}
		wg.Wait()
		if took := time.Since(began); took != time.Minute+time.Second {
			t.Errorf("two calls of a minute, of which one waited a second, took %v", took)
		}
	})
}
