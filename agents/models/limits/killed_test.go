package limits_test

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

// TestCallsThatWereKilledAreBookedAsLaterOnesOfTheModelTook has processes that are killed while
// five calls run, and one that makes all of them: of 5,700 bytes in 1,427 tokens, and 40 of answer.
func TestCallsThatWereKilledAreBookedAsLaterOnesOfTheModelTook(t *testing.T) {
	const running, took = 5, 1467
	r := &models.Request{Messages: []models.Message{models.User(strings.Repeat("word ", 1140))}, Most: 1024}
	for _, kills := range []int{1, 4, 20} {
		var kept []limits.Change
		revived := func() *limits.Budget {
			b := limits.NewBudget(limits.Spend{Tokens: 400_000})
			for _, c := range kept {
				b.Book(c)
			}
			b.Keep(func(c limits.Change) error { kept = append(kept, c); return nil })
			return b
		}
		for range kills {
			for range running {
				kept = append(kept, limits.Change{Model: id, Open: begun(t, revived(), r), Held: limits.Spend{Tokens: limits.Bound(r) + r.Most}})
			}
		}
		calls := func(b *limits.Budget, n int) {
			m := &models.Scripted{Answer: func(_ context.Context, _ *models.Request) (*models.Answer, error) {
				return answer(models.Usage{Input: took - 40, Output: 40})
			}}
			for range n {
				if _, err := limits.New(limits.Options{Budget: b}).Limit(m).Ask(t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
		}
		b := revived()
		calls(b, 12)
		counted := took * (12 + kills*running)
		if k := b.Account(); k.Used().Tokens != 12*took || k.Spent.Tokens < counted || k.Spent.Tokens > counted*13/10 {
			t.Errorf("%d kills: %+v, and the server counted %d", kills, k, counted)
		}
		if is := revived().Account(); is != b.Account() {
			t.Errorf("%d kills: the next process has %+v, want %+v", kills, is, b.Account())
		}
		if err := b.Settle(); err != nil {
			t.Fatal(err)
		}
		settled := revived()
		calls(settled, 1)
		if k := settled.Account(); k.Spent.Tokens != 13*took || k.Open != (limits.Spend{}) {
			t.Errorf("%d kills: settled: %+v", kills, k)
		}
	}
}

// begun is what a call has open while it runs.
func begun(t *testing.T, b *limits.Budget, r *models.Request) (open limits.Spend) {
	t.Helper()
	b.Keep(func(c limits.Change) error {
		if c.Open.Tokens > 0 {
			open = c.Open
		}
		return nil
	})
	if _, err := limits.New(limits.Options{Budget: b}).Limit(failing(0, nil).model()).Ask(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return open
}

// Answers that come at once are recorded in the order in which they are learned from: the next process books the calls
// that were killed as this one does.
func TestAnswersAtOnceAreBookedInTheOrderOfTheRecord(t *testing.T) {
	r := &models.Request{Messages: []models.Message{models.User(strings.Repeat("word ", 1140))}, Most: 1024}
	for range 300 {
		kept := []limits.Change{{Model: id, Open: limits.Spend{Tokens: 1000}, Held: limits.Spend{Tokens: 100_000}}}
		revived := func() *limits.Budget {
			b := limits.NewBudget(limits.Spend{})
			for _, c := range kept {
				b.Book(c)
			}
			return b
		}
		var mu sync.Mutex
		b := revived()
		b.Keep(func(c limits.Change) error {
			mu.Lock()
			kept = append(kept, c)
			mu.Unlock()
			runtime.Gosched() // a journal takes its time
			return nil
		})
		var next atomic.Int32
		l := limits.New(limits.Options{Budget: b}).Limit(&models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			return answer(models.Usage{Input: 100 * int(next.Add(1)), Output: 40})
		}})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { _, _ = l.Ask(t.Context(), r) })
		}
		all.Wait()
		if is, want := revived().Account(), b.Account(); is.Spent != want.Spent || is.Open != want.Open {
			t.Fatalf("the next process has %+v, and this one %+v", is, want)
		}
	}
}
