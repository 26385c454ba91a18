package reporting_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/bustest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/reporting"
)

// watched runs a watcher until stop is called.
func watched(t *testing.T, d *reporting.Desk) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- d.Watch(ctx, "watch", nil) }()
	synctest.Wait()
	return func() {
		t.Helper()
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("the watcher ended with %v", err)
		}
	}
}

// advised lists the advisories in the log, with their times since the begin.
func advised(b *bus.Bus, begin time.Time) (all []string) {
	for s := range b.History(bus.Filter{Kinds: []signals.Kind{reports.Advisory{}.Kind()}}) {
		a, _ := signals.As[reports.Advisory](s)
		all = append(all, fmt.Sprint(a.Time.Sub(begin).Round(time.Millisecond), " ", a.Payload.Concern, " ", a.Payload.Workers, " ", a.Source, " ", a.Thread))
	}
	return all
}

// Windows slide while the log is idle, and a watcher that starts later repeats
// nothing.
func TestAWatcherAdvisesWhileTheSwarmRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := bus.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		heard := new(lead)
		d, begin := newDesk(t, b, heard.Escalated), time.Now()
		stop := watched(t, d)
		ann, bob := worker(t, d, "ann"), worker(t, d, "bob")
		file(t, ann, report("ann", "a0")) // and then nothing: it stalls after ten minutes
		for n := range 5 {                // with others in between, a spike when those leave the window
			ok := report("bob", fmt.Sprint("ok", n))
			ok.Status = reports.Completed
			file(t, bob, ok)
		}
		time.Sleep(5 * time.Minute)
		for n := range 5 {
			bad := report("bob", fmt.Sprint("bad", n))
			bad.Status, bad.Findings = reports.Failed, nil
			file(t, bob, bad)
		}
		synctest.Wait()
		if got := advised(b, begin); len(got) > 0 {
			t.Errorf("5 of 11 failed, and it advises %v", got)
		}
		time.Sleep(time.Hour)
		want := []string{
			"10m0s failure_spike [bob] watcher watch",
			"10m0s stall [ann] watcher watch",
		}
		if diff := cmp.Diff(want, advised(b, begin)); diff != "" {
			t.Error(diff)
		}
		stop()
		stop = watched(t, d)
		time.Sleep(time.Hour)
		if diff := cmp.Diff(want, advised(b, begin)); diff != "" {
			t.Errorf("a watcher that came later: %s", diff)
		}
		stop()
		if len(heard.heard) > 0 {
			t.Errorf("the conductor is notified of %v", heard.heard)
		}
	})
}

// A watcher that starts late reports what it missed.
func TestLateWatcherReportsMissedAnomalies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, err := bus.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		d, begin := newDesk(t, b, nil), time.Now()
		file(t, worker(t, d, "ann"), report("ann", "a0"))
		time.Sleep(time.Hour)
		readers := len(b.Stats().Readers)
		stop := watched(t, d)
		if diff := cmp.Diff([]string{"1h0m0s stall [ann] watcher watch"}, advised(b, begin)); diff != "" {
			t.Error(diff)
		}
		stop()
		if left := len(b.Stats().Readers) - readers; left != 0 {
			t.Errorf("the watcher leaves %d readers behind", left)
		}
		b.Close()
		if err := d.Watch(t.Context(), "watch", nil); !errors.Is(err, bus.ErrClosed) {
			t.Errorf("on a closed bus: %v", err)
		}
	})
}

// The clock is not the machine's, and goes on before the watcher has read.
func TestWatcherReadsPendingReportsBeforeTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		clock := bustest.NewClock(begin)
		b, err := bus.New(&bus.Options{Clock: clock.Now})
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		d := newDesk(t, b, nil)
		stop := watched(t, d)
		ann := worker(t, d, "ann")
		for n := range 20 {
			file(t, ann, report("ann", fmt.Sprint("a", n)))
			clock.Advance(9 * time.Minute)
			if n%5 == 0 {
				synctest.Wait()
			}
		}
		synctest.Wait()
		if got := advised(b, begin); len(got) > 0 {
			t.Errorf("ann reported every 9 minutes, and it advises %q", got)
		}
		stop()
	})
}
