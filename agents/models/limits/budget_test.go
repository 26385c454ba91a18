package limits_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

func answer(u models.Usage) (*models.Answer, error) {
	return &models.Answer{Finish: models.FinishStop, Usage: u}, nil
}

// TestEightConcurrentCallersNeverOverspend lets eight callers ask until the budget
// is used up, by calls that take anything up to what is reserved, some of which
// fail: for free, or at an unknown cost.
func TestEightConcurrentCallersNeverOverspend(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		tokens := rapid.IntRange(0, 20_000).Draw(rt, "tokens")
		money := models.Money(rapid.IntRange(1, 30_000_000).Draw(rt, "money"))
		synctest.Test(t, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 0))
			price := models.Price{Input: 1, Output: 4}
			budget := limits.NewBudget(limits.Spend{Tokens: tokens, Money: money})
			shared := limits.New(limits.Options{Budget: budget, Tries: 1, Failures: 1000, Prices: map[models.ID]models.Price{id: price}})
			var mu sync.Mutex
			var free, unknown int
			var spent limits.Spend // by the provider's account
			draw := func(n int) int {
				mu.Lock()
				defer mu.Unlock()
				return r.IntN(n)
			}
			request := &models.Request{Messages: []models.Message{models.User("a question of some bytes")}, Most: 100}
			bound := limits.Bound(request)
			m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
				time.Sleep(time.Duration(draw(50)) * time.Millisecond)
				u := models.Usage{Input: draw(bound + 1), Output: draw(r.Most + 1)}
				fate := draw(5)
				mu.Lock()
				defer mu.Unlock()
				switch fate {
				case 0:
					free++
					return nil, status(429)
				case 1:
					unknown++
					spent = limits.Spend{Tokens: spent.Tokens + u.Tokens(), Money: spent.Money + price.Cost(u)}
					return nil, &models.Error{Problem: models.ErrCutOff}
				}
				spent = limits.Spend{Tokens: spent.Tokens + u.Tokens(), Money: spent.Money + price.Cost(u)}
				return answer(u)
			}}
			var wg sync.WaitGroup
			for range 8 {
				wg.Go(func() {
					for range 1000 {
						if _, err := shared.Limit(m).Ask(t.Context(), request); errors.Is(err, models.ErrBudget) {
							return
						}
					}
					t.Error("the budget never ended")
				})
			}
			wg.Wait()
			account := budget.Account()
			if account.Reserved != (limits.Spend{}) || account.Refused != 8 || account.Over != (limits.Spend{}) {
				t.Errorf("account %+v", account)
			}
			if tokens > 0 && account.Spent.Tokens > tokens || account.Spent.Money > money {
				t.Errorf("booked %v of %d tokens and %v", account.Spent, tokens, money)
			}
			// The budget holds back the greatest possible cost of failed calls.
			held := limits.Spend{Tokens: account.Spent.Tokens + account.Withheld.Tokens, Money: account.Spent.Money + account.Withheld.Money}
			if spent.Tokens > held.Tokens || spent.Money > held.Money {
				t.Errorf("the provider has %v, the budget %v", spent, held)
			}
			if tokens > 0 && held.Tokens > tokens || held.Money > money {
				t.Errorf("booked and held back %v of %d tokens and %v", held, tokens, money)
			}
			if unknown == 0 && spent != account.Spent {
				t.Errorf("without unknown costs: the provider has %v, the budget %v", spent, account.Spent)
			}
			// The rest is not enough for another call.
			left := limits.Spend{Tokens: tokens - held.Tokens, Money: money - held.Money}
			if (tokens == 0 || left.Tokens >= bound+100) && left.Money >= price.Highest(bound, 100) {
				t.Errorf("%v are left and a call was refused", left)
			}
		})
	})
}

func TestCallWaitsForBudgetThatAnotherReleases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		need := limits.Bound(request) + request.Most
		budget := limits.NewBudget(limits.Spend{Tokens: need + 20})
		shared := limits.New(limits.Options{Budget: budget})
		var running, most atomic.Int32
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			most.Store(max(most.Load(), running.Add(1)))
			time.Sleep(time.Second)
			running.Add(-1)
			return answer(models.Usage{Input: 5, Output: 5})
		}}
		var wg sync.WaitGroup
		for range 3 {
			wg.Go(func() {
				if _, err := shared.Limit(m).Ask(t.Context(), request); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if got := budget.Account(); got.Spent.Tokens != 30 || most.Load() != 1 {
			t.Errorf("%+v, %d at once", got, most.Load())
		}
		if _, err := shared.Limit(m).Ask(t.Context(), request); !errors.Is(err, models.ErrBudget) {
			t.Errorf("beyond the budget: %v", err)
		}
	})
}

