package memory_test

import (
	"errors"
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory"
)

func similarity(t *testing.T, a, b string) (ab float64) {
	t.Helper()
	v, err := memory.Hashed().Embed(t.Context(), a, b)
	if err != nil {
		t.Fatal(err)
	}
	for i := range v.All[0] {
		ab += float64(v.All[0][i]) * float64(v.All[1][i])
	}
	return ab
}

func TestHashedVectorsKnowWordsAndNoMeanings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b        string
		least, most float64
	}{
		{"the cache needs a lock", "The cache needs a LOCK!", 0.999, 1.001},
		{"retries need jitter", "a retry needs some jitters", 0.3, 0.9},
		{"circuit breaker", "circiut braeker", 0.1, 0.7},
		{"circuit breaker", "bananas yellow", -0.2, 0.2},
		{"car", "automobile", -0.2, 0.2},                                 // one meaning, and nothing in common
		{"the port is open", "the port is not open", 0.6, 0.95},          // the opposite, and almost the same
		{"der Rechner ist kaputt", "the computer is broken", -0.2, 0.25}, // another language
		{"日本語のテスト", "日本語の試験", 0.15, 0.9},
	} {
		if got := similarity(t, c.a, c.b); !(got >= c.least && got <= c.most) {
			t.Errorf("%q and %q: %.3f, want %v to %v", c.a, c.b, got, c.least, c.most)
		}
	}
}

func TestHashedVectorsAreTheSameEverywhere(t *testing.T) {
	t.Parallel()
	v, err := memory.Hashed().Embed(t.Context(), "the cache needs a lock", "!", "")
	if err != nil {
		t.Fatal(err)
	}
	sum, first := 0.0, 0
	for i, x := range v.All[0] {
		sum += float64(x) * float64(i+1)
		if x != 0 && first == 0 {
			first = i
		}
	}
	if math.Abs(sum-hashedSum) > 1e-3 || memory.CheckVector("m", v.All[0], 384) != nil {
		t.Errorf("sum %v, first at %d", sum, first)
	}
	if err := memory.CheckVector("m", v.All[1], 384); err != nil {
		t.Errorf("a text without words: %v", err)
	}
	var refused *memory.VectorError
	if err := memory.CheckVector("m", v.All[2], 384); !errors.As(err, &refused) {
		t.Errorf("an empty text has a direction: %v", err)
	}
}

// hashedSum changes if the vectors do: then the name of the model has to change, too.
const hashedSum = 265.657
