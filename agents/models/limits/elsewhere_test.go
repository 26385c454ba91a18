package limits_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
)

// TestACallIsNotHeldUpByAnOutageIfAnotherModelAnswers has a request that goes elsewhere.
func TestACallIsNotHeldUpByAnOutageIfAnotherModelAnswers(t *testing.T) {
	elsewhere := *request
	elsewhere.Elsewhere = true
	for problem, want := range map[*models.Problem]int{
		models.ErrOverloaded: 2, models.ErrConnection: 2, models.ErrTimeout: 1, models.ErrRateLimited: 8, models.ErrNotFound: 1,
	} {
		synctest.Test(t, func(t *testing.T) {
			c := failing(20, &models.Error{Model: id, Problem: problem})
			m := limits.New(limits.Options{}).Limit(c.model())
			if _, err := m.Ask(t.Context(), &elsewhere); len(c.at) != want || !errors.Is(err, problem) || temporary(err) {
				t.Errorf("%v: %d tries, %v, want %d", problem, len(c.at), err, want)
			}
			for range 10 {
				_, _ = m.Ask(t.Context(), &elsewhere)
			}
			before, tried := time.Now(), len(c.at)
			_, err := m.Ask(t.Context(), &elsewhere)
			if problem == models.ErrOverloaded && (!errors.Is(err, models.ErrOpen) || time.Since(before) != 0 || len(c.at) != tried) {
				t.Errorf("an open circuit breaker: %v after %v", err, time.Since(before))
			}
		})
	}
}
