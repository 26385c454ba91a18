package thinker_test

import (
	"context"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
	"github.com/swarmbus/swarmbus/signals"
)

// failsAfter answers with the texts and then fails, as a model in an outage.
func failsAfter(texts ...string) models.Model {
	script := models.Script(texts...)
	return &models.Scripted{Name: "large", Answer: func(ctx context.Context, r *models.Request) (*models.Answer, error) {
		a, err := script.Answer(ctx, r)
		if err != nil {
			err = &models.Error{Problem: models.ErrOverloaded, Final: true, Detail: strings.Repeat("down ", 1000)}
		}
		return a, err
	}}
}

// TestATurnSaysWhichModelSpoke has a model that fails at the first, at the second or at the third call
// of a turn that is repaired.
func TestATurnSaysWhichModelSpoke(t *testing.T) {
	const vote = `{"say":[{"type":"vote","proposal":"P1","stance":"agree","reasons":"so","confidence":0.9}]}`
	for name, c := range map[string]struct {
		first, second []string
		want          []signals.Kind
	}{
		"the own model":               {[]string{vote}, nil, []signals.Kind{signals.KindVote}},
		"another":                     {nil, []string{vote}, []signals.Kind{"turn:fallback", signals.KindVote}},
		"another, repaired":           {nil, []string{"{", vote}, []signals.Kind{"turn:fallback", signals.KindVote}},
		"the repair is another's":     {[]string{"{"}, []string{vote}, []signals.Kind{"turn:fallback", signals.KindVote}},
		"the repair of it is useless": {[]string{vote[:len(vote)-2] + `,{"type":"song"}]}`}, []string{"{"}, []signals.Kind{signals.KindVote}},
	} {
		second := models.Script(c.second...)
		second.Name = "small"
		said, _, _ := take(t, thinker.Thinker{ID: "critic", Model: models.Fallback(failsAfter(c.first...), second)}, turn())
		var got []signals.Kind
		for _, s := range said {
			got = append(got, s.Kind())
			if f, ok := s.Body().(agents.Fallback); ok && (f.Model != "scripted:small" || f.For != "scripted:large" || !strings.Contains(f.Reason, "overloaded") || len(f.Reason) > 1<<10) {
				t.Errorf("%s: %+v", name, f)
			}
			if err := signals.Validate(s); err != nil {
				t.Error(err)
			}
		}
		if len(got) != len(c.want) || got[0] != c.want[0] {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
}