// TestEveryPartOfARequestIsInItsBound makes each text of a request longer, whatever texts there are.
// TestAnAnswerWithoutUsageIsBookedWithAllThatItMayHaveTaken: some servers do not count.
func TestAnAnswerWithoutUsageIsBookedWithAllThatItMayHaveTaken(t *testing.T) {
	uncounted := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) { return answer(models.Usage{}) }}
	reserved := limits.Spend{Tokens: limits.Bound(request) + request.Most}
	price := models.Price{Input: 2, Output: 10}
	reserved.Money = price.Highest(limits.Bound(request), request.Most)
	budget := limits.NewBudget(limits.Spend{Tokens: reserved.Tokens*2 - 1, Money: models.USD})
	m := limits.New(limits.Options{Budget: budget, Prices: map[models.ID]models.Price{uncounted.ID(): price}}).Limit(uncounted)
	if _, err := m.Ask(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if got := budget.Account(); got.Spent != reserved || got.Open != reserved || got.Reserved != (limits.Spend{}) || got.Over != (limits.Spend{}) {
		t.Errorf("got %+v, want %+v spent", got, reserved)
	}
	if _, err := m.Ask(t.Context(), request); !errors.Is(err, models.ErrBudget) {
		t.Errorf("a second call: %v", err)
	}
}

func TestWaitingForTheBudgetEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := limits.NewBudget(limits.Spend{Tokens: limits.Bound(request) + request.Most})
		shared := limits.New(limits.Options{Budget: budget})
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			time.Sleep(time.Minute)
			return answer(models.Usage{})
		}}
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = shared.Limit(m).Ask(t.Context(), request) })
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := shared.Limit(m).Ask(ctx, request); !errors.Is(err, context.DeadlineExceeded) || budget.Account().Refused != 0 {
			t.Errorf("got %v, %+v", err, budget.Account())
		}
		wg.Wait()
	})
}

func TestCancelledCallIsBookedWithAllThatItMayHaveCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := limits.NewBudget(limits.Spend{Tokens: 1 << 20})
		ctx, cancel := context.WithCancel(t.Context())
		m := &models.Scripted{Answer: func(ctx context.Context, _ *models.Request) (*models.Answer, error) {
			cancel()
			return nil, context.Cause(ctx)
		}}
		_, _ = limits.New(limits.Options{Budget: budget}).Limit(m).Ask(ctx, request)
		want := limits.Spend{Tokens: limits.Bound(request) + request.Most}
		if got := budget.Account(); got.Spent != want || got.Open != want || got.Reserved != (limits.Spend{}) {
			t.Errorf("got %+v, want %v assumed", got, want)
		}
	})
}

func TestEveryTryIsBooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := limits.NewBudget(limits.Spend{Tokens: 1 << 20})
		c := &calls{answer: func(n int) (*models.Answer, error) {
			switch n {
			case 1:
				return nil, status(429)
			case 2:
				return nil, &models.Error{Problem: models.ErrCutOff}
			}
			return answer(models.Usage{Input: 3, Output: 4})
		}}
		if _, err := limits.New(limits.Options{Budget: budget}).Limit(c.model()).Ask(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if got, want := budget.Account().Spent.Tokens, limits.Bound(request)+request.Most+7; got != want {
			t.Errorf("booked %d, want %d", got, want)
		}
	})
}

func TestBudgetInMoneyRefusesAModelWithoutAPrice(t *testing.T) {
	c := failing(0, nil)
	shared := limits.New(limits.Options{Budget: limits.NewBudget(limits.Spend{Money: models.USD})})
	if _, err := shared.Limit(c.model()).Ask(t.Context(), request); !errors.Is(err, models.ErrPrice) || len(c.at) != 0 {
		t.Errorf("%v, %d calls", err, len(c.at))
	}
}

// axis embeds texts on one line.
type axis struct{ fails error }

func (axis) ID() models.ID { return models.ID{Provider: "test", Name: "axis"} }

func (a axis) Embed(_ context.Context, texts ...string) (*models.Vectors, error) {
	if a.fails != nil {
		return nil, a.fails
	}
	v := &models.Vectors{Usage: models.Usage{Input: 5}}
	for range texts {
		v.All = append(v.All, []float32{1})
	}
	return v, nil
}

