package reports_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

func TestRetryStormsAreOfTheSame(t *testing.T) {
	var storm, varied []event
	for n := range 12 {
		at := time.Duration(n) * 2 * time.Minute
		storm = append(storm, event{at, "w", reports.Progress{}.Kind(), []string{"trying again", "Trying again!"}[n%2]})
		varied = append(varied, event{at, "w", reports.Progress{}.Kind(), fmt.Sprint("step ", n)})
	}
	want := []string{"8m0s retry_storm w since 0s: 5"}
	if diff := cmp.Diff(want, watched(t, nil, storm)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got := watched(t, nil, varied); len(got) != 0 {
		t.Errorf("progress: %q", got)
	}
	storm = append(storm[:6], event{40 * time.Minute, "w", reports.Progress{}.Kind(), "trying again"})
	for n := range 4 {
		storm = append(storm, event{time.Duration(41+n) * time.Minute, "w", reports.Progress{}.Kind(), "trying again"})
	}
	want = append(want, "40m0s stall w since 10m0s: 0", "44m0s retry_storm w since 40m0s: 5")
	if diff := cmp.Diff(want, watched(t, nil, storm)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestTheSameBrokenReportIsAStorm(t *testing.T) {
	d := newDesk(t, nil)
	w, err := reports.NewWatcher(nil)
	if err != nil {
		t.Fatal(err)
	}
	d.file(ann, quiet("t0"))
	for range 30 {
		d.now = d.now.Add(time.Minute)
		d.publish(d.gate.Judge(ann, []byte("no report"), signals.ID{}, d.now).Signals...)
	}
	if ttl := d.log[len(d.log)-1].Head().TTL; ttl >= 0 {
		t.Errorf("a refusal expires after %v", ttl)
	}
	var said []reports.Concern
	for _, s := range d.log {
		for _, a := range w.Watch(s) {
			said = append(said, a.Concern)
		}
	}
	if !slices.Equal(said, []reports.Concern{reports.RetryStorm}) {
		t.Errorf("said %v", said)
	}
	for _, a := range w.At(d.now.Add(10*time.Minute + 1)) {
		said = append(said, a.Concern)
	}
	if !slices.Equal(said, []reports.Concern{reports.RetryStorm, reports.Stall}) {
		t.Errorf("after silence: %v", said)
	}
}

func TestReportsWithNewFindingsAreNoStorm(t *testing.T) {
	for _, news := range []bool{true, false} {
		d := newDesk(t, nil)
		w, err := reports.NewWatcher(nil)
		if err != nil {
			t.Fatal(err)
		}
		var said []reports.Concern
		for n := range 8 {
			r := quiet(turn(n))
			r.Summary = "read another module"
			if news {
				r.Findings = []reports.Finding{finding(turn(n), fmt.Sprint("module ", n, " leaks"))}
			}
			d.now = d.now.Add(time.Minute)
			d.file(ann, r)
		}
		for _, s := range d.log {
			for _, a := range w.Watch(s) {
				said = append(said, a.Concern)
			}
		}
		if storm := slices.Contains(said, reports.RetryStorm); storm == news {
			t.Errorf("new findings %v: it says %v", news, said)
		}
	}
}

func TestANewFindingBetweenRepetitionsEndsTheStreak(t *testing.T) {
	for without, want := range map[int]bool{4: false, 5: true} { // after the new one; five are a storm
		d := newDesk(t, nil)
		w, err := reports.NewWatcher(nil)
		if err != nil {
			t.Fatal(err)
		}
		for n := range 4 + 1 + without {
			r := quiet(turn(n))
			r.Summary = "read another module"
			if n == 4 {
				r.Findings = []reports.Finding{finding("f", "the module leaks")}
			}
			d.now = d.now.Add(time.Second)
			d.file(ann, r)
		}
		storm := false
		for _, s := range d.log {
			storm = storm || slices.ContainsFunc(w.Watch(s), func(a reports.Advisory) bool { return a.Concern == reports.RetryStorm })
		}
		if storm != want {
			t.Errorf("%d repetitions after something new: storm %v, want %v", without, storm, want)
		}
	}
}
