package memorytest

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/signals"
)

func (r *run) near(model string, v []float32, f memory.Filter, k int) (contents []string) {
	r.Helper()
	all, err := r.store.Nearest(r.Context(), model, v, f, k)
	r.must(err)
	for _, n := range all {
		contents = append(contents, n.Content)
	}
	return contents
}

func (r *run) set(model string, vectors map[string][]float32) {
	r.Helper()
	r.must(r.store.SetVectors(r.Context(), model, vectors))
}

func testNearest(r *run) {
	x, y, z, w := fact("x", "ada"), fact("y", "ada"), fact("z", "ada"), fact("w", "ada")
	r.put(x, y, z, w)
	r.set("m", map[string][]float32{x.ID: {1, 0}, y.ID: {30, 40}, z.ID: {-1, 0}})
	r.want("near", r.near("m", []float32{2, 0}, memory.Filter{Now: day}, 5), []string{"x", "y", "z"})
	r.want("nearest two", r.near("m", []float32{0, 1}, memory.Filter{Now: day}, 2)[:1], []string{"y"})
	r.want("none wanted", r.near("m", []float32{0, 1}, memory.Filter{Now: day}, 0), []string{})
	all, err := r.store.Nearest(r.Context(), "m", []float32{1, 0}, memory.Filter{Now: day}, 3)
	r.must(err)
	for i, want := range []float64{1, 0.6, -1} {
		if math.Abs(all[i].Similarity-want) > 1e-6 {
			r.Errorf("similarity of %s is %v, want %v", all[i].Content, all[i].Similarity, want)
		}
	}
	r.set("m", map[string][]float32{x.ID: {-1, 0.1}})
	r.want("with another vector", r.near("m", []float32{2, 0}, memory.Filter{Now: day}, 1), []string{"y"})
}

func testFilters(r *run) {
	alone, sure := fact("alone", "ada"), fact("sure", "ada", "bob")
	gone, other, late := fact("gone", "ada"), fact("other", "ada"), fact("late", "ada")
	gone.Said[0].Expires, other.Category, late.Said[0].Time = day, "it's \"other\"", day.Add(time.Hour)
	late.Said[0].Expires = day.Add(1)
	fallen := fact("fallen", "ada")
	fallen.Said[0].Revoked = true
	all := []memory.Fact{alone, sure, gone, other, late, fallen}
	r.put(all...)
	vectors := map[string][]float32{}
	for _, f := range all {
		vectors[f.ID] = []float32{1, 1}
	}
	r.set("m", vectors)
	for name, c := range map[string]struct {
		f    memory.Filter
		want []string
	}{
		"all":           {memory.Filter{Now: day}, []string{"alone", "late", "other", "sure"}},
		"later":         {memory.Filter{Now: day.Add(1)}, []string{"alone", "other", "sure"}},
		"confirmed":     {memory.Filter{Now: day, Confirmed: true}, []string{"sure"}},
		"category":      {memory.Filter{Now: day, Categories: []string{"it's \"other\"", "x"}}, []string{"other"}},
		"no category":   {memory.Filter{Now: day, Categories: []string{}}, nil},
		"since":         {memory.Filter{Now: day, Since: day.Add(1)}, []string{"late", "sure"}},
		"until":         {memory.Filter{Now: day, Until: day}, []string{"alone", "other"}},
		"all of it":     {memory.Filter{Now: day, Since: day, Until: day.Add(1), Categories: []string{"c"}, Confirmed: true}, []string{"sure"}},
		"before anyone": {memory.Filter{Now: day, Until: day.Add(-1)}, nil},
	} {
		got := r.near("m", []float32{1, 0}, c.f, 100)
		slices.Sort(got)
		r.want(name, got, c.want)
	}
}

func testModels(r *run) {
	x, y := fact("x", "ada"), fact("y", "ada")
	r.put(x, y)
	r.set("m", map[string][]float32{x.ID: {1, 0}})
	r.set("n'; DROP TABLE facts; --", map[string][]float32{y.ID: {1, 0, 0}})
	r.want("of one model", r.near("m", []float32{0, 1}, memory.Filter{Now: day}, 9), []string{"x"})
	r.want("of the other", r.near("n'; DROP TABLE facts; --", []float32{0, 1, 0}, memory.Filter{Now: day}, 9), []string{"y"})
	r.want("of none", r.near("o", []float32{0, 1, 0}, memory.Filter{Now: day}, 9), []string{})
}

func testMissing(r *run) {
	missing := func(model string, most int) ([]string, int) {
		facts, all, err := r.store.Missing(r.Context(), model, most)
		r.must(err)
		var contents []string
		for _, f := range facts {
			contents = append(contents, f.Content)
		}
		slices.Sort(contents)
		return contents, all
	}
	x, y, z := fact("x", "ada"), fact("y", "ada"), fact("z", "ada")
	z.Said[0].Revoked = true
	r.put(x, y, z)
	got, all := missing("m", 10)
	r.want("before", fmt.Sprint(got, all), "[x y] 2")
	r.set("m", map[string][]float32{x.ID: {1}, memory.IDOf("unknown"): {1}})
	got, all = missing("m", 10)
	r.want("after one", fmt.Sprint(got, all), "[y] 1")
	r.set("m", map[string][]float32{y.ID: nil})
	got, all = missing("m", 10)
	r.want("after a fact without", fmt.Sprint(got, all), "[] 0")
	got, all = missing("n", 1)
	r.want("of another model", fmt.Sprint(len(got), all), "1 2")
	r.put(fact("w", "ada"), fact("x", "ada", "bob"))
	got, all = missing("m", 10)
	r.want("a new one", fmt.Sprint(got, all), "[w] 1")
	r.want("without a vector", r.near("m", []float32{1}, memory.Filter{Now: day}, 9), []string{"x"})
}

func testVectors(r *run) {
	x, y := fact("x", "ada"), fact("y", "ada")
	r.put(x, y)
	r.set("m", map[string][]float32{x.ID: {1, 0}})
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	for name, v := range map[string][]float32{
		"NaN": {1, nan}, "infinite": {inf, 1}, "zero": {0, 0}, "longer": {1, 2, 3}, "shorter": {1}, "overflow": {3e38, 3e38},
		"huge": make([]float32, memory.MostDimensions+1),
	} {
		var refused *memory.VectorError
		err := r.store.SetVectors(r.Context(), "m", map[string][]float32{x.ID: {-1, 0}, y.ID: v})
		if !errors.As(err, &refused) || !errors.Is(err, signals.ErrInvalid) || !strings.Contains(err.Error(), "m") {
			r.Errorf("%s: stored: %v", name, err)
		}
		if _, err := r.store.Nearest(r.Context(), "m", v, memory.Filter{Now: day}, 1); !errors.As(err, &refused) {
			r.Errorf("%s: compared: %v", name, err)
		}
	}
	all, err := r.store.Nearest(r.Context(), "m", []float32{1, 0}, memory.Filter{Now: day}, 9)
	r.must(err)
	if len(all) != 1 || all[0].Similarity < 0.99 {
		r.Errorf("after refused calls: %v", all)
	}
}
