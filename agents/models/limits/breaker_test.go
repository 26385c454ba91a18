package limits_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

func TestBreakerLeavesTheProviderAloneAndThenTriesOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := limits.New(limits.Options{Tries: 1, Failures: 3, Rest: 10 * time.Second})
		c := failing(4, status(500))
		m := c.model()
		ask := func() error {
			_, err := shared.Limit(m).Ask(t.Context(), request)
			return err
		}
		for range 3 {
			if err := ask(); !errors.Is(err, models.ErrOverloaded) {
				t.Fatalf("got %v", err)
			}
		}
		err := ask()
		var open *models.Error
		if !errors.Is(err, models.ErrOpen) || !errors.As(err, &open) || open.After != 10*time.Second || len(c.at) != 3 {
			t.Errorf("got %v after %d calls", err, len(c.at))
		}
		time.Sleep(10 * time.Second)
		if err := ask(); !errors.Is(err, models.ErrOverloaded) {
			t.Errorf("the try that shows whether it is back: %v", err)
		}
		if err := ask(); !errors.Is(err, models.ErrOpen) {
			t.Errorf("after it failed: %v", err)
		}
		time.Sleep(10 * time.Second)
		if err := errors.Join(ask(), ask()); err != nil || len(c.at) != 6 {
			t.Errorf("after it is back: %v, %d calls", err, len(c.at))
		}
	})
}

func TestOpenBreakerIsWaitedForByOneWhoMayRepeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 { // chance never makes it shorter
			c := failing(3, status(500))
			shared := limits.New(limits.Options{Failures: 3, Rest: 10 * time.Second, Tries: 5})
			if _, err := shared.Limit(c.model()).Ask(t.Context(), request); err != nil || len(c.at) != 4 || c.at[3]-c.at[2] < 10*time.Second {
				t.Errorf("%v, calls at %v", err, c.at)
			}
		}
	})
}

func TestRefusalsAndTooManyRequestsDoNotOpenTheBreaker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, err := range []error{status(429), status(400), status(401)} {
			shared := limits.New(limits.Options{Tries: 1, Failures: 2})
			m := failing(100, err).model()
			for range 5 {
				if _, got := shared.Limit(m).Ask(t.Context(), request); !errors.Is(got, err) {
					t.Errorf("got %v, want %v", got, err)
				}
			}
		}
	})
}

func TestCancelledTryOfAHalfOpenBreakerLeavesItUsable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := failing(2, status(500))
		m := c.model()
		shared := limits.New(limits.Options{Tries: 1, Failures: 2, Rest: time.Second})
		for range 2 {
			_, _ = shared.Limit(m).Ask(t.Context(), request)
		}
		time.Sleep(time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		hangs := &models.Scripted{Answer: func(ctx context.Context, _ *models.Request) (*models.Answer, error) {
			cancel()
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		if _, err := shared.Limit(hangs).Ask(ctx, request); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
		if _, err := shared.Limit(m).Ask(t.Context(), request); !errors.Is(err, models.ErrOpen) {
			t.Errorf("a cancelled try is taken for a good one: %v", err)
		}
		time.Sleep(time.Second)
		if _, err := shared.Limit(m).Ask(t.Context(), request); err != nil {
			t.Errorf("got %v", err)
		}
	})
}
