package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/signals"
)

// An event of a stream that a watcher reads.
type event struct {
	at     time.Duration
	worker string
	kind   signals.Kind
	text   string
}

func (e event) signal() signals.Any {
	h := signals.Header{Source: e.worker, Thread: "task", Time: start.Add(e.at)}
	step := reports.Step{Origin: reports.Origin{TurnID: "t"}, Summary: e.text}
	switch e.kind {
	case reports.Progress{}.Kind():
		return signals.New(h, reports.Progress{Step: step})
	case reports.Completion{}.Kind():
		return signals.New(h, reports.Completion{Step: step})
	case reports.Failure{}.Kind():
		return signals.New(h, reports.Failure{Step: step})
	case reports.Block{}.Kind():
		return signals.New(h, reports.Block{Step: step})
	case reports.Decided{}.Kind():
		h.Source, h.Recipients = "lead", signals.To(e.worker)
		return signals.New(h, reports.Decided{})
	}
	return signals.New(h, signals.Discovery{Finding: e.text})
}

// watched returns what a watcher says, one line each.
func watched(t testing.TB, o *reports.WatchOptions, all []event) (said []string) {
	t.Helper()
	w, err := reports.NewWatcher(o)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range all {
		for _, a := range w.Watch(e.signal()) {
			if err := a.Check(signals.Limits{}); err != nil {
				t.Fatal(err)
			}
			said = append(said, line(e.at, a.Concern, a.Workers, a.Since.Sub(start), a.Count))
		}
	}
	return said
}

func line(at time.Duration, c reports.Concern, workers []string, since time.Duration, count int) string {
	return fmt.Sprintf("%v %s %s since %v: %d", at, c, strings.Join(workers, "+"), since, count)
}

const (
	window   = 10 * time.Minute
	failures = 5
	repeats  = 5
)

