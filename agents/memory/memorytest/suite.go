// Package memorytest is the contract of a [memory.Store] as a test suite.
package memorytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/signals"
)

// A Maker makes stores for the tests.
type Maker struct {
	// New returns an empty store. The suite closes it.
	New func(testing.TB) memory.Store
	// Other opens the data of a store once more, as another process does; nil if only one
	// can have it. The suite closes it.
	Other func(testing.TB, memory.Store) memory.Store
}

// A run is one test of the suite with its store.
type run struct {
	*testing.T
	Maker
	store memory.Store
}

// TestStore checks that stores obey the contract of [memory.Store].
func TestStore(t *testing.T, m Maker) {
	for _, test := range []struct {
		name string
		run  func(*run)
	}{
		{"an empty store has nothing", testEmpty},
		{"facts are read as they were stored", testRead},
		{"the last change counts, and a change of nothing changes nothing", testChange},
		{"facts are found by their sources and by what they were derived from", testLinked},
		{"the nearest come first", testNearest},
		{"filters", testFilters},
		{"a new state counts for vectors that are stored already", testStates},
		{"models are apart", testModels},
		{"what has no vector is missing until it has one", testMissing},
		{"vectors that cannot be compared are refused, with all others of the call", testVectors},
		{"contents are data", testContents},
		{"expired facts are swept with all that belongs to them", testSweep},
		{"no change is lost between several users", testConcurrent},
		{"the same as the simplest store, whatever is done", testTwin},
		{"a context that has ended", testContext},
		{"closed", testClosed},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &run{t, m, m.New(t)}
			defer func() {
				if err := r.store.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			}()
			test.run(r)
		})
	}
}

var day = time.Date(2026, 3, 1, 12, 0, 0, 123456789, time.UTC)

// fact returns a fact that sources stated, each for itself.
func fact(content string, sources ...string) memory.Fact {
	f := memory.Fact{ID: memory.IDOf(content), Content: content, Category: "c"}
	for i, s := range sources {
		f.Said = append(f.Said, memory.Statement{
			Signal: signals.MustID(fmt.Sprint("s", i)), Source: s, Thread: "t", Time: day.Add(time.Duration(i) * time.Nanosecond), Importance: 0.5,
		})
	}
	return f
}

// must fails the test with an error.
func (r *run) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

// put stores facts.
func (r *run) put(facts ...memory.Fact) {
	r.Helper()
	var ids []string
	for _, f := range facts {
		ids = append(ids, f.ID)
	}
	r.must(r.store.Change(r.Context(), ids, func(map[string]memory.Fact) []memory.Fact { return facts }))
}

// get returns the facts with those ids.
func get(ctx context.Context, s memory.Store, ids ...string) (facts map[string]memory.Fact, err error) {
	err = s.Change(ctx, ids, func(stored map[string]memory.Fact) []memory.Fact {
		facts = stored
		return nil
	})
	return facts, err
}

