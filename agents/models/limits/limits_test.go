package limits_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

var id = models.ID{Provider: "scripted", Name: "scripted"}

// calls is a model that fails as it is set up to, and records the times of its calls.
type calls struct {
	mu     sync.Mutex
	began  time.Time
	at     []time.Duration
	answer func(n int) (*models.Answer, error) // n from 1
}

func (c *calls) model() *models.Scripted {
	c.began = time.Now()
	return &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		c.mu.Lock()
		c.at = append(c.at, time.Since(c.began))
		n := len(c.at)
		c.mu.Unlock()
		return c.answer(n)
	}}
}

// failing fails so often and then answers.
func failing(times int, err error) *calls {
	return &calls{answer: func(n int) (*models.Answer, error) {
		if n <= times {
			return nil, err
		}
		return models.Text("fine"), nil
	}}
}

func status(code int, after ...string) error {
	h := http.Header{}
	if len(after) > 0 {
		h.Set("Retry-After", after[0])
	}
	return models.StatusError(id, code, h, "")
}

func temporary(err error) bool {
	var failed *models.Error
	return errors.As(err, &failed) && failed.Temporary()
}

var request = &models.Request{Messages: []models.Message{models.User("?")}, Most: 10}

func TestPassingErrorsAreRepeatedAndOthersAreNot(t *testing.T) {
	for code := 400; code < 600; code++ {
		want := 1
		if code == 408 || code == 409 || code == 429 || code >= 500 && code != 501 {
			want = 4
		}
		synctest.Test(t, func(t *testing.T) {
			c := failing(3, status(code))
			a, err := limits.New(limits.Options{}).Limit(c.model()).Ask(t.Context(), request)
			if len(c.at) != want || (err == nil) != (want == 4) || err == nil && a.Text != "fine" {
				t.Errorf("status %d: %d tries, %v, want %d", code, len(c.at), err, want)
			}
		})
	}
}

func TestPausesDoubleWithJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		different := map[time.Duration]bool{}
		for range 20 {
			c := failing(5, status(500))
			if _, err := limits.New(limits.Options{MaxPause: 3 * time.Second, Failures: 100}).Limit(c.model()).Ask(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			for i, want := range []time.Duration{500, 1000, 2000, 3000, 3000} {
				want *= time.Millisecond
				if got := c.at[i+1] - c.at[i]; got < want*3/4-time.Millisecond || got > want*5/4+time.Millisecond {
					t.Errorf("pause %d is %v, want about %v", i+1, got, want)
				}
			}
			different[c.at[1]] = true
		}
		if len(different) < 10 {
			t.Errorf("%d different first pauses of 20", len(different))
		}
	})
}

func TestRetryAfterIsWaitedForAtLeast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 20 {
			c := failing(5, status(429, "9"))
			if _, err := limits.New(limits.Options{}).Limit(c.model()).Ask(t.Context(), request); err != nil {
				t.Fatal(err)
			}
			for i := range 5 {
				if got := c.at[i+1] - c.at[i]; got < 9*time.Second || got > 16*time.Second {
					t.Errorf("pause %d is %v, want 9s to 15s", i+1, got)
				}
			}
		}
	})
}

func TestRetryAfterHoldsEverybodyBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, other := failing(1, status(429, "9")), failing(0, nil)
		shared := limits.New(limits.Options{})
		a, b := shared.Limit(first.model()), shared.Limit(other.model())
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = a.Ask(t.Context(), request) })
		synctest.Wait()
		if _, err := b.Ask(t.Context(), request); err != nil || other.at[0] != 9*time.Second {
			t.Errorf("the other call went out after %v, %v, want 9s", other.at, err)
		}
		wg.Wait()
	})
}

