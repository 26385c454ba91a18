package host_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A person may abstain in answer to a question, or vote against its proposal.
func TestAnAnswerHasEachStance(t *testing.T) {
	t.Parallel()
	h, _ := open(t, t.TempDir(), nil)
	b := h.Backend()
	for _, stance := range []string{"disagree", "abstain"} {
		one := solve(t, b, "How long may we keep the raw access logs?")
		items, err := b.Inbox.Items(t.Context(), false)
		if err != nil || len(items) != 1 {
			t.Fatalf("%+v, %v", items, err)
		}
		got, err := b.Inbox.Answer(t.Context(), items[0].ID, api.Answer{Vote: items[0].Options[0].Proposal, Stance: stance, Text: "we promised", By: "Ada"})
		if err != nil || got.Answer == nil || got.Answer.Stance != stance || got.Answer.Text != "we promised" {
			t.Errorf("%s: got %+v, %v", stance, got.Answer, err)
		}
		until(t, b, one.ID, func(s api.Solve) bool { return s.State != api.Running && s.State != api.Waiting })
	}
}
