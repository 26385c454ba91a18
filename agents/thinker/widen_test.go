package thinker_test

import (
	"context"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/thinker"
)

// paid is a model with a budget for answers of so many tokens.
type paid struct {
	*models.Scripted
	most int
}

func (p paid) Reserve(_ context.Context, r *models.Request, _ int) (release func(), ok bool) {
	return func() {}, r.Most <= p.most
}

func TestABoundThatWasReachedIsRaisedIfTheBudgetHasIt(t *testing.T) {
	for most, want := range map[int][]int{4096: {1024, 4096}, 4095: {1024, 1024}} {
		var bounds []int
		m := &models.Scripted{Answer: func(_ context.Context, r *models.Request) (*models.Answer, error) {
			if bounds = append(bounds, r.Most); len(bounds) > 1 {
				return models.Text(pass), nil
			}
			return &models.Answer{Finish: models.FinishLength, Usage: models.Usage{Input: 100, Output: r.Most, Reasoning: r.Most}}, nil
		}}
		_, _, err := take(t, thinker.Thinker{ID: "critic", Model: paid{m, most}}, turn())
		if err != nil || !slices.Equal(bounds, want) {
			t.Errorf("with a budget for %d tokens: bounds of %v, want %v: %v", most, bounds, want, err)
		}
	}
}