func TestEmbeddingsAreReservedAndBooked(t *testing.T) {
	const usd, reserved = models.USD, 1024 + 3*32 + 4 + 1 // of two texts of two bytes
	for name, c := range map[string]struct {
		e         axis
		left      int
		want      error
		spent     limits.Spend
		onceTaken bool
	}{
		"enough":     {axis{}, reserved, nil, limits.Spend{Tokens: 5, Money: 10 * usd / 1e6}, true},
		"not enough": {axis{}, reserved - 1, models.ErrBudget, limits.Spend{}, false},
		"failed":     {axis{&models.Error{Problem: models.ErrInvalid}}, reserved, models.ErrInvalid, limits.Spend{Tokens: reserved, Money: 2 * reserved * usd / 1e6}, false},
	} {
		budget := limits.NewBudget(limits.Spend{Tokens: c.left})
		shared := limits.New(limits.Options{Budget: budget, Prices: map[models.ID]models.Price{axis{}.ID(): {Input: 2, Output: 2}}})
		v, err := models.EmbedderOf(shared.Limit(models.ModelOf(c.e))).Embed(t.Context(), "ab", "cd")
		if account := budget.Account(); !errors.Is(err, c.want) || account.Spent != c.spent || account.Reserved != (limits.Spend{}) || c.onceTaken && (len(v.All) != 2 || v.Cost != c.spent.Money) {
			t.Errorf("%s: %v, %v, account %+v", name, v, err, account)
		}
	}
}

func TestACallThatIsCanceledBeforeItBeginsIsNotBooked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		budget := limits.NewBudget(limits.Spend{Tokens: 50_000})
		c := failing(0, nil)
		m := limits.New(limits.Options{Budget: budget, Rate: 0.001}).Limit(c.model())
		if _, err := m.Ask(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		first := budget.Account()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		if _, err := m.Ask(ctx, request); !errors.Is(err, context.Canceled) || len(c.at) != 1 || budget.Account() != first {
			t.Errorf("%v after %d calls, booked %+v, before it %+v", err, len(c.at), budget.Account(), first)
		}
	})
}

func TestAPriceThatIsNoneRefusesTheCall(t *testing.T) {
	c := failing(0, nil)
	m := c.model()
	shared := limits.New(limits.Options{Prices: map[models.ID]models.Price{m.ID(): {Output: -3}}, Budget: limits.NewBudget(limits.Spend{Money: models.USD})})
	if _, err := shared.Limit(m).Ask(t.Context(), request); !errors.Is(err, models.ErrInvalid) || !strings.Contains(err.Error(), `price.output = "-3"`) || len(c.at) != 0 {
		t.Errorf("%v, %d calls", err, len(c.at))
	}
}

func TestNegativeTriesAreOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := failing(99, status(503))
		if _, err := limits.New(limits.Options{Tries: -1}).Limit(c.model()).Ask(t.Context(), request); !errors.Is(err, models.ErrOverloaded) || len(c.at) != 1 {
			t.Errorf("%v, %d calls", err, len(c.at))
		}
	})
}

func TestProviderThatTakesMoreThanReservedIsFound(t *testing.T) {
	budget := limits.NewBudget(limits.Spend{Tokens: 5000})
	m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
		return answer(models.Usage{Input: limits.Bound(r), Output: r.Most + 9})
	}}
	if _, err := limits.New(limits.Options{Budget: budget}).Limit(m).Ask(t.Context(), request); err != nil || budget.Account().Over.Tokens != 9 {
		t.Errorf("%v, %+v", err, budget.Account())
	}
}

// asked lets a model that takes used tokens of each call answer n calls.
// TestLikelyCostFollowsRecentCalls has calls of 100 tokens, and then of 300.
// TestACallThatFailedHoldsBackAllThatItMayHaveTaken in the process that made it: others
// cannot have it, though less is booked.
// TestABudgetThatGoesOnHasTheAccountThatWasKept books what another kept.
// named is a model of another name, whose calls take a part of what they may take.
// TestALikelyCostIsThatOfTheModelInTokensAndMoney has output that costs much more than
// input, and two models of which one takes a hundred times as much.

// What two callers reserve counts for both, and is free again once it is released. The last
// of several calls may take its most, the others what is likely.
func TestReservedCallsAreHeldUntilTheyAreReleased(t *testing.T) {
	need := limits.Bound(request) + request.Most
	budget := limits.NewBudget(limits.Spend{Tokens: 3 * need})
	m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		return answer(models.Usage{Input: 1, Output: 1})
	}}
	shared := limits.New(limits.Options{Budget: budget}).Limit(m)
	reserve := func(n int) (release func(), ok bool) { return models.Reserve(t.Context(), shared, request, n) }
	release, ok := reserve(2)
	if !ok || budget.Account().Reserved.Tokens != 2*need {
		t.Fatalf("%v, %+v", ok, budget.Account())
	}
	if _, ok := reserve(2); ok {
		t.Error("four calls of three were reserved")
	}
	release()
	release()
	if got := budget.Account(); got != (limits.Account{}) {
		t.Errorf("after the release: %+v", got)
	}
	if _, err := shared.Ask(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if release, ok = reserve(10); !ok {
		t.Error("ten calls like the one that took two tokens do not fit")
	}
	release()
	if _, ok := models.Reserve(t.Context(), m, request, 1000); !ok {
		t.Error("a model without a budget cannot pay")
	}
}
