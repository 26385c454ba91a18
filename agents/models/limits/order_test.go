package limits_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

// asker is a model that is a function.
type asker func(context.Context, *models.Request) (*models.Answer, error)

func (asker) ID() models.ID { return id }

func (a asker) Ask(ctx context.Context, r *models.Request) (*models.Answer, error) { return a(ctx, r) }

func TestAPanicIsBookedAndLeavesNoReservation(t *testing.T) {
	b := limits.NewBudget(limits.Spend{Tokens: 3000})
	l := limits.New(limits.Options{Budget: b}).Limit(models.Script("x"))
	func() {
		defer func() { _ = recover() }()
		r := *request
		r.Show = func(models.Piece) { panic("show") }
		_, _ = l.Ask(t.Context(), &r)
	}()
	if k := b.Account(); k.Reserved != (limits.Spend{}) || k.Spent.Tokens == 0 || k.Open != k.Spent {
		t.Errorf("got %+v", k)
	}
}

func TestAPanicLeavesAHalfOpenBreakerUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			n++
			switch n {
			case 1:
				return nil, status(500)
			case 2:
				panic("probe")
			}
			return models.Text("fine"), nil
		}}
		l := limits.New(limits.Options{Tries: 1, Failures: 1, Rest: time.Second}).Limit(m)
		_, _ = l.Ask(t.Context(), request)
		time.Sleep(2 * time.Second)
		func() {
			defer func() { _ = recover() }()
			_, _ = l.Ask(t.Context(), request)
		}()
		time.Sleep(time.Hour)
		if _, err := l.Ask(t.Context(), request); err != nil {
			t.Errorf("an hour later: %v (%d calls)", err, n)
		}
	})
}

func TestRetryAfterHoldsBackWhoWaitsForTheRateToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var at []time.Duration
		began := time.Now()
		m := asker(func(context.Context, *models.Request) (*models.Answer, error) {
			mu.Lock()
			at = append(at, time.Since(began))
			n := len(at)
			mu.Unlock()
			time.Sleep(100 * time.Millisecond)
			if n == 1 {
				return nil, status(429, "30")
			}
			return models.Text("ok"), nil
		})
		l := limits.New(limits.Options{Rate: 1}).Limit(m)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { _, _ = l.Ask(t.Context(), request) })
		}
		wg.Wait()
		early := 0
		for _, a := range at[1:] {
			if a < 30*time.Second {
				early++
			}
		}
		if early > 0 {
			t.Errorf("%d calls within the 30s that the provider asked for: %v", early, at)
		}
	})
}

func TestTheRateHoldsForCallsThatWaitedForTheBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := limits.NewBudget(limits.Spend{Tokens: 1100*8 + 1000})
		var mu sync.Mutex
		var at []time.Duration
		began := time.Now()
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			mu.Lock()
			at = append(at, time.Since(began))
			mu.Unlock()
			if r.Most > 1000 {
				time.Sleep(20 * time.Second)
			}
			return models.Text("ok"), nil
		}}
		l := limits.New(limits.Options{Rate: 1, Budget: b}).Limit(m)
		var wg sync.WaitGroup
		wg.Go(func() { r := *request; r.Most = 8500; _, _ = l.Ask(t.Context(), &r) })
		time.Sleep(time.Millisecond)
		for range 7 {
			wg.Go(func() { _, _ = l.Ask(t.Context(), request) })
		}
		wg.Wait()
		for i := 2; i < len(at); i++ {
			if at[i]-at[i-1] < 900*time.Millisecond {
				t.Fatalf("rate 1/s, tries at %v", at)
			}
		}
	})
}

func TestNoCallThatWaitedForTheBudgetBeginsAfterItsContextEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := limits.NewBudget(limits.Spend{Tokens: 1500})
		ctx, cancel := context.WithCancel(t.Context())
		first, n, late := make(chan struct{}), atomic.Int32{}, atomic.Int32{}
		m := asker(func(c context.Context, _ *models.Request) (*models.Answer, error) {
			if c.Err() != nil {
				late.Add(1)
			}
			if n.Add(1) == 1 {
				<-first
			}
			return models.Text("ok"), nil
		})
		l := limits.New(limits.Options{Budget: b}).Limit(m)
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = l.Ask(t.Context(), request); cancel() })
		synctest.Wait()
		wg.Go(func() { _, _ = l.Ask(ctx, request) })
		synctest.Wait()
		close(first)
		wg.Wait()
		if late.Load() > 0 {
			t.Errorf("%d call began after its context had ended", late.Load())
		}
	})
}

func TestACancelledOldCallDoesNotReopenTheBreakerOfAGoodProbe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := atomic.Int32{}
		m := asker(func(c context.Context, _ *models.Request) (*models.Answer, error) {
			switch n.Add(1) {
			case 1: // old, hangs until canceled
				<-c.Done()
				return nil, context.Cause(c)
			case 2:
				return nil, status(500)
			case 3: // probe
				time.Sleep(5 * time.Second)
			}
			return models.Text("fine"), nil
		})
		l := limits.New(limits.Options{Tries: 1, Failures: 1, Rest: 10 * time.Second}).Limit(m)
		old, cancel := context.WithCancel(t.Context())
		go func() { _, _ = l.Ask(old, request) }()
		synctest.Wait()
		_, _ = l.Ask(t.Context(), request)
		time.Sleep(11 * time.Second)
		go func() { time.Sleep(time.Second); cancel() }()
		_, err := l.Ask(t.Context(), request)
		_, err2 := l.Ask(t.Context(), request)
		if err != nil || err2 != nil {
			t.Errorf("probe: %v, next: %v", err, err2)
		}
	})
}