// near returns the contents of the facts that are nearest to a vector.
// want compares the strings of two values.
func (r *run) want(what string, got, want any) {
	r.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		r.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func testEmpty(r *run) {
	facts, err := get(r.Context(), r.store, memory.IDOf("x"))
	r.must(err)
	linked, err := r.store.Linked(r.Context(), "ada", memory.IDOf("x"))
	r.must(err)
	missing, all, err := r.store.Missing(r.Context(), "m", 10)
	r.must(err)
	n, err := r.store.Sweep(r.Context(), day)
	r.must(err)
	if len(facts)+len(linked)+len(missing)+all+n > 0 || len(r.near("m", []float32{1}, memory.Filter{Now: day}, 5)) > 0 {
		r.Errorf("an empty store has %v, %v, %v, %d, %d", facts, linked, missing, all, n)
	}
}

func testRead(r *run) {
	f := fact("a fact", "ada", "bob")
	f.Said[1].Group, f.Said[1].Evidence, f.Said[1].From = "g", "it was seen", []string{memory.IDOf("y"), memory.IDOf("z")}
	f.Said[1].Expires, f.Said[1].Revoked = day.Add(time.Hour), true
	r.put(f)
	facts, err := get(r.Context(), r.store, f.ID, memory.IDOf("unknown"))
	r.must(err)
	r.want("stored", facts, map[string]memory.Fact{f.ID: f})
}

func testChange(r *run) {
	f := fact("x", "ada")
	r.put(f, fact("y", "ada"))
	r.must(r.store.Change(r.Context(), []string{f.ID}, func(stored map[string]memory.Fact) []memory.Fact {
		f = stored[f.ID]
		f.Category = "d"
		return []memory.Fact{f}
	}))
	_, err := get(r.Context(), r.store, f.ID)
	r.must(err)
	facts, err := get(r.Context(), r.store, f.ID)
	r.must(err)
	r.want("category", facts[f.ID].Category, "d")
}

func testLinked(r *run) {
	x, y, z := fact("x", "ada"), fact("y", "bob"), fact("z", "bob", "ada")
	y.Said[0].From = []string{x.ID}
	z.Said[0].From = []string{y.ID}
	r.put(x, y, z)
	for _, c := range []struct {
		source string
		from   []string
		want   []string
	}{
		{"ada", nil, []string{"x", "z"}},
		{"", []string{x.ID}, []string{"y"}},
		{"", []string{x.ID, y.ID}, []string{"y", "z"}},
		{"ada", []string{x.ID}, []string{"x", "y", "z"}},
		{"", nil, nil},
		{"nobody", []string{z.ID}, nil},
	} {
		facts, err := r.store.Linked(r.Context(), c.source, c.from...)
		r.must(err)
		var got []string
		for _, f := range facts {
			got = append(got, f.Content)
		}
		if !slices.IsSortedFunc(facts, func(a, b memory.Fact) int { return strings.Compare(a.ID, b.ID) }) {
			r.Errorf("linked to %q and %v: not in the order of ids", c.source, c.from)
		}
		slices.Sort(got)
		r.want("linked to "+c.source, got, c.want)
	}
}

func testStates(r *run) {
	f := fact("x", "ada")
	r.put(f)
	r.set("m", map[string][]float32{f.ID: {1}})
	r.put(fact("x", "ada", "bob"))
	r.want("confirmed", r.near("m", []float32{1}, memory.Filter{Now: day, Confirmed: true}, 1), []string{"x"})
	f.Said[0].Expires = day
	r.put(f)
	r.want("expired", r.near("m", []float32{1}, memory.Filter{Now: day}, 1), []string{})
	f.Said[0].Expires, f.Said[0].Revoked = time.Time{}, true
	r.put(f)
	r.want("revoked", r.near("m", []float32{1}, memory.Filter{Now: day}, 1), []string{})
}

func testContents(r *run) {
	texts := []string{
		"'; DROP TABLE facts; --", `") OR 1=1 --`, "$1 ? :name @name %s", "\x1b[31mred", "../../etc/passwd", "a\nb\tc\r\n", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 \u202e \ufffd",
		strings.Repeat("ä", signals.DefaultTextBytes/2), `{"id":"x"}`, "<script>",
	}
	var facts []memory.Fact
	vectors := map[string][]float32{}
	for i, text := range texts {
		f := fact(text, "ada'; --", text[:min(len(text), 20)])
		f.Category = text[:min(len(text), 20)]
		facts = append(facts, f)
		vectors[f.ID] = []float32{1, float32(i)}
	}
	r.put(facts...)
	r.set("m", vectors)
	for _, f := range facts {
		stored, err := get(r.Context(), r.store, f.ID)
		r.must(err)
		linked, err := r.store.Linked(r.Context(), f.Said[1].Source)
		r.must(err)
		near := r.near("m", []float32{1, 1}, memory.Filter{Now: day, Categories: []string{f.Category}}, 1)
		if stored[f.ID].Content != f.Content || len(linked) != 1 || linked[0].ID != f.ID || len(near) != 1 || near[0] != f.Content {
			r.Errorf("%.30q: stored %.30q, linked %d, near %.30q", f.Content, stored[f.ID].Content, len(linked), near)
		}
	}
}

func testSweep(r *run) {
	x, y := fact("x", "ada"), fact("y", "ada")
	x.Said[0].Expires, y.Said[0].Expires = day, day.Add(1)
	r.put(x, y, fact("z", "ada"))
	r.set("m", map[string][]float32{x.ID: {1}, y.ID: {1}})
	n, err := r.store.Sweep(r.Context(), day)
	r.must(err)
	facts, err := r.store.Linked(r.Context(), "ada")
	r.must(err)
	_, missing, err := r.store.Missing(r.Context(), "m", 9)
	r.must(err)
	r.want("swept, left, missing", []int{n, len(facts), missing}, []int{1, 2, 1})
	r.want("near", r.near("m", []float32{1}, memory.Filter{Now: day}, 9), []string{"y"})
	x.Said[0].Expires = time.Time{}
	r.put(x)
	_, missing, err = r.store.Missing(r.Context(), "m", 9)
	r.must(err)
	r.want("missing once it is back", missing, 2)
}

func testConcurrent(r *run) {
	stores := []memory.Store{r.store}
	if r.Other != nil {
		other := r.Other(r, r.store)
		defer func() { r.must(other.Close()) }()
		stores = append(stores, other)
	}
	const writers, times = 4, 8
	id := memory.IDOf("shared")
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			s := stores[w%len(stores)]
			for i := range times {
				err := s.Change(r.Context(), []string{id}, func(stored map[string]memory.Fact) []memory.Fact {
					f := stored[id]
					f.ID, f.Content, f.Category = id, "shared", "c"
					f.Said = append(slices.Clone(f.Said), memory.Statement{Source: fmt.Sprint(w, i), Time: day})
					return []memory.Fact{f}
				})
				if err == nil {
					err = s.SetVectors(r.Context(), "m", map[string][]float32{id: {1, float32(i)}})
				}
				if err == nil {
					_, err = s.Nearest(r.Context(), "m", []float32{1, 0}, memory.Filter{Now: day}, 3)
				}
				if err != nil {
					r.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		facts, err := get(r.Context(), s, id)
		r.must(err)
		r.want("statements", len(facts[id].Said), writers*times)
	}
}

// testTwin does the same to the store and to a [Twin], and compares what they return.
func testTwin(r *run) {
	const seed = 7
	rnd := rand.New(rand.NewPCG(seed, seed))
	twin := &Twin{}
	text := func() string { return fmt.Sprint("fact ", rnd.IntN(20)) }
	for step := range 150 {
		var what string
		var got [2]string
		content, source, k, model := text(), fmt.Sprint("s", rnd.IntN(4)), rnd.IntN(8), fmt.Sprint("m", rnd.IntN(2))
		v := []float32{float32(rnd.NormFloat64()), float32(rnd.NormFloat64()), float32(rnd.NormFloat64())}
		other, at, revoked, op := memory.IDOf(text()), day.Add(time.Duration(rnd.IntN(10))*time.Hour), rnd.IntN(5) == 0, rnd.IntN(8)
		f := memory.Filter{Now: at, Confirmed: rnd.IntN(2) == 0}
		if rnd.IntN(3) == 0 {
			f.Since, f.Categories = day.Add(3*time.Hour), []string{"c"}
		}
		for i, s := range []memory.Store{r.store, twin} {
			switch op {
			case 0, 1, 2:
				what = "change"
				err := s.Change(r.Context(), []string{memory.IDOf(content)}, func(stored map[string]memory.Fact) []memory.Fact {
					f, known := stored[memory.IDOf(content)]
					if !known {
						f = fact(content)
					}
					said := memory.Statement{Source: source, Time: at, Revoked: revoked}
					if k < 2 {
						said.From = []string{other}
					}
					if k > 5 {
						said.Expires = at.Add(time.Hour)
					}
					f.Said = append(slices.Clone(f.Said), said)
					got[i] = fmt.Sprint(known, len(f.Said))
					return []memory.Fact{f}
				})
				got[i] += fmt.Sprint(err)
			case 3, 4:
				what = "set vectors"
				got[i] = fmt.Sprint(s.SetVectors(r.Context(), model, map[string][]float32{memory.IDOf(content): v, other: {v[1], v[2], v[0] + 1}}))
			case 5:
				what = "nearest"
				near, err := s.Nearest(r.Context(), model, v, f, k)
				for _, n := range near {
					got[i] += fmt.Sprintf("%s %.4f %v\n", n.Content, n.Similarity, n.State())
				}
				got[i] += fmt.Sprint(err)
			case 6:
				what = "missing"
				facts, all, err := s.Missing(r.Context(), model, k)
				got[i] = fmt.Sprint(facts, all, err)
			default:
				what = "linked"
				facts, err := s.Linked(r.Context(), source, other)
				got[i] = fmt.Sprint(facts, err)
				if k == 0 {
					n, err := s.Sweep(r.Context(), at)
					got[i] += fmt.Sprint(n, err)
				}
			}
		}
		if got[0] != got[1] {
			r.Fatalf("seed %d, step %d, %s: got\n%s\nwant\n%s", seed, step, what, got[0], got[1])
		}
	}
}

func testContext(r *run) {
	ctx, cancel := context.WithCancel(r.Context())
	cancel()
	if err := r.store.Change(ctx, []string{memory.IDOf("x")}, func(map[string]memory.Fact) []memory.Fact { return []memory.Fact{fact("x", "ada")} }); err == nil {
		r.Error("changed")
	}
	facts, err := get(r.Context(), r.store, memory.IDOf("x"))
	r.must(err)
	r.want("stored", len(facts), 0)
}

func testClosed(r *run) {
	r.must(r.store.Close())
	_, changed := get(r.Context(), r.store, "x")
	_, linked := r.store.Linked(r.Context(), "ada")
	_, _, missing := r.store.Missing(r.Context(), "m", 1)
	_, near := r.store.Nearest(r.Context(), "m", []float32{1}, memory.Filter{}, 1)
	_, swept := r.store.Sweep(r.Context(), day)
	set := r.store.SetVectors(r.Context(), "m", map[string][]float32{"x": {1}})
	for what, err := range map[string]error{"change": changed, "linked": linked, "missing": missing, "nearest": near, "sweep": swept, "set": set} {
		if !errors.Is(err, memory.ErrClosed) {
			r.Errorf("%s of a closed store: %v", what, err)
		}
	}
}