// TestAShorterRetryAfterShortensNoPause lets a call that went out before the provider asked
// for 9s bring back that it asks for 2s.
func TestAShorterRetryAfterShortensNoPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared := limits.New(limits.Options{})
		first, other := failing(1, status(429, "9")), failing(0, nil)
		slow := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
			time.Sleep(time.Second)
			return nil, status(429, "2")
		}}
		ctx, cancel := context.WithTimeout(t.Context(), 8*time.Second)
		defer cancel()
		var wg sync.WaitGroup
		wg.Go(func() { _, _ = shared.Limit(slow).Ask(ctx, request) })
		synctest.Wait()
		wg.Go(func() { _, _ = shared.Limit(first.model()).Ask(t.Context(), request) })
		time.Sleep(1500 * time.Millisecond)
		if _, err := shared.Limit(other.model()).Ask(t.Context(), request); err != nil || other.at[0] < 9*time.Second-1500*time.Millisecond {
			t.Errorf("the other call went out after %v, %v, want it to wait until 9s", other.at, err)
		}
		wg.Wait()
	})
}

func TestProviderThatAsksForTooMuchPatienceIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := failing(1, status(429, "3600"))
		_, err := limits.New(limits.Options{}).Limit(c.model()).Ask(t.Context(), request)
		if passes := temporary(err); !errors.Is(err, models.ErrRateLimited) || len(c.at) != 1 || passes || !strings.Contains(err.Error(), "1h0m0s") {
			t.Errorf("%d tries, %v, passes: %t", len(c.at), err, passes)
		}
	})
}

func TestRetriedCallIsNotRetriedByOuterLayers(t *testing.T) {
	for tries, want := range map[int]bool{1: true, 2: false, 3: false} {
		synctest.Test(t, func(t *testing.T) {
			_, err := limits.New(limits.Options{Tries: tries}).Limit(failing(100, status(503)).model()).Ask(t.Context(), request)
			if passes := temporary(err); passes != want {
				t.Errorf("after %d tries: %v, passes: %t", tries, err, passes)
			}
		})
	}
}

func TestServerNeverReachedIsGivenUpSoon(t *testing.T) {
	refused := &models.Error{Model: id, Problem: models.ErrConnection, Unbilled: true}
	for before, want := range map[error]int{refused: 3, nil: 8, status(400): 8} {
		synctest.Test(t, func(t *testing.T) {
			shared := limits.New(limits.Options{Failures: uint(want)})
			if want == 3 {
				for range 20 { // others' calls open no circuit breaker
					_, _ = shared.Limit(failing(100, refused).model()).Ask(t.Context(), request)
				}
			}
			switch {
			case errors.Is(before, refused):
			case before == nil:
				_, _ = shared.Limit(failing(0, nil).model()).Ask(t.Context(), request)
			default:
				_, _ = shared.Limit(failing(1, before).model()).Ask(t.Context(), request)
			}
			c := failing(100, refused)
			_, err := shared.Limit(c.model()).Ask(t.Context(), request)
			if passes := temporary(err); len(c.at) != want || !errors.Is(err, models.ErrConnection) || passes || want == 3 && time.Since(c.began) > 5*time.Second {
				t.Errorf("%d tries after %v, want %d: %v", len(c.at), before, want, err)
			}
		})
	}
}

func TestRetriesAreReportedWithErrorAndPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var pauses []time.Duration
		c := failing(2, status(503))
		_, err := limits.New(limits.Options{Retrying: func(err error, pause time.Duration) {
			if !errors.Is(err, models.ErrOverloaded) {
				t.Error(err)
			}
			pauses = append(pauses, pause)
		}}).Limit(c.model()).Ask(t.Context(), request)
		if err != nil || len(pauses) != 2 || pauses[0] != c.at[1]-c.at[0] || pauses[1] != c.at[2]-c.at[1] {
			t.Errorf("%v: pauses %v, tries at %v", err, pauses, c.at)
		}
	})
}

func TestCancelledCallNamesTheErrorThatWasRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := limits.New(limits.Options{}).Limit(failing(100, status(429, "9")).model()).Ask(ctx, request)
		var failed *models.Error
		if !errors.Is(err, context.DeadlineExceeded) || errors.As(err, &failed) || !strings.Contains(err.Error(), "status 429") {
			t.Errorf("got %v", err)
		}
	})
}

