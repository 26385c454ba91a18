package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
)

// A provider may make a model of the same name with vectors of another length: the facts get new ones.
func TestVectorsOfAnotherLengthAreThoseOfAnotherModel(t *testing.T) {
	t.Parallel()
	store := &memorytest.Twin{}
	of := func(n int) fake {
		return fake{"m", func(texts []string) ([][]float32, error) {
			all := make([][]float32, len(texts))
			for i, said := range texts {
				all[i] = slices.Repeat([]float32{1}, n)
				all[i][len(said)%n] = 2
			}
			return all, nil
		}}
	}
	first := pool(t, memory.Options{Store: store, Embedder: of(4)})
	remember(t, first, claim("ada", "port"), claim("bob", "noons"))
	for range 2 {
		if got := recalled(t, first, memory.Query{Text: "port", Quarantined: true}); len(got) != 2 {
			t.Errorf("recalled %v", got)
		}
		second := pool(t, memory.Options{Store: store, Embedder: of(6)})
		if got := recalled(t, second, memory.Query{Text: "port", Quarantined: true}); len(got) != 2 || got[0] != "port: quarantined" {
			t.Errorf("with another length, recalled %v", got)
		}
	}
	for i := range 600 {
		remember(t, first, claim("ada", fmt.Sprintf("fact %d", i)))
	}
	for range first.Embed(t.Context()) {
	}
	third := pool(t, memory.Options{Store: store, Embedder: of(5)})
	for range 3 { // each gives 256 facts their vectors
		if got := recalled(t, third, memory.Query{Text: "port", Quarantined: true}); len(got) == 0 {
			t.Error("nothing is recalled")
		}
	}
	if _, left, err := store.Missing(t.Context(), "fake:m of 5 numbers", 1); left != 0 || err != nil {
		t.Errorf("%d facts have no vector, %v", left, err)
	}
}
