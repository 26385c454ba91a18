package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

const (
	recordBytes = 500
	writers     = 64
)

func measures(scale float64) []measure {
	n := func(full int) int { return max(writers, int(float64(full)*scale)) }
	mode := func(m journal.Sync) journal.Options { return journal.Options{Sync: m} }
	return []measure{
		{"append, 1 writer", []contender{
			{"bare file, fsync each", n(1000), bareAppend(1)},
			{"journal, every", n(1000), journalAppend(1, mode(journal.SyncEvery))},
			{"journal, interval", n(20_000), journalAppend(1, mode(journal.SyncInterval))},
			{"journal, never", n(20_000), journalAppend(1, mode(journal.SyncNever))},
		}},
		{"append, 64 writers", []contender{
			{"bare file, fsync of groups", n(30_000), bareAppend(writers)},
			{"journal, every", n(30_000), journalAppend(writers, mode(journal.SyncEvery))},
			{"journal, interval", n(30_000), journalAppend(writers, mode(journal.SyncInterval))},
			{"journal, never", n(30_000), journalAppend(writers, mode(journal.SyncNever))},
		}},
		{"append, 100 at once", []contender{
			{"bare file, fsync each", n(20_000), bareBatches},
			{"journal, every", n(20_000), journalBatches},
		}},
		{"read all, processor time", []contender{
			{"bare file", n(300_000), bareRead},
			{"journal, sums and chain", n(300_000), journalRead},
		}},
		{"publish, processor time", []contender{
			{"bus alone", n(100_000), publish(nil)},
			{"bus with a reader", n(100_000), publish(read)},
			{"bus with a journal", n(100_000), publish(keep(journal.SyncEvery))},
			{"and without syncs", n(100_000), publish(keep(journal.SyncNever))},
		}},
	}
}

// run returns the median cost of one operation for each contender, in nanoseconds.
func (m *measure) run(dir string, rounds int) ([]float64, error) {
	all := make([][]float64, len(m.contenders))
	for range rounds {
		for i, c := range m.contenders {
			own, err := os.MkdirTemp(dir, "")
			if err != nil {
				return nil, err
			}
			took, err := c.do(context.Background(), own, c.n)
			if err != nil {
				return nil, err
			}
			all[i] = append(all[i], float64(took)/float64(c.n))
			if err := os.RemoveAll(own); err != nil {
				return nil, err
			}
		}
	}
	medians := make([]float64, len(all))
	for i, costs := range all {
		slices.Sort(costs)
		medians[i] = costs[len(costs)/2]
	}
	return medians, nil
}

var content = bytes.Repeat([]byte("x"), recordBytes)

// timed runs f.
func timed(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// atOnce calls f n times from so many goroutines.
func atOnce(goroutines, n int, f func() error) error {
	var wg sync.WaitGroup
	failed := make(chan error, goroutines)
	for range goroutines {
		wg.Go(func() {
			for range n / goroutines {
				if err := f(); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(failed)
	return <-failed
}

func journalAppend(goroutines int, o journal.Options) func(context.Context, string, int) (time.Duration, error) {
	return func(_ context.Context, dir string, n int) (time.Duration, error) {
		j, err := journal.Open(dir+"/j", &o)
		if err != nil {
			return 0, err
		}
		took, err := timed(func() error {
			return atOnce(goroutines, n, func() error {
				_, err := j.Append(journal.Record{Type: 1, Body: content})
				return err
			})
		})
		if err != nil {
			return 0, err
		}
		return took, j.Close()
	}
}

func journalBatches(_ context.Context, dir string, n int) (time.Duration, error) {
	j, err := journal.Open(dir+"/j", nil)
	if err != nil {
		return 0, err
	}
	batch := slices.Repeat([]journal.Record{{Type: 1, Body: content}}, 100)
	took, err := timed(func() error {
		return atOnce(1, n/len(batch), func() error {
			_, err := j.Append(batch...)
			return err
		})
	})
	if err != nil {
		return 0, err
	}
	return took, j.Close()
}

func journalRead(_ context.Context, dir string, n int) (time.Duration, error) {
	j, err := journal.Open(dir+"/j", &journal.Options{Sync: journal.SyncNever})
	if err != nil {
		return 0, err
	}
	if _, err := j.Append(slices.Repeat([]journal.Record{{Type: 1, Body: content}}, n)...); err != nil {
		return 0, err
	}
	took, err := charged(func() error {
		for _, err := range j.Read(0) {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return took, j.Close()
}

// publish publishes onto a bus that has a follower, unless follow is nil.
func publish(follow func(context.Context, *bus.Bus, string) (end func(), err error)) func(context.Context, string, int) (time.Duration, error) {
	return func(ctx context.Context, dir string, n int) (time.Duration, error) {
		b, err := bus.New(nil)
		if err != nil {
			return 0, err
		}
		defer b.Close()
		agent, err := b.Agent("a", bus.Permissions{})
		if err != nil {
			return 0, err
		}
		if follow != nil {
			end, err := follow(ctx, b, dir)
			if err != nil {
				return 0, err
			}
			defer end()
		}
		return pace(ctx, agent, n)
	}
}

// read reads what is published, a millisecond's worth at once, and does nothing
// with it.
func read(ctx context.Context, b *bus.Bus, _ string) (end func(), err error) {
	all, err := b.Subscribe(bus.SubscribeOptions{})
	if err != nil {
		return nil, err
	}
	var done sync.WaitGroup
	done.Go(func() {
		batch := make([]signals.Any, 512)
		for {
			if n, err := all.Read(ctx, batch); err != nil {
				return
			} else if n < len(batch) {
				time.Sleep(time.Millisecond)
			}
		}
	})
	return func() { all.Close(); done.Wait() }, nil
}

// keep has a journal follow the bus.
func keep(mode journal.Sync) func(context.Context, *bus.Bus, string) (func(), error) {
	return func(ctx context.Context, b *bus.Bus, dir string) (end func(), err error) {
		j, err := journal.Open(dir+"/j", &journal.Options{Sync: mode})
		if err != nil {
			return nil, err
		}
		w, err := journal.Attach(ctx, b, j, nil)
		if err != nil {
			return nil, errors.Join(err, j.Close())
		}
		return func() { _ = errors.Join(w.Close(ctx), j.Close()) }, nil // the journal is not read again
	}
}

// pace publishes in bursts that a journal's backlog has room for, and counts
// the bursts alone: what the publisher spends, on Linux its own processor time.
func pace(ctx context.Context, agent *bus.Publisher, n int) (took time.Duration, err error) {
	finding := signals.New(signals.Header{Confidence: 0.5}, signals.Discovery{Finding: string(content), Relevance: 1})
	const burst = 1000
	for range n / burst {
		one, err := charged(func() error {
			for range burst {
				if _, err := agent.Publish(ctx, finding); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
		took += one
		time.Sleep(time.Duration(burst) * 20 * time.Microsecond) // 50,000 signals a second, at most
	}
	return took, nil
}
