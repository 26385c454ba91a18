package host_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/hosttest"
)

// A solve that waits for a person is cancelled in their name: nobody is asked any more, and it does not
// go on, also not after a restart.
func TestASolveThatWaitsIsCancelled(t *testing.T) {
	t.Parallel()
	for what, calls := range map[string][]hosttest.Call{"a call": {{Tool: "wipe", Args: `{}`}}, "an escalation": nil} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			s := hosttest.Start(t, t.TempDir(), calls...)
			solve, items := s.Asks(t)
			one, err := s.Backend.Guarded().Solves.Cancel(api.By(t.Context(), api.Who{Name: "Ada", Role: api.RoleOperator}), solve)
			if err != nil || one.Stop != "abandoned" || one.State != api.Undecided || one.Waits != 0 || !strings.Contains(one.Detail, "Ada cancelled the solve while it waited") {
				t.Fatalf("it is %+v (%v)", one, err)
			}
			ended := func() {
				t.Helper()
				if open := s.Open(t, solve); len(open) != 0 {
					t.Errorf("it still asks %+v", open)
				}
				if one, err := s.Backend.Solves.Resume(t.Context(), solve); err != nil || one.Stop != "abandoned" {
					t.Errorf("resumed: %+v (%v)", one, err)
				}
				if _, err := s.Backend.Solves.Cancel(t.Context(), solve); status(err) != http.StatusConflict {
					t.Errorf("cancelled again: %v", err)
				}
				if items[0].Type == "tool" {
					_, err = s.Backend.Inbox.Decide(t.Context(), items[0].ID, api.Verdict{Verdict: "once"})
				} else {
					_, err = s.Backend.Inbox.Answer(t.Context(), items[0].ID, api.Answer{Text: "yes"})
				}
				if status(err) != http.StatusNotFound {
					t.Errorf("answered: %v", err)
				}
				check, err := s.Backend.Runs.Replay(context.Background(), hosttest.Team)
				if err != nil || !check.Identical {
					t.Errorf("replayed: %+v (%v)", check, err)
				}
				if ran := s.Ran(); len(ran) != 0 {
					t.Errorf("it called %v", ran)
				}
			}
			ended()
			s.Restart(t, nil)
			ended()
		})
	}
}