func TestTriesEndWithTheLastError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := failing(100, status(503))
		_, err := limits.New(limits.Options{Tries: 3}).Limit(c.model()).Ask(t.Context(), request)
		if !errors.Is(err, models.ErrOverloaded) || len(c.at) != 3 {
			t.Errorf("%d tries, %v, want 3", len(c.at), err)
		}
	})
}

func TestCancelEndsThePauseAndNoTryFollows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		c := failing(100, status(429, "5"))
		began := time.Now()
		_, err := limits.New(limits.Options{}).Limit(c.model()).Ask(ctx, request)
		if took := time.Since(began); !errors.Is(err, why) || took != time.Second {
			t.Errorf("ended after %v with %v", took, err)
		}
		time.Sleep(time.Hour)
		if len(c.at) != 1 {
			t.Errorf("%d tries, want 1", len(c.at))
		}
	})
}

func TestRateIsShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, c := limits.New(limits.Options{Rate: 2, Burst: 1}), failing(0, nil)
		m := c.model()
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() { _, _ = shared.Limit(m).Ask(t.Context(), request) })
		}
		wg.Wait()
		for i, at := range c.at {
			if want := time.Duration(i) * time.Second / 2; at < want-time.Millisecond || at > want+time.Millisecond {
				t.Errorf("call %d at %v, want %v", i, at, want)
			}
		}
	})
}

func TestCallThatWouldComeAfterItsDeadlineIsNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shared, c := limits.New(limits.Options{Rate: 0.01, Tries: 1}), failing(0, nil)
		m := shared.Limit(c.model())
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, first := m.Ask(ctx, request)
		_, second := m.Ask(ctx, request)
		if first != nil || !errors.Is(second, models.ErrTimeout) || len(c.at) != 1 {
			t.Errorf("%v, %v, %d calls", first, second, len(c.at))
		}
	})
}

func TestTryThatHangsIsEndedAndRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		m := &models.Scripted{Answer: func(ctx context.Context, _ *models.Request) (*models.Answer, error) {
			if n++; n == 1 {
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return models.Text("fine"), nil
		}}
		began := time.Now()
		a, err := limits.New(limits.Options{Timeout: 20 * time.Second}).Limit(m).Ask(t.Context(), request)
		if took := time.Since(began); err != nil || a.Text != "fine" || took < 20*time.Second || took > 21*time.Second {
			t.Errorf("%v, %v after %v", a, err, took)
		}
	})
}

func TestStreamedTextOfAFailedTryIsDiscarded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := 0
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			if n++; n == 1 {
				r.Show(models.Piece{Text: "hal"})
				return nil, &models.Error{Problem: models.ErrCutOff}
			}
			return models.Text("whole"), nil
		}}
		var shown strings.Builder
		r := *request
		r.Show = func(p models.Piece) { fmt.Fprintf(&shown, "%s %v|", p.Text, p.Again) }
		if _, err := limits.New(limits.Options{}).Limit(m).Ask(t.Context(), &r); err != nil || shown.String() != "hal false| true|whole false|" {
			t.Errorf("shown %q, %v", shown.String(), err)
		}
	})
}

func TestWhatIsBrokenIsNotAskedForEightTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for problem, want := range map[*models.Problem]int{models.ErrMalformed: 2, models.ErrCutOff: 3, models.ErrOverloaded: 8} {
			var asked []string
			m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
				asked = append(asked, r.Messages[len(r.Messages)-1].Text)
				return nil, &models.Error{Problem: problem, Detail: "no JSON"}
			}}
			_, err := limits.New(limits.Options{Failures: 100}).Limit(m).Ask(t.Context(), request)
			var failed *models.Error
			if !errors.As(err, &failed) || failed.Problem != problem || !failed.Final || len(asked) != want {
				t.Errorf("%v: %d tries, %v", problem, len(asked), err)
			}
			told := strings.Contains(asked[len(asked)-1], "could not be read: no JSON")
			if told != (problem == models.ErrMalformed) || asked[0] != request.Messages[0].Text || len(request.Messages) != 1 {
				t.Errorf("%v: asked %q", problem, asked)
			}
		}
	})
}

func TestEveryTryIsAskedTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var seen []string
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			seen = append(seen, r.Messages[0].Text+strconv.Itoa(r.Most))
			return nil, status(500)
		}}
		_, _ = limits.New(limits.Options{Tries: 3}).Limit(m).Ask(t.Context(), request)
		if fmt.Sprint(seen) != "[?10 ?10 ?10]" {
			t.Errorf("asked %v", seen)
		}
	})
}

func TestProviderThatAsksForCenturiesIsGivenUp(t *testing.T) {
	for _, after := range []string{"10000000000", "9223372037", strings.Repeat("9", 400)} {
		synctest.Test(t, func(t *testing.T) {
			c := failing(3, status(429, after))
			if _, err := limits.New(limits.Options{}).Limit(c.model()).Ask(t.Context(), request); !errors.Is(err, models.ErrRateLimited) || len(c.at) != 1 {
				t.Errorf("%s: %d calls, %v", after, len(c.at), err)
			}
		})
	}
}

func TestAWaitBeyondPatienceHoldsForLaterCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := failing(1, status(429, "90"))
		m := limits.New(limits.Options{}).Limit(c.model())
		for range 5 {
			if _, err := m.Ask(t.Context(), request); !errors.Is(err, models.ErrRateLimited) || temporary(err) {
				t.Errorf("got %v", err)
			}
			time.Sleep(5 * time.Second)
		}
		if len(c.at) != 1 {
			t.Errorf("%d calls were made within the wait", len(c.at))
		}
		time.Sleep(10 * time.Second) // 55 s are left
		if _, err := m.Ask(t.Context(), request); err != nil || len(c.at) != 2 || c.at[1] < 90*time.Second {
			t.Errorf("calls at %v, %v", c.at, err)
		}
	})
}

// TestOnlyAnErrorThatWasRetriedOrHadToWaitTooLongIsFinal: a caller of a call that is not
// retried here may retry it.
func TestOnlyAnErrorThatWasRetriedOrHadToWaitTooLongIsFinal(t *testing.T) {
	for name, c := range map[string]struct {
		tries     int
		err       *models.Error
		final     bool
		temporary bool
	}{
		"one try":               {1, &models.Error{Problem: models.ErrOverloaded, Status: 503}, false, true},
		"one try, a short wait": {1, &models.Error{Problem: models.ErrRateLimited, Status: 429, After: time.Second}, false, true},
		"one try, a long wait":  {1, &models.Error{Problem: models.ErrRateLimited, Status: 429, After: time.Hour}, true, false},
		"two tries":             {2, &models.Error{Problem: models.ErrOverloaded, Status: 503}, true, false},
		"a permanent error":     {2, &models.Error{Problem: models.ErrAuth, Status: 401}, false, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			_, err := limits.New(limits.Options{Tries: c.tries}).Limit(failing(99, c.err).model()).Ask(t.Context(), request)
			var got *models.Error
			if !errors.As(err, &got) || got.Final != c.final || got.Temporary() != c.temporary {
				t.Errorf("%s: got %+v", name, got)
			}
			if c.err.Final {
				t.Errorf("%s: the adapter's error was modified", name)
			}
		})
	}
}

func TestNotesOfAnswersAreToldWithTheirModel(t *testing.T) {
	m := &models.Scripted{Answer: func(context.Context, *models.Request) (*models.Answer, error) {
		a := models.Text("fine")
		a.Notes = []string{"seed is not sent"}
		return a, nil
	}}
	var told []string
	shared := limits.New(limits.Options{Noted: func(id models.ID, notes []string) {
		told = append(told, id.String()+": "+strings.Join(notes, "; "))
	}})
	if _, err := shared.Limit(m).Ask(t.Context(), request); err != nil {
		t.Fatal(err)
	}
	if want := id.String() + ": seed is not sent"; len(told) != 1 || told[0] != want {
		t.Errorf("told %q, want %q", told, want)
	}
}
