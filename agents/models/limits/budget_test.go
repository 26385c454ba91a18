package limits_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
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
			var spent limits.Spend // by the provider's books
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
			books := budget.Books()
			if books.Reserved != (limits.Spend{}) || books.Refused != 8 || books.Over != (limits.Spend{}) {
				t.Errorf("books %+v", books)
			}
			if tokens > 0 && books.Spent.Tokens > tokens || books.Spent.Money > money {
				t.Errorf("booked %v of %d tokens and %v", books.Spent, tokens, money)
			}
			// What failed calls may have taken beyond what is booked is held back.
			held := limits.Spend{Tokens: books.Spent.Tokens + books.Withheld.Tokens, Money: books.Spent.Money + books.Withheld.Money}
			if spent.Tokens > held.Tokens || spent.Money > held.Money {
				t.Errorf("the provider has %v, the budget %v", spent, held)
			}
			if tokens > 0 && held.Tokens > tokens || held.Money > money {
				t.Errorf("booked and held back %v of %d tokens and %v", held, tokens, money)
			}
			if unknown == 0 && spent != books.Spent {
				t.Errorf("without unknown costs: the provider has %v, the budget %v", spent, books.Spent)
			}
			// What is left is not enough for another call.
			left := limits.Spend{Tokens: tokens - held.Tokens, Money: money - held.Money}
			if (tokens == 0 || left.Tokens >= bound+100) && left.Money >= price.Highest(bound, 100) {
				t.Errorf("%v are left and a call was refused", left)
			}
		})
	})
}

func TestCallWaitsForWhatAnotherGivesBack(t *testing.T) {
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
		if got := budget.Books(); got.Spent.Tokens != 30 || most.Load() != 1 {
			t.Errorf("%+v, %d at once", got, most.Load())
		}
		if _, err := shared.Limit(m).Ask(t.Context(), request); !errors.Is(err, models.ErrBudget) {
			t.Errorf("beyond the budget: %v", err)
		}
	})
}

