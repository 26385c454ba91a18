package connectivity_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestQueryDefaults(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 60 {
		s := w.emit(says(fmt.Sprint(i), at(coordination.Critical)))
		if i%10 == 9 {
			w.resolve(s.ID)
		}
	}
	got := summaries(w.Query("t", coordination.Query{}))
	if len(got) != 50 || got[0] != "58" || got[49] != "4" || slices.Contains(got, "9") {
		t.Errorf("got %v", got)
	}
	if n := len(w.Query("t", coordination.Query{Limit: -1})); n != 54 {
		t.Errorf("without limit: %d", n)
	}
	if got := w.Query("u", coordination.Query{}); got != nil {
		t.Errorf("unknown thread: %v", got)
	}
	if got := w.Query("t", coordination.Query{Source: "z"}); got != nil {
		t.Errorf("unknown source: %v", got)
	}
}

func TestQueryWithAnUnknownEnumValueIsRefused(t *testing.T) {
	w := newWorld(t, nil)
	for field, q := range map[string]coordination.Query{
		"message":  {Messages: []coordination.Message{coordination.AboutHandoff, 6}},
		"class":    {Classes: []coordination.Class{0}},
		"state":    {States: []coordination.State{coordination.Resolved, 6}},
		"priority": {Priorities: []coordination.Priority{20}},
		"order":    {Order: 2},
	} {
		_, err := w.Layer.Query("t", q)
		invalid(t, err, field)
	}
	_, err := w.Layer.Query("", coordination.Query{})
	invalid(t, err, "thread")
}

// All of them have the same timestamp.
func TestNewestFirstWithEqualTimesKeepsTheNewest(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 10 {
		w.emit(says(fmt.Sprint(i), at(coordination.Critical)))
	}
	equal(t, "newest", summaries(w.Query("t", coordination.Query{Limit: 3})), "9", "8", "7")
	equal(t, "oldest", summaries(w.Query("t", coordination.Query{Limit: 3, Order: coordination.Oldest})), "0", "1", "2")
}

func TestSinceIsExclusive(t *testing.T) {
	w := newWorld(t, nil)
	var times []time.Time
	for i := range 5 {
		w.now = w.now.Add(time.Second)
		times = append(times, w.now)
		w.emit(says(fmt.Sprint(i), at(coordination.Critical)))
	}
	for order, want := range map[coordination.Order][]string{coordination.Newest: {"4", "3"}, coordination.Oldest: {"3", "4"}} {
		q := coordination.Query{Since: times[2], Order: order}
		equal(t, "after the third", summaries(w.Query("t", q)), want...)
		q.Since = times[4]
		equal(t, "after the last", summaries(w.Query("t", q)))
		q.Since = time.Date(1000, 1, 1, 0, 0, 0, 0, time.UTC)
		if n := len(w.Query("t", q)); n != 5 {
			t.Errorf("since long ago: %d", n)
		}
		q.Since = time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)
		equal(t, "in the far future", summaries(w.Query("t", q)))
	}
}

// A query returns the same as a scan of all signals, in log order.
func TestQueryIsAScan(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	w := newWorld(t, nil)
	var all []coordination.Signal
	for i := range 400 {
		if r.IntN(4) == 0 {
			w.now = w.now.Add(time.Second)
		}
		c := coordination.Class(1 + r.IntN(11))
		s, err := w.Emit(ctx, says(fmt.Sprint(i), class(c), at(coordination.Priority(1+r.IntN(4))), by(fmt.Sprint("s", r.IntN(5))), until(r.IntN(2)*1000)))
		if err == nil && !s.Suppressed {
			all = append(all, s.Signal)
		}
		if len(all) > 0 && r.IntN(3) == 0 {
			_, _ = w.Resolve(ctx, all[r.IntN(len(all))].ID)
		}
		if len(all) > 0 && r.IntN(9) == 0 {
			_ = w.Received(ctx, all[r.IntN(len(all))].ID)
		}
		if r.IntN(10) == 0 {
			w.advance("t")
		}
	}
	for i := range all {
		all[i], _ = w.Get(all[i].ID)
	}
	found := 0
	for range 3000 {
		q := coordination.Query{
			Limit: r.IntN(12) - 1, Order: coordination.Order(r.IntN(2)),
			Messages: some[coordination.Message](r, 5), Classes: some[coordination.Class](r, 11),
			States: some[coordination.State](r, 5), Priorities: some[coordination.Priority](r, 4),
		}
		if r.IntN(2) == 0 {
			q.Source = fmt.Sprint("s", r.IntN(6))
		}
		if r.IntN(3) == 0 {
			q.Since = all[r.IntN(len(all))].EmittedAt
		}
		got, want := summaries(w.Query("t", q)), summaries(scan(all, "t", q))
		if !slices.Equal(got, want) {
			t.Fatalf("%+v:\ngot  %v\nwant %v", q, got, want)
		}
		found += len(got)
	}
	if found < 1000 {
		t.Errorf("%d answers in all, which shows little", found)
	}
}

// some returns nil, or a few values of an enum.
func some[E ~uint8](r *rand.Rand, values int) []E {
	if r.IntN(2) == 0 {
		return nil
	}
	set := []E{}
	for v := range values {
		if r.IntN(2) == 0 {
			set = append(set, E(v+1))
		}
	}
	return set
}

// scan is the obvious query over all signals of a thread, in log order.
func scan(all []coordination.Signal, thread string, q coordination.Query) (found []coordination.Signal) {
	all = slices.Clone(all)
	if q.Order == coordination.Newest {
		slices.Reverse(all)
	}
	if q.States == nil {
		q.States = []coordination.State{coordination.Emitted, coordination.Active}
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	for _, s := range all {
		if len(found) == q.Limit {
			break
		}
		if s.Thread == thread && (q.Source == "" || q.Source == s.Source) &&
			(q.Messages == nil || slices.Contains(q.Messages, s.Class.Message())) &&
			(q.Classes == nil || slices.Contains(q.Classes, s.Class)) &&
			slices.Contains(q.States, s.State) &&
			(q.Priorities == nil || slices.Contains(q.Priorities, s.Priority)) &&
			(q.Since.IsZero() || s.EmittedAt.After(q.Since)) {
			found = append(found, s)
		}
	}
	return found
}
