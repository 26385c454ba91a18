package memory

import (
	"context"
	"hash/fnv"
	"math"
	"strings"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/internal/text"
)

// Hashed returns an embedder that needs no model: a vector counts a text's words and their
// groups of three to five letters, hashed to 384 numbers. The same text has the same vector
// on every machine.
//
// It finds texts that share words, other forms of a word, and misspelt ones. It knows
// no meanings: "car" and "automobile" have nothing in common for it, nor have texts of
// different languages, and "the port is open" is close to "the port is not open". In long
// texts, frequent words drown rare ones. For meanings, use a model's embedder.
func Hashed() models.Embedder { return hashed{} }

// hashedLength is the length of its vectors.
const hashedLength = 384

type hashed struct{}

// ID implements [models.Embedder].
func (hashed) ID() models.ID { return models.ID{Provider: "swarmbus", Name: "hashed-3-5-384"} }

// Embed implements [models.Embedder].
func (hashed) Embed(ctx context.Context, texts ...string) (*models.Vectors, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	all := make([][]float32, len(texts))
	for i, said := range texts {
		all[i] = hash(said)
	}
	return &models.Vectors{All: all}, nil
}

// hash returns the vector of a text, of length 1, or zeros for an empty text.
func hash(said string) []float32 {
	counts := make([]float64, hashedLength)
	for word := range strings.FieldsSeq(text.Plain(said)) {
		count(counts, word, 1)
		marked := []rune("<" + word + ">")
		for n := 3; n <= 5; n++ {
			for i := 0; i+n <= len(marked); i++ {
				count(counts, string(marked[i:i+n]), 0.5)
			}
		}
	}
	sum := 0.0
	for i, c := range counts { // what is said twice counts less than twice
		counts[i] = math.Copysign(math.Log1p(math.Abs(c)), c)
		sum += counts[i] * counts[i]
	}
	v := make([]float32, hashedLength)
	for i, c := range counts {
		v[i] = float32(c / max(math.Sqrt(sum), math.SmallestNonzeroFloat64))
	}
	return v
}

// count adds a feature at its place, with a sign so that collisions cancel out on average.
func count(counts []float64, feature string, weight float64) {
	h := fnv.New64a()
	h.Write([]byte(feature))
	sum := h.Sum64()
	if sum>>63 == 1 {
		weight = -weight
	}
	counts[sum%hashedLength] += weight
}
