package models

import (
	"context"
	"math"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// An Embedder maps texts to vectors: texts with similar meanings have vectors of
// similar direction. It is safe for concurrent use.
type Embedder interface {
	// ID returns the provider and the model. It is constant.
	ID() ID
	// Embed returns a vector for each text, all of the same length, by one call
	// of the provider. Its errors are those of [Model].Ask.
	Embed(ctx context.Context, texts ...string) ([][]float32, error)
}

// Alike returns a function for swarm.Options that reports whether two proposals say
// the same: whether the cosine similarity of their contents is at least atLeast, up to
// 1. A useful value depends on the embedder: try it on your own proposals. If the
// embedder fails the proposals are not alike; a hook that ctx carries sees the error
// ([agents.OpModel]). Calls are neither part of a budget nor recorded on a cassette.
func Alike(e Embedder, atLeast float64) func(ctx context.Context, earlier, later signals.Proposal) bool {
	return func(ctx context.Context, earlier, later signals.Proposal) bool {
		ctx, end := agents.Start(ctx, agents.Op{Name: agents.OpModel, Target: e.ID().Name})
		both, err := e.Embed(ctx, earlier.Content, later.Content)
		end(nil, err)
		return err == nil && len(both) == 2 && cosine(both[0], both[1]) >= atLeast
	}
}

// cosine returns the cosine similarity of two vectors, or NaN if it is
// undefined.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return math.NaN()
	}
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}
