package models_test

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/signals"
)

// plane puts texts where it is told to.
type plane map[string][]float32

var errPlane = errors.New("no such text")

func (plane) ID() models.ID { return models.ID{Provider: "test", Name: "plane"} }

func (p plane) Embed(_ context.Context, texts ...string) (all [][]float32, err error) {
	for _, text := range texts {
		v, ok := p[text]
		if !ok {
			v, err = []float32{1, 0}, errPlane
		}
		all = append(all, v)
	}
	return all, err
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

// ended is a hook that keeps how the last op ended.
type ended struct {
	op  agents.Op
	err error
}

func (h *ended) Start(ctx context.Context, op agents.Op) (context.Context, agents.End) {
	h.op = op
	return ctx, func(_ any, err error) { h.err = err }
}
func (*ended) Note(context.Context, any)            {}
func (*ended) Trace(context.Context) *signals.Trace { return nil }

func TestAnEmbedderThatFailsIsSeenAndFindsNothingAlike(t *testing.T) {
	h := &ended{}
	same := models.Alike(plane{}, 0)(agents.WithHook(t.Context(), h), signals.Proposal{Content: "a"}, signals.Proposal{Content: "a"})
	if same || h.op.Name != agents.OpModel || h.op.Target != "plane" || !errors.Is(h.err, errPlane) {
		t.Errorf("same %v, op %+v ended with %v", same, h.op, h.err)
	}
}
