// Memory measures the stores of a memory: how many facts with their vectors they take a
// second, in groups, how long the ten nearest take, and how many of these are the
// nearest by exact search.
//
//	cd benchmarks
//	go run ./memory                                       SQLite, 10,000 facts
//	go run ./memory -postgres URL -facts 1000000
//	go run ./memory -postgres pglite                      what SWARMBUS_PGLITE names
//	go run ./memory -postgres pglite -hnsw -facts 1000000 -for 10m
//
// With -for, storing ends after that time, and what is stored by then is searched.
// Vectors have 384 numbers and lie around a thousand centers, as those of texts do around
// topics, from a seed. The processor time is that of this process: of a server it is not seen.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/postgres"
	"github.com/swarmbus/swarmbus/agents/memory/sqlite"
	"github.com/swarmbus/swarmbus/internal/pglite"
)

const (
	length  = 384
	nearest = 10
	model   = "measured"
)

func main() {
	facts := flag.Int("facts", 10_000, "number of facts")
	group := flag.Int("group", 500, "facts that are stored at once")
	queries := flag.Int("queries", 100, "number of searches")
	url := flag.String("postgres", "", "URL of a Postgres to measure, or pglite; empty: SQLite")
	hnsw := flag.Bool("hnsw", false, "measure Postgres only with an HNSW index")
	limit := flag.Duration("for", 0, "time after which storing ends, with as many facts as there are; 0: none")
	dir := flag.String("dir", ".", "directory of the SQLite file, on the disk to measure")
	flag.Parse()
	w := &work{group: *group, limit: *limit, data: newData(*facts, *queries)}
	err := error(nil)
	if *url == "" {
		err = w.sqlite(*dir)
	} else {
		err = w.postgres(*url, *hnsw)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "memory:", err)
		os.Exit(1)
	}
}

// A work is the workload of every store.
type work struct {
	group int
	limit time.Duration // of storing; 0: none
	data  *data
}

func (w *work) sqlite(dir string) error {
	dir, err := os.MkdirTemp(dir, ".memory")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // what is left is in a directory of its own
	s, err := sqlite.Open(context.Background(), filepath.Join(dir, "memory.db"))
	if err != nil {
		return err
	}
	defer s.Close() //nolint:errcheck // it is thrown away
	return w.measure("SQLite", s)
}

func (w *work) postgres(url string, onlyHNSW bool) error {
	ctx := context.Background()
	if url == "pglite" {
		served, stop, err := pglite.Start(ctx)
		if err != nil {
			return err
		}
		defer stop()
		url = served + pglite.One
	}
	for _, hnsw := range []bool{false, true} {
		if onlyHNSW && !hnsw {
			continue
		}
		name := map[bool]string{false: "Postgres, exact", true: "Postgres, HNSW"}[hnsw]
		s, err := postgres.Open(ctx, url, postgres.Options{Schema: fmt.Sprintf("measured_%d", time.Now().UnixNano()), HNSW: hnsw})
		if err != nil {
			return err
		}
		if err := errors.Join(w.measure(name, s), s.Close()); err != nil {
			return err
		}
	}
	return nil
}

// measure prints the figures of a store.
func (w *work) measure(name string, s memory.Store) error {
	began, before := time.Now(), processor()
	n := 0
	for n < len(w.data.facts) && (w.limit == 0 || time.Since(began) < w.limit) {
		end := min(n+w.group, len(w.data.facts))
		if err := w.insert(s, n, end); err != nil {
			return err
		}
		n = end
	}
	took, stored := time.Since(began), processor()
	times, found, err := w.search(s, n)
	if err != nil {
		return err
	}
	searched := processor()
	slices.Sort(times)
	fmt.Printf("%s, %d facts of %d numbers, groups of %d:\n", name, n, length, w.group)
	fmt.Printf("  store    %.0f a second, %v in all; processor time %v each\n", float64(n)/took.Seconds(), took.Round(time.Second), (stored-before)/time.Duration(n))
	fmt.Printf("  nearest %d  p50 %v, least %v, p95 %v; processor time %v each; recall %.4f\n", nearest,
		round(times[len(times)/2]), round(times[0]), round(times[len(times)*95/100]), round((searched-stored)/time.Duration(len(times))), found)
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Microsecond) }

// insert stores facts with their vectors.
func (w *work) insert(s memory.Store, first, end int) error {
	var ids []string
	vectors := map[string][]float32{}
	for i := first; i < end; i++ {
		ids = append(ids, w.data.facts[i].ID)
		vectors[w.data.facts[i].ID] = w.data.vectors[i]
	}
	err := s.Change(context.Background(), ids, func(map[string]memory.Fact) []memory.Fact { return w.data.facts[first:end] })
	if err != nil {
		return err
	}
	return s.SetVectors(context.Background(), model, vectors)
}

// search returns how long each search took, and which share of the nearest of the first n
// facts was found.
func (w *work) search(s memory.Store, n int) (times []time.Duration, share float64, err error) {
	found := 0
	for _, q := range w.data.queries {
		began := time.Now()
		near, err := s.Nearest(context.Background(), model, q, memory.Filter{Now: day}, nearest)
		times = append(times, time.Since(began))
		if err != nil {
			return nil, 0, err
		}
		exact := w.data.nearest(q, n)
		for _, got := range near {
			if slices.Contains(exact, got.ID) {
				found++
			}
		}
	}
	return times, float64(found) / float64(nearest*len(w.data.queries)), nil
}

// Data are the facts to store and the vectors to search for.
type data struct {
	facts   []memory.Fact
	vectors [][]float32
	queries [][]float32
}

var day = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

func newData(facts, queries int) *data {
	rnd := rand.New(rand.NewPCG(1, 1))
	centers := make([][]float32, 1000)
	for i := range centers {
		centers[i] = around(rnd, make([]float32, length), 1)
	}
	d := &data{}
	for i := range facts {
		content := fmt.Sprintf("fact %d of those that are measured, as long as facts are", i)
		d.facts = append(d.facts, memory.Fact{ID: memory.IDOf(content), Content: content, Category: "measured", Said: []memory.Statement{
			{Source: fmt.Sprint("agent ", i%7), Thread: "measured", Time: day, Importance: 0.5},
		}})
		d.vectors = append(d.vectors, around(rnd, centers[rnd.IntN(len(centers))], 0.7))
	}
	for range queries {
		d.queries = append(d.queries, around(rnd, centers[rnd.IntN(len(centers))], 0.7))
	}
	return d
}

// around returns a vector near another.
func around(rnd *rand.Rand, center []float32, spread float64) []float32 {
	v := slices.Clone(center)
	for i := range v {
		v[i] += float32(spread * rnd.NormFloat64())
	}
	return v
}

// nearest returns the ids of those of the first n facts whose vectors are nearest, by
// comparison with all.
func (d *data) nearest(q []float32, n int) (ids []string) {
	type near struct {
		at     int
		cosine float64
	}
	all := make([]near, n)
	for i, v := range d.vectors[:n] {
		all[i] = near{i, cosine(q, v)}
	}
	slices.SortFunc(all, func(a, b near) int { return cmp.Compare(b.cosine, a.cosine) })
	for _, n := range all[:min(nearest, len(all))] {
		ids = append(ids, d.facts[n.at].ID)
	}
	return ids
}

// cosine returns the cosine of the angle between two vectors, times the length of the first.
func cosine(a, b []float32) float64 {
	var ab, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, bb = ab+x*y, bb+y*y
	}
	return ab / math.Sqrt(bb)
}
