package models

import (
	"context"
	"math"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// An Embedder makes vectors of texts: those of texts that mean alike point alike. It
// is safe for concurrent use.
type Embedder interface {
	// ID says who serves which model. It is always the same.
	ID() ID
	// Embed returns a vector for each text, all of one length, by one call of the
	// provider. It fails as [Model].Ask does.
	Embed(ctx context.Context, texts ...string) ([][]float32, error)
}

// Alike reports whether two proposals say the same, for swarm.Options: whether the
// cosine between the vectors of their contents is at least so much, up to 1. What
// that means is the embedder's: try it on proposals of your own. Two proposals are not
// alike where the embedder fails, which a hook that ctx carries sees
// ([agents.OpModel]). A call is neither in a budget nor on a cassette.
func Alike(e Embedder, atLeast float64) func(ctx context.Context, earlier, later signals.Proposal) bool {
	return func(ctx context.Context, earlier, later signals.Proposal) bool {
		ctx, end := agents.Start(ctx, agents.Op{Name: agents.OpModel, Target: e.ID().Name})
		both, err := e.Embed(ctx, earlier.Content, later.Content)
		end(nil, err)
		return err == nil && len(both) == 2 && cosine(both[0], both[1]) >= atLeast
	}
}

// cosine is that of the angle between two vectors, and NaN for none.
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
