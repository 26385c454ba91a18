package memorytest

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
)

// A Twin is a [memory.Store] in memory, as simple as can be: what other stores are compared
// with, and a store for tests of what uses one. The zero value is empty.
type Twin struct {
	mu     sync.Mutex // protects the fields below
	closed bool
	facts  map[string]memory.Fact
	models map[string]map[string][]float32
}

var _ memory.Store = (*Twin)(nil)

// lock locks the store, unless it is closed or ctx has ended.
func (t *Twin) lock(ctx context.Context) error {
	t.mu.Lock()
	switch {
	case t.closed:
		t.mu.Unlock()
		return memory.ErrClosed
	case ctx.Err() != nil:
		t.mu.Unlock()
		return ctx.Err()
	case t.facts == nil:
		t.facts, t.models = map[string]memory.Fact{}, map[string]map[string][]float32{}
	}
	return nil
}

// Change implements [memory.Store].
func (t *Twin) Change(ctx context.Context, ids []string, change func(map[string]memory.Fact) []memory.Fact) error {
	if err := t.lock(ctx); err != nil {
		return err
	}
	defer t.mu.Unlock()
	stored := map[string]memory.Fact{}
	for _, id := range ids {
		if f, ok := t.facts[id]; ok {
			stored[id] = f
		}
	}
	for _, f := range change(stored) {
		t.facts[f.ID] = f
	}
	return nil
}

// sorted returns the facts that pass, in the order of their ids.
func (t *Twin) sorted(pass func(*memory.Fact) bool) (all []memory.Fact) {
	for _, id := range slices.Sorted(maps.Keys(t.facts)) {
		if f := t.facts[id]; pass(&f) {
			all = append(all, f)
		}
	}
	return all
}

// Linked implements [memory.Store].
func (t *Twin) Linked(ctx context.Context, source string, from ...string) ([]memory.Fact, error) {
	if err := t.lock(ctx); err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	return t.sorted(func(f *memory.Fact) bool {
		return slices.ContainsFunc(f.Said, func(s memory.Statement) bool {
			return source != "" && s.Source == source || slices.ContainsFunc(s.From, func(id string) bool { return slices.Contains(from, id) })
		})
	}), nil
}

// length returns the length of a model's vectors; 0: there are none.
func (t *Twin) length(model string) int {
	for _, v := range t.models[model] {
		if len(v) > 0 {
			return len(v)
		}
	}
	return 0
}

// SetVectors implements [memory.Store].
func (t *Twin) SetVectors(ctx context.Context, model string, vectors map[string][]float32) error {
	if err := t.lock(ctx); err != nil {
		return err
	}
	defer t.mu.Unlock()
	length := t.length(model)
	for _, id := range slices.Sorted(maps.Keys(vectors)) {
		if v := vectors[id]; len(v) > 0 {
			if err := memory.CheckVector(model, v, length); err != nil {
				return err
			}
			length = len(v)
		}
	}
	if t.models[model] == nil {
		t.models[model] = map[string][]float32{}
	}
	for id, v := range vectors {
		if _, ok := t.facts[id]; ok {
			t.models[model][id] = slices.Clone(v)
		}
	}
	return nil
}

// Missing implements [memory.Store].
func (t *Twin) Missing(ctx context.Context, model string, most int) ([]memory.Fact, int, error) {
	if err := t.lock(ctx); err != nil {
		return nil, 0, err
	}
	defer t.mu.Unlock()
	all := t.sorted(func(f *memory.Fact) bool {
		_, ok := t.models[model][f.ID]
		return !ok && f.State() != memory.Revoked
	})
	return all[:min(len(all), most)], len(all), nil
}

// Nearest implements [memory.Store].
func (t *Twin) Nearest(ctx context.Context, model string, v []float32, f memory.Filter, k int) ([]memory.Near, error) {
	if err := t.lock(ctx); err != nil {
		return nil, err
	}
	defer t.mu.Unlock()
	if err := memory.CheckVector(model, v, t.length(model)); err != nil {
		return nil, err
	}
	var all []memory.Near
	for _, fact := range t.sorted(func(fact *memory.Fact) bool { return passes(fact, &f) }) {
		if w := t.models[model][fact.ID]; len(w) > 0 {
			all = append(all, memory.Near{Fact: fact, Similarity: cosine(v, w)})
		}
	}
	slices.SortStableFunc(all, func(a, b memory.Near) int { return cmp.Compare(b.Similarity, a.Similarity) })
	return all[:min(len(all), max(0, k))], nil
}

func passes(fact *memory.Fact, f *memory.Filter) bool {
	state, at := fact.State(), fact.Time()
	return (state == memory.Confirmed || state == memory.Quarantined && !f.Confirmed) && !expired(fact, f.Now) &&
		(f.Categories == nil || slices.Contains(f.Categories, fact.Category)) &&
		(f.Since.IsZero() || !at.Before(f.Since)) && (f.Until.IsZero() || !at.After(f.Until))
}

func expired(f *memory.Fact, now time.Time) bool {
	at := f.Expires()
	return !at.IsZero() && !at.After(now)
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}

// Sweep implements [memory.Store].
func (t *Twin) Sweep(ctx context.Context, now time.Time) (int, error) {
	if err := t.lock(ctx); err != nil {
		return 0, err
	}
	defer t.mu.Unlock()
	gone := t.sorted(func(f *memory.Fact) bool { return expired(f, now) })
	for _, f := range gone {
		delete(t.facts, f.ID)
		for _, vectors := range t.models {
			delete(vectors, f.ID)
		}
	}
	return len(gone), nil
}

// Close implements [memory.Store].
func (t *Twin) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return nil
}
