package reporting_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// full has something in each part: eight signals.
func full() *reports.Report {
	r := asking("ann", "t", "no key")
	r.Learnings = []reports.Learning{{LearningID: "l", Insight: "look there", Confidence: 0.9, Supports: reports.List{"ft"}}}
	r.Artifacts = []reports.Artifact{{ArtifactID: "a", Kind: "file", Ref: "x"}}
	return r
}

func quiet() *reports.Report {
	r := report("ann", "t")
	r.Findings = nil
	return r
}

var open = reports.Options{Window: -1, Cooldown: -1, Open: 1 << 40, Expiry: time.Nanosecond}

var ann = reports.Worker{ID: "ann", Research: true}

// BenchmarkPublish is what the others stand beside: one signal of the size of a
// summary.
func BenchmarkPublish(b *testing.B) {
	log, err := bus.New(&bus.Options{History: 1000, Sweep: -1})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	p, _ := log.Agent("ann", bus.Permissions{})
	s := signals.New(signals.Header{Thread: "latency"}, signals.Discovery{Finding: "did t1"})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := p.Publish(b.Context(), s); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkDecode(b *testing.B) {
	data, _ := full().MarshalJSON()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := reports.Decode(data); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkGate judges and folds.
func BenchmarkGate(b *testing.B) {
	for name, r := range map[string]*reports.Report{"quiet": quiet(), "full": full()} {
		b.Run(name, func(b *testing.B) {
			g, _ := reports.NewGate(&open)
			report := numbered(b, r)
			now, n := time.Now(), 0
			b.ReportAllocs()
			for b.Loop() {
				n++
				now = now.Add(time.Second)
				for _, s := range g.Judge(ann, report(n), signals.ID{}, now).Signals {
					h := s.Head()
					h.Time = now
					g.Apply(signals.With(s, h))
				}
			}
		})
	}
}

// numbered returns a function to the report, as JSON, of any turn.
func numbered(b *testing.B, r *reports.Report) func(n int) []byte {
	r.TurnID = "TURN"
	data := encoded(b, r)
	return func(n int) []byte { return bytes.Replace(data, []byte(r.TurnID), []byte(fmt.Sprint(n)), 1) }
}

// BenchmarkFile is the way of a report into the log.
func BenchmarkFile(b *testing.B) {
	for name, r := range map[string]*reports.Report{"quiet": quiet(), "full": full()} {
		b.Run(name, func(b *testing.B) {
			log, err := bus.New(&bus.Options{History: 1000, Sweep: -1})
			if err != nil {
				b.Fatal(err)
			}
			defer log.Close()
			w := worker(b, newDeskWith(b, log, open), "ann")
			n, report := 0, numbered(b, r)
			b.ReportAllocs()
			for b.Loop() {
				n++
				if _, err := w.Report(b.Context(), report(n)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkWatch(b *testing.B) {
	for _, workers := range []int{1, 100} {
		b.Run(fmt.Sprint(workers), func(b *testing.B) {
			w, _ := reports.NewWatcher(nil)
			var all []signals.Any
			for n := range 1000 {
				all = append(all, signals.New(
					signals.Header{Source: fmt.Sprint("w", n%workers), Thread: "latency"},
					reports.Progress{Step: reports.Step{Summary: fmt.Sprint("step ", n)}},
				))
			}
			n, start := 0, time.Now()
			b.ReportAllocs()
			for b.Loop() {
				s := all[n%len(all)]
				h := s.Head()
				h.Time = start.Add(time.Duration(n) * time.Second)
				w.Watch(signals.With(s, h))
				n++
			}
		})
	}
}
