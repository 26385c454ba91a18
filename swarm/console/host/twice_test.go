package host_test

import (
	"errors"
	"net/http"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/hosttest"
)

// Two escalations of a round are both in the inbox, and take answers that come at once: one each.
func TestTwoQuestionsOfARoundTakeAnAnswerEach(t *testing.T) {
	t.Parallel()
	for range 10 {
		s := hosttest.Start(t, t.TempDir())
		id, items := s.Begin(t, hosttest.Twice)
		if len(items) != 2 {
			t.Fatalf("the inbox has %+v", items)
		}
		var wg sync.WaitGroup
		for i, text := range []string{"Yes.", "A year."} {
			for range 2 {
				wg.Go(func() {
					got, err := s.Backend.Reply(t.Context(), items[i].ID, api.Reply{Answer: text})
					if refused := (*api.Error)(nil); errors.As(err, &refused) && refused.Status == http.StatusConflict && refused.Answered != nil {
						return
					}
					if err != nil || got.Answer == nil || got.Answer.Text != text {
						t.Errorf("%q: %+v (%v)", text, got, err)
					}
				})
			}
		}
		wg.Wait()
		if done := s.Done(t, id); done.State != api.Decided {
			t.Errorf("the solve is %s: %s", done.State, done.Detail)
		}
	}
}