func TestFailureSpikesStraddleWindows(t *testing.T) {
	fail := func(at time.Duration, n int) event {
		return event{at, fmt.Sprint("w", n), reports.Failure{}.Kind(), fmt.Sprint("cause ", at)}
	}
	var all []event
	for n, minute := range []int{8, 9, 10, 11, 12} { // no window of 0–10 or 10–20 has five
		all = append(all, fail(time.Duration(minute)*time.Minute, n))
	}
	all = append(all, fail(13*time.Minute, 0)) // the same spike
	want := []string{"12m0s failure_spike w0+w1+w2+w3+w4 since 8m0s: 5"}
	if diff := cmp.Diff(want, watched(t, nil, all)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	edge := []event{fail(0, 0), fail(1, 1), fail(2, 2), fail(3, 3), fail(window, 4)}
	if got := watched(t, nil, edge); len(got) != 1 {
		t.Errorf("as long as the window: %q", got)
	}
	edge[4].at++
	if got := watched(t, nil, edge); len(got) != 0 {
		t.Errorf("longer than the window: %q", got)
	}
	var mixed []event
	for n := range 10 {
		mixed = append(mixed, fail(time.Duration(n)*time.Second, n))
		for range 2 {
			mixed = append(mixed, event{time.Duration(n) * time.Second, "ok", reports.Completion{}.Kind(), "done"})
		}
	}
	if got := watched(t, nil, mixed[:15]); len(got) != 0 {
		t.Errorf("a third fails: %q", got)
	}
}

func TestAnotherSpikeIsSaidAgain(t *testing.T) {
	var all []event
	for n := range 5 {
		all = append(all, event{time.Duration(n) * time.Minute, "w", reports.Failure{}.Kind(), fmt.Sprint(n)})
	}
	for n := range 5 {
		all = append(all, event{time.Duration(30+n) * time.Minute, "w", reports.Failure{}.Kind(), fmt.Sprint(n + 10)})
	}
	want := []string{"4m0s failure_spike w since 0s: 5", "34m0s failure_spike w since 30m0s: 5"}
	if diff := cmp.Diff(want, watched(t, nil, all)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWatchersTimeNeverGoesBack(t *testing.T) {
	w, err := reports.NewWatcher(nil)
	if err != nil {
		t.Fatal(err)
	}
	w.At(start.Add(9 * time.Minute))
	w.Watch(event{0, "w", reports.Progress{}.Kind(), "a"}.signal()) // counts as of the ninth minute
	if got := w.At(start.Add(11 * time.Minute)); len(got) != 0 {
		t.Errorf("stalled after two minutes: %v", got)
	}
	if got := w.At(start.Add(20 * time.Minute)); len(got) != 1 {
		t.Errorf("%d advisories after eleven minutes of silence, want 1", len(got))
	}
}

func TestStallsAreOfRunningTasks(t *testing.T) {
	other := func(at time.Duration) event { return event{at, "else", "discovery", "x"} }
	m := time.Minute
	for name, c := range map[string]struct {
		all  []event
		want []string
	}{
		"silence": {
			[]event{{0, "w", reports.Progress{}.Kind(), "a"}, other(10 * m), other(10*m + 1), other(30 * m)},
			[]string{"10m0.000000001s stall w since 0s: 0"},
		},
		"again": {
			[]event{{0, "w", reports.Progress{}.Kind(), "a"}, {11 * m, "w", reports.Progress{}.Kind(), "b"}, other(22 * m)},
			[]string{"11m0s stall w since 0s: 0", "22m0s stall w since 11m0s: 0"},
		},
		"completed": {[]event{{0, "w", reports.Progress{}.Kind(), "a"}, {m, "w", reports.Completion{}.Kind(), "b"}, other(30 * m)}, nil},
		"failed":    {[]event{{0, "w", reports.Progress{}.Kind(), "a"}, {m, "w", reports.Failure{}.Kind(), "b"}, other(30 * m)}, nil},
		"waits":     {[]event{{0, "w", reports.Progress{}.Kind(), "a"}, {m, "w", reports.Block{}.Kind(), "b"}, other(30 * m)}, nil},
		"waits no longer": {
			[]event{{0, "w", reports.Block{}.Kind(), "a"}, {20 * m, "w", reports.Decided{}.Kind(), ""}, other(31 * m)},
			[]string{"31m0s stall w since 20m0s: 0"},
		},
		"help after the end": {[]event{{0, "w", reports.Completion{}.Kind(), "a"}, {m, "w", reports.Decided{}.Kind(), ""}, other(31 * m)}, nil},
		"quiet":              {[]event{other(0), other(60 * m)}, nil},
		"two": {
			[]event{{0, "b", reports.Progress{}.Kind(), "a"}, {m, "a", reports.Progress{}.Kind(), "a"}, other(10*m + 1), other(20 * m)},
			[]string{"10m0.000000001s stall b since 0s: 0", "20m0s stall a since 1m0s: 0"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, watched(t, nil, c.all)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
	w, _ := reports.NewWatcher(nil)
	w.Watch(event{0, "w", reports.Progress{}.Kind(), "a"}.signal())
	if got := w.At(start.Add(10 * m)); len(got) != 0 {
		t.Errorf("too early: %v", got)
	}
	if got := w.At(start.Add(11 * m)); len(got) != 1 || got[0].Concern != reports.Stall {
		t.Errorf("nothing happens in the log: %v", got)
	}
	if got := w.At(start.Add(5 * m)); len(got) != 0 {
		t.Errorf("back in time: %v", got)
	}
}

// twin says what a watcher has to, from the whole stream each time.
func twin(all []event) (said []string) {
	spiking := false
	storming := map[string]bool{}
	var now time.Duration = -1
	lifecycle := func(e event) bool { return strings.HasPrefix(string(e.kind), "worker.task.") }
	for i, e := range all {
		spike := func(upTo int) {
			total, since := 0, time.Duration(-1)
			var who []string
			n := 0
			for _, o := range all[:upTo] {
				if !lifecycle(o) || o.at < e.at-window {
					continue
				}
				if total++; o.kind == (reports.Failure{}).Kind() {
					if n++; n == 1 {
						since = o.at
					}
					who = append(who, o.worker)
				}
			}
			is := n >= failures && 2*n >= total
			if is && !spiking {
				slices.Sort(who)
				said = append(said, line(e.at, reports.FailureSpike, slices.Compact(who), since, n))
			}
			spiking = is
		}
		if e.at > now {
			now = e.at
			spike(i)
			var stalled []string
			for k, p := range all[:i] {
				if p.kind != (reports.Progress{}).Kind() && p.kind != (reports.Decided{}).Kind() || e.at <= p.at+window {
					continue
				}
				if p.kind == (reports.Decided{}).Kind() && !awaits(all[:k], p.worker, p.at) {
					continue
				}
				over := slices.ContainsFunc(all[k+1:i], func(o event) bool {
					return o.worker == p.worker && (lifecycle(o) || o.kind == (reports.Decided{}).Kind()) || o.at > p.at+window
				})
				if !over {
					stalled = append(stalled, line(e.at, reports.Stall, []string{p.worker}, p.at, 0))
				}
			}
			slices.SortFunc(stalled, func(a, b string) int { return strings.Compare(strings.Fields(a)[2], strings.Fields(b)[2]) })
			said = append(said, stalled...)
		}
		if !lifecycle(e) {
			continue
		}
		spike(i + 1)
		if e.kind == (reports.Completion{}).Kind() {
			continue
		}
		key := fmt.Sprint(e.worker, e.kind, e.text)
		var same []time.Duration
		for _, o := range all[:i+1] {
			if o.worker == e.worker && o.kind == e.kind && o.text == e.text {
				same = append(same, o.at)
			}
		}
		same = same[max(0, len(same)-repeats):]
		is := len(same) == repeats && same[0] >= e.at-window
		if is && !storming[key] {
			said = append(said, line(e.at, reports.RetryStorm, []string{e.worker}, same[0], repeats))
		}
		storming[key] = is
	}
	return said
}

// awaits reports whether a decision finds the worker at a task that is not over,
// and of which no stall was said.
func awaits(before []event, worker string, now time.Duration) bool {
	for k := len(before) - 1; k >= 0; k-- {
		e := before[k]
		if e.worker != worker {
			continue
		}
		switch e.kind {
		case reports.Block{}.Kind():
			return true
		case reports.Progress{}.Kind():
			return now <= e.at+window
		case reports.Decided{}.Kind():
			return awaits(before[:k], worker, e.at) && now <= e.at+window
		case reports.Failure{}.Kind(), reports.Completion{}.Kind():
			return false
		}
	}
	return false
}

// TestWatcherAgreesWithItsTwin plays seeded streams: calm ones, with failures in
// bursts, with workers that go silent or repeat themselves.
func TestWatcherAgreesWithItsTwin(t *testing.T) {
	all := []signals.Kind{reports.Progress{}.Kind(), reports.Completion{}.Kind(), reports.Failure{}.Kind(), reports.Block{}.Kind(), reports.Decided{}.Kind(), "discovery"}
	count := map[reports.Concern]int{}
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 0))
		var stream []event
		at, mood := time.Duration(0), 0
		for range 150 {
			if r.IntN(20) == 0 {
				mood = r.IntN(4)
			}
			at += time.Duration(r.IntN([]int{120, 120, 120, 500}[mood])) * time.Second
			e := event{at, fmt.Sprint("w", r.IntN(3)), all[r.IntN(len(all))], fmt.Sprint("text ", r.IntN(30))}
			switch {
			case mood == 1 && r.IntN(3) > 0:
				e.kind = reports.Failure{}.Kind()
			case mood == 2:
				e.text, e.worker, e.kind = "again", "w0", reports.Progress{}.Kind()
			}
			stream = append(stream, e)
		}
		want, got := twin(stream), watched(t, nil, stream)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("seed %d: -twin +watcher:\n%s", seed, diff)
		}
		for _, s := range got {
			count[reports.Concern(strings.Fields(s)[1])]++
		}
	}
	for _, c := range []reports.Concern{reports.FailureSpike, reports.Stall, reports.RetryStorm} {
		if count[c] < 20 {
			t.Errorf("%d of %s, too few to compare", count[c], c)
		}
	}
}

// A day in which everything goes well is quiet.
func TestWatcherIsQuietWhereNothingIsWrong(t *testing.T) {
	var all []event
	for n := range 24 * 60 {
		k := reports.Progress{}.Kind()
		switch {
		case n%60 == 0:
			k = reports.Failure{}.Kind() // once an hour
		case n%20 == 10:
			k = reports.Completion{}.Kind()
		}
		all = append(all, event{time.Duration(n) * time.Minute, fmt.Sprint("w", n%3), k, fmt.Sprint("step ", n)})
	}
	if got := watched(t, nil, all); len(got) != 0 {
		t.Errorf("got %q", got)
	}
}

// A watcher reads the signals that a gate writes.
func TestWatcherReadsTheGatesSignals(t *testing.T) {
	d := newDesk(t, nil)
	for n := range 5 {
		r := quiet(turn(n))
		r.Status, r.Summary = reports.Failed, "the provider answers 503"
		d.now = d.now.Add(time.Minute)
		d.file(ann, r)
	}
	w, err := reports.NewWatcher(nil)
	if err != nil {
		t.Fatal(err)
	}
	var said []reports.Concern
	for _, s := range d.log {
		for _, a := range w.Watch(s) {
			said = append(said, a.Concern)
			d.publish(signals.New(signals.Header{Source: "watcher", Thread: "latency"}, a))
		}
	}
	if diff := cmp.Diff([]reports.Concern{reports.FailureSpike, reports.RetryStorm}, said); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, s := range d.log { // of its own advisories it says nothing
		if got := w.Watch(s); len(got) != 0 && s.Kind() == (reports.Advisory{}).Kind() {
			t.Errorf("got %v", got)
		}
	}
}

// A worker whose reports are all refused for the same reason is not silent.
// Eight reports with new accepted findings and one summary are no storm; the same
// reports without anything new are.
// Something new ends a streak: what is repeated after it is counted anew.
// A trend compares a window with the one before it: the share of failures has to rise by
// more than chance, with enough turns in both. It is said once.
func TestTrendsAreOfTwoWindows(t *testing.T) {
	turns := func(from time.Duration, n, failed int) (all []event) {
		for i := range n {
			kind := reports.Completion{}.Kind()
			if i >= n-failed {
				kind = reports.Failure{}.Kind()
			}
			all = append(all, event{from + time.Duration(i)*time.Second, fmt.Sprint("w", i%2), kind, fmt.Sprint(from, i)})
		}
		return all
	}
	for name, c := range map[string]struct {
		before, failed, now, fail int
		want                      []string
	}{
		"rises":          {40, 1, 40, 12, []string{"11m38s trend w0+w1 since 11m29s: 10"}},
		"by chance":      {40, 1, 40, 8, nil},
		"as before":      {40, 12, 40, 12, nil},
		"falls":          {40, 12, 40, 1, nil},
		"too few before": {19, 0, 40, 12, nil},
		"too few now":    {40, 0, 19, 9, nil},
	} {
		all := slices.Concat(turns(time.Second, c.before, c.failed), turns(11*time.Minute+time.Second, c.now, c.fail))
		got := slices.DeleteFunc(watched(t, nil, all), func(s string) bool { return !strings.Contains(s, string(reports.Trend)) })
		if diff := cmp.Diff(c.want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// The items of reports are watched, too.
func TestMoreRejectedItemsAreATrend(t *testing.T) {
	d := newDesk(t, nil)
	w, err := reports.NewWatcher(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		f := finding(turn(n), fmt.Sprint("claim ", n))
		if n >= 25 {
			f.EvidenceRefs = nil
		}
		d.now = d.now.Add(25 * time.Second)
		d.file(ann, found(turn(n), f))
	}
	var said []reports.Advisory
	for _, s := range d.log {
		said = append(said, w.Watch(s)...)
	}
	if len(said) != 1 || said[0].Concern != reports.Trend || said[0].Count < 5 || !slices.Equal(said[0].Workers, reports.List{"ann"}) || !strings.Contains(said[0].Text, "rejected") {
		t.Errorf("said %+v", said)
	}
}
