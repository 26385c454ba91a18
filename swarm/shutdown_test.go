package swarm_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
)

// minutely is a journal whose appends take a minute.
type minutely struct{ journal.Store }

func (s minutely) Append(records ...journal.Record) (uint64, error) {
	time.Sleep(time.Minute)
	return s.Store.Append(records...)
}

func TestShutdownWaitsForTheJournalNoLongerThanItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, err := swarm.New(swarm.Options{Agents: panel(), Journal: minutely{new(journal.Memory)}, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		for range 20_000 {
			if _, err := s.Bus().System().Publish(t.Context(), signals.New(signals.Header{}, signals.Discovery{Finding: "x"})); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		begin := time.Now()
		if err := s.Shutdown(ctx); !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) != 300*time.Millisecond {
			t.Errorf("after %v: %v", time.Since(begin), err)
		}
		synctest.Wait()
		time.Sleep(2 * time.Minute) // the append that had begun ends
	})
}