// TestEveryPartOfARequestIsInItsBound makes each text of a request longer, whatever texts there are.
func TestEveryPartOfARequestIsInItsBound(t *testing.T) {
	r := &models.Request{
		System: "s", Schema: &models.Schema{Name: "n", JSON: json.RawMessage("{}")},
		Messages: []models.Message{{Role: models.RoleUser, Text: "t", Calls: []models.Call{{}}, Results: []models.Result{{}}}}, Tools: []models.Tool{{}},
	}
	texts := 0
	var lengthen func(path string, v reflect.Value)
	lengthen = func(path string, v reflect.Value) {
		switch {
		case v.Type() == reflect.TypeFor[models.Role]():
		case v.Kind() == reflect.String, v.Type() == reflect.TypeFor[json.RawMessage]():
			texts++
			before, longer := limits.Bound(r), reflect.ValueOf(strings.Repeat("x", v.Len()+10)).Convert(v.Type())
			v.Set(longer)
			if got := limits.Bound(r) - before; got != 10 {
				t.Errorf("ten bytes more of %s count %d", path, got)
			}
		case v.Kind() == reflect.Pointer && !v.IsNil():
			lengthen(path, v.Elem())
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				lengthen(path, v.Index(i))
			}
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				lengthen(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	}
	lengthen("request", reflect.ValueOf(r))
	if texts != 12 {
		t.Errorf("found %d texts, want 12", texts)
	}
}

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
	if got := budget.Books(); got.Spent != reserved || got.Open != reserved || got.Reserved != (limits.Spend{}) || got.Over != (limits.Spend{}) {
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
		if _, err := shared.Limit(m).Ask(ctx, request); !errors.Is(err, context.DeadlineExceeded) || budget.Books().Refused != 0 {
			t.Errorf("got %v, %+v", err, budget.Books())
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
		if got := budget.Books(); got.Spent != want || got.Open != want || got.Reserved != (limits.Spend{}) {
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
		if got, want := budget.Books().Spent.Tokens, limits.Bound(request)+request.Most+7; got != want {
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
		if books := budget.Books(); !errors.Is(err, c.want) || books.Spent != c.spent || books.Reserved != (limits.Spend{}) || c.onceTaken && (len(v.All) != 2 || v.Cost != c.spent.Money) {
			t.Errorf("%s: %v, %v, books %+v", name, v, err, books)
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
		first := budget.Books()
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			time.Sleep(time.Second)
			cancel()
		}()
		if _, err := m.Ask(ctx, request); !errors.Is(err, context.Canceled) || len(c.at) != 1 || budget.Books() != first {
			t.Errorf("%v after %d calls, booked %+v, before it %+v", err, len(c.at), budget.Books(), first)
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
	if _, err := limits.New(limits.Options{Budget: budget}).Limit(m).Ask(t.Context(), request); err != nil || budget.Books().Over.Tokens != 9 {
		t.Errorf("%v, %+v", err, budget.Books())
	}
}

func TestBoundCountsEveryByteThatIsSent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringN(0, 50, -1)
		r := &models.Request{System: text.Draw(t, "system")}
		sent := len(r.System)
		for range rapid.IntRange(0, 4).Draw(t, "messages") {
			m := models.Message{
				Text:    text.Draw(t, "text"),
				Calls:   []models.Call{{ID: text.Draw(t, "id"), Name: text.Draw(t, "name"), Args: []byte(text.Draw(t, "args"))}},
				Results: []models.Result{{Call: text.Draw(t, "call"), Text: text.Draw(t, "result")}},
			}
			sent += len(m.Text) + len(m.Calls[0].ID) + len(m.Calls[0].Name) + len(m.Calls[0].Args) + len(m.Results[0].Call) + len(m.Results[0].Text)
			r.Messages = append(r.Messages, m)
		}
		if rapid.Bool().Draw(t, "schema") {
			r.Schema = &models.Schema{Name: text.Draw(t, "schemaName"), JSON: []byte(text.Draw(t, "json"))}
			r.Tools = []models.Tool{{Name: text.Draw(t, "tool"), Description: text.Draw(t, "about"), Schema: []byte(text.Draw(t, "of"))}}
			sent += len(r.Schema.Name) + len(r.Schema.JSON) + len(r.Tools[0].Name) + len(r.Tools[0].Description) + len(r.Tools[0].Schema)
		}
		if got := limits.Bound(r); got < sent {
			t.Fatalf("bound %d of %d bytes", got, sent)
		}
	})
}

func TestBoundCountsAByteThatIsNotUTF8AsItIsSent(t *testing.T) {
	bad := strings.Repeat("\xff", 100)
	less := limits.Bound(&models.Request{Messages: []models.Message{{}}})
	if got := limits.Bound(&models.Request{Messages: []models.Message{models.User(bad)}}) - less; got != 300 {
		t.Errorf("%d bytes that are not UTF-8 count as %d", len(bad), got)
	}
}

func TestUsageThatMakesNoSenseIsBookedAsTheReservation(t *testing.T) {
	for name, u := range map[string]models.Usage{
		"minus one each":    {Input: -1, Output: -1},
		"negative":          {Input: -1_000_000},
		"too much":          {Input: math.MaxInt},
		"too much in sum":   {Input: math.MaxInt, Output: math.MaxInt},
		"negative cache":    {Input: 10, CacheRead: -1 << 40, Output: 1},
		"more in the cache": {Input: 10, CacheRead: 6, CacheWrite: 5, Output: 1},
		"a text of nothing": {Input: 1},
	} {
		b := limits.NewBudget(limits.Spend{Tokens: 10_000, Money: models.USD})
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			return &models.Answer{Text: "x", Finish: models.FinishStop, Usage: u}, nil
		}}
		l := limits.New(limits.Options{Budget: b, Prices: map[models.ID]models.Price{id: {Input: 1, CacheRead: 0.1, Output: 1}}}).Limit(m)
		if _, err := l.Ask(t.Context(), request); err != nil {
			t.Fatal(err)
		}
		if k := b.Books(); k.Spent.Tokens != limits.Bound(request)+request.Most || k.Spent.Money <= 0 || k.Open != k.Spent {
			t.Errorf("%s: got %+v", name, k)
		}
	}
}

func TestSumsThatCannotBeCountedStayTooHigh(t *testing.T) {
	b := limits.NewBudget(limits.Spend{Tokens: 1000})
	for range 3 {
		b.Book(limits.Change{Used: limits.Spend{Tokens: math.MaxInt - 1, Money: math.MaxInt64 - 1}})
	}
	if k := b.Books(); k.Spent != (limits.Spend{Tokens: math.MaxInt, Money: math.MaxInt64}) {
		t.Errorf("got %v", k.Spent)
	}
	if _, err := limits.New(limits.Options{Budget: b}).Limit(failing(0, nil).model()).Ask(t.Context(), request); !errors.Is(err, models.ErrBudget) {
		t.Errorf("got %v", err)
	}
}

func TestAnAnswerNeedsABoundThatCanBeReserved(t *testing.T) {
	for _, most := range []int{-5000, -1, 0, math.MaxInt} {
		r, c := *request, failing(0, nil)
		r.Most = most
		if _, err := limits.New(limits.Options{}).Limit(c.model()).Ask(t.Context(), &r); !errors.Is(err, models.ErrInvalid) || len(c.at) > 0 {
			t.Errorf("%d: %d calls, %v", most, len(c.at), err)
		}
	}
}

