package bus_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// A bus without options keeps a thousand signals for a minute, sweeps every ten seconds,
// and finds conflicts.
func TestABusWithoutOptions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		a, z := agent(t, b, "a"), agent(t, b, "z")
		for range 1001 {
			must(t, a, found("x"))
		}
		if s := b.Stats(); s.Held != 1000 || s.Evicted != 1 {
			t.Errorf("%d held and %d evicted", s.Held, s.Evicted)
		}
		must(t, a, proposes("t", "p", "1"))
		must(t, z, proposes("t", "q", "2"))
		if !b.FindsConflicts() || len(slices.Collect(b.Conflicts("t"))) != 1 {
			t.Error("it found no conflict")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if s := b.Stats(); s.Held != 1000 {
			t.Errorf("%d held after a minute", s.Held)
		}
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if s := b.Stats(); s.Held != 0 || s.Expired != 1000 {
			t.Errorf("%d held and %d expired after the sweep that follows", s.Held, s.Expired)
		}
	})
}
