package models_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

// plane embeds texts at given points.
type plane map[string][]float32

var errPlane = errors.New("no such text")

func (plane) ID() models.ID { return models.ID{Provider: "test", Name: "plane"} }

func (p plane) Embed(_ context.Context, texts ...string) (v *models.Vectors, err error) {
	var all [][]float32
	for _, text := range texts {
		at, ok := p[text]
		if !ok {
			at, err = []float32{1, 0}, errPlane
		}
		all = append(all, at)
	}
	return &models.Vectors{All: all, Usage: models.Usage{Input: 3 * len(texts)}}, err
}

func TestProposalsAreAlikeWhoseVectorsPointAlike(t *testing.T) {
	p := plane{
		"east": {1, 0}, "far east": {9, 0}, "north-east": {1, 1}, "north": {0, 1}, "west": {-1, 0}, "nowhere": {0, 0}, "up": {1, 0, 0}, "": {},
	}
	for _, c := range []struct {
		earlier, later string
		atLeast        float64
		want           bool
	}{
		{"east", "far east", 1, true},
		{"east", "north-east", 0.70, true},
		{"east", "north-east", 0.71, false},
		{"north-east", "north", 0.70, true},
		{"east", "north", 0.01, false},
		{"east", "west", 0, false},
		{"west", "west", 1, true},
		{"east", "nowhere", 0, false},
		{"nowhere", "nowhere", 0, false},
		{"east", "up", 0, false},
		{"up", "east", 0, false},
		{"", "", 0, false},
		{"east", "unknown", 0, false},
	} {
		same := models.Alike(p, c.atLeast)
		if got := same(t.Context(), signals.Proposal{Content: c.earlier}, signals.Proposal{Content: c.later}); got != c.want {
			t.Errorf("%q and %q at %v: got %v", c.earlier, c.later, c.atLeast, got)
		}
	}
}

func TestCallsOfAlikeAreCounted(t *testing.T) {
	var spent agents.Cost
	ctx := agents.WithSpending(t.Context(), func(s agents.Cost) { spent = spent.Plus(s) })
	if !models.Alike(plane{"east": {1, 0}}, 1)(ctx, signals.Proposal{Content: "east"}, signals.Proposal{Content: "east"}) || spent.Calls != 1 || spent.InputTokens != 6 {
		t.Errorf("spent %+v", spent)
	}
}

func TestAnEmbedderThatWasAModelIsTheSame(t *testing.T) {
	e := models.EmbedderOf(models.ModelOf(plane{"east": {1, 0}, "north": {0, 1}}))
	got, err := e.Embed(t.Context(), "north", "east")
	if diff := cmp.Diff(&models.Vectors{All: [][]float32{{0, 1}, {1, 0}}, Usage: models.Usage{Input: 6}}, got); diff != "" || err != nil || e.ID() != (plane{}).ID() {
		t.Errorf("%v, %v: %s", e.ID(), err, diff)
	}
	if _, err := e.Embed(t.Context(), "nowhere"); !errors.Is(err, errPlane) {
		t.Errorf("got %v", err)
	}
	if v, err := models.EmbedderOf(models.Script("no vectors")).Embed(t.Context(), "east"); !errors.Is(err, models.ErrMalformed) {
		t.Errorf("of a model that makes none: %v, %v", v, err)
	}
}

// ended is a hook that keeps how the last op ended.
type ended struct {
	op  hooks.Op
	err error
}

func (h *ended) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	h.op = op
	return ctx, func(_ any, err error) { h.err = err }
}
func (*ended) Note(context.Context, any)            {}
func (*ended) Trace(context.Context) *signals.Trace { return nil }

func TestAnEmbedderThatFailsIsSeenAndFindsNothingAlike(t *testing.T) {
	h := &ended{}
	same := models.Alike(plane{}, 0)(hooks.With(t.Context(), h), signals.Proposal{Content: "a"}, signals.Proposal{Content: "a"})
	if same || h.op.Name != hooks.OpModel || h.op.Target != "plane" || !errors.Is(h.err, errPlane) {
		t.Errorf("same %v, op %+v ended with %v", same, h.op, h.err)
	}
}
