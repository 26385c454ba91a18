package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/internal/retry"
)

func TestPausesGrowUpToTheMost(t *testing.T) {
	for range 100 {
		b := retry.Backoff{First: time.Second, Most: 5 * time.Second, Factor: 2, Jitter: 0.25}
		for n, want := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 5 * time.Second, 5 * time.Second} {
			if got := b.Next(); got < want*3/4 || got > want*5/4 {
				t.Errorf("pause %d is %v", n, got)
			}
		}
	}
	endless := &retry.Backoff{First: time.Second, Factor: 2}
	for range 1000 {
		endless.Next()
	}
	if got := endless.Next(); got < 24*time.Hour {
		t.Errorf("without a bound: %v", got)
	}
}

func TestSleepEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, why := time.Now(), errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Minute, func() { cancel(why) })
		first, second := retry.Sleep(ctx, time.Second), retry.Sleep(ctx, time.Hour)
		if took := time.Since(began); first != nil || !errors.Is(second, why) || took != time.Minute {
			t.Errorf("%v, %v after %v", first, second, took)
		}
	})
}

func TestABreakerOpensAfterFailuresInARowAndTriesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &retry.Breaker{Failures: 2, Rest: 10 * time.Second}
		call := func(r retry.Result, want bool, left time.Duration) {
			t.Helper()
			end, got, closed := b.Begin()
			if closed != want || got != left {
				t.Fatalf("got %v, %v left, want %v, %v", closed, got, want, left)
			}
			if closed {
				end(r)
			}
		}
		old, _, _ := b.Begin()
		for _, r := range []retry.Result{retry.Fails, retry.Works, retry.Fails, retry.Nothing, retry.Fails} {
			call(r, true, 0)
		}
		time.Sleep(3 * time.Second)
		call(retry.Works, false, 7*time.Second)
		time.Sleep(7 * time.Second)
		probe, _, closed := b.Begin()
		if !closed {
			t.Fatal("no call may show whether it works again")
		}
		call(retry.Works, false, 0)
		old(retry.Works) // shows nothing of now
		call(retry.Works, false, 0)
		probe(retry.Nothing)
		call(retry.Works, false, 10*time.Second)
		time.Sleep(10 * time.Second)
		call(retry.Works, true, 0)
		call(retry.Fails, true, 0)
		call(retry.Works, true, 0)
	})
}