func TestKeptChangesAreWhatWasUsedAndIsOpen(t *testing.T) {
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
		{models.Usage{}, status(500), most, 0, most},
		{models.Usage{}, status(400), most, 0, 0},
		{models.Usage{Input: 180, Output: 20}, nil, most, 200, 0},
		{models.Usage{Input: 180, Output: 20}, nil, 250, 200, 0},
		{models.Usage{}, status(500), 250, 0, 250},
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
		books := b.Books()
		if got := used.Tokens - usedBefore.Tokens; got != c.used || books.Used() != used {
			t.Errorf("usage %v, %v: %d tokens are used, want %d, books %+v", c.usage, c.err, got, c.used, books)
		}
		if got := open.Tokens - openBefore.Tokens; got < c.stays || got > c.stays+1 || books.Open != open {
			t.Errorf("usage %v, %v: %d tokens stay open, want %d, books %+v", c.usage, c.err, got, c.stays, books)
		}
	}
	full := errors.New("the disk is full")
	b.Keep(func(limits.Change) error { return full })
	before := b.Books()
	if _, err := limits.New(limits.Options{Budget: b}).Limit(failing(0, nil).model()).Ask(t.Context(), request); !errors.Is(err, full) || b.Books() != before {
		t.Errorf("got %v, books %+v", err, b.Books())
	}
	if err := b.Settle(); !errors.Is(err, full) || b.Books() != before {
		t.Errorf("settled: %v, books %+v", err, b.Books())
	}
}

// asked lets a model that takes used tokens of each call answer n calls.
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

// TestALikelyCostFollowsWhatRecentCallsTook has calls of 100 tokens, and then of 300.
func TestALikelyCostFollowsWhatRecentCallsTook(t *testing.T) {
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

// TestACallThatFailedHoldsBackAllThatItMayHaveTaken in the process that made it: others
// cannot have it, though less is booked.
func TestACallThatFailedHoldsBackAllThatItMayHaveTaken(t *testing.T) {
	most := limits.Bound(request) + request.Most
	b := limits.NewBudget(limits.Spend{Tokens: 100 + 2*most})
	asked(t, b, 1, 100)
	fails := limits.New(limits.Options{Budget: b, Tries: 1}).Limit(failing(99, status(500)).model())
	for range 2 {
		_, _ = fails.Ask(t.Context(), request)
	}
	if k := b.Books(); k.Spent.Tokens > 100+2*126 || k.Spent.Tokens+k.Withheld.Tokens != 100+2*most {
		t.Errorf("books %+v", k)
	}
	if _, err := fails.Ask(t.Context(), request); !errors.Is(err, models.ErrBudget) || !strings.Contains(err.Error(), "and 0 of") {
		t.Errorf("a third call: %v", err)
	}
	if err := b.Settle(); err != nil || b.Books().Spent.Tokens != 100 || b.Books().Withheld != (limits.Spend{}) || b.Books().Open != (limits.Spend{}) {
		t.Errorf("settled: %v, %+v", err, b.Books())
	}
	asked(t, b, 1, 100)
}

// TestABudgetThatGoesOnHasTheBooksThatWereKept books what another kept.
func TestABudgetThatGoesOnHasTheBooksThatWereKept(t *testing.T) {
	before := limits.NewBudget(limits.Spend{Tokens: 1 << 20})
	var kept []limits.Change
	before.Keep(func(c limits.Change) error { kept = append(kept, c); return nil })
	asked(t, before, 5, 100)
	_, _ = limits.New(limits.Options{Budget: before, Tries: 1}).Limit(failing(9, status(500)).model()).Ask(t.Context(), request)

	after := limits.NewBudget(limits.Spend{Tokens: 1 << 20})
	for _, c := range kept {
		after.Book(c)
	}
	if was, is := before.Books(), after.Books(); is.Spent != was.Spent || is.Open != was.Open || is.Used().Tokens != 500 || is.Open.Tokens == 0 {
		t.Errorf("books %+v, before %+v", is, was)
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
	if k := settled.Books(); k.Spent.Tokens != 500 || k.Open != (limits.Spend{}) {
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

// named is a model of another name, whose calls take a part of what they may take.
type named struct {
	name string
	part int
}

func (m named) ID() models.ID { return models.ID{Provider: "test", Name: m.name} }

func (m named) Ask(_ context.Context, r *models.Request) (*models.Answer, error) {
	return answer(models.Usage{Input: limits.Bound(r) / m.part, Output: r.Most / m.part})
}

// TestALikelyCostIsThatOfTheModelInTokensAndMoney has output that costs much more than
// input, and two models of which one takes a hundred times as much.
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
			before := b.Books().Spent
			if _, err := shared.Limit(m).Ask(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			took := limits.Spend{Tokens: b.Books().Spent.Tokens - before.Tokens, Money: b.Books().Spent.Money - before.Money}
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
