package coordination

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A writer makes the entries of a log.
type writer struct {
	fold *Fold
	seq  uint64
	last signals.Any // attention
}

func (w *writer) header(thread string) signals.Header {
	w.seq++
	return signals.Header{Seq: w.seq, ID: signals.MustID(fmt.Sprint("sig_", w.seq)), Thread: thread, Source: fmt.Sprint("a", w.seq), Time: time.Unix(int64(w.seq), 0)}
}

// attention adds a live signal that expires at a step, and returns its id.
func (w *writer) attention(thread string, expires int) signals.ID {
	h := w.header(thread)
	w.last = New(h, Note{
		Link: Link{Layer: "main"}, Class: AttentionRaise, Audience: Self, Priority: Normal,
		Summary: "x", ExpiresAtStep: expires,
	})
	w.fold.Apply(w.last, nil)
	return h.ID
}

func (w *writer) resolve(thread string, id signals.ID) {
	w.fold.Apply(signals.New(w.header(thread), Transition{
		Link: Link{Layer: "main"}, State: Resolved, Signals: []signals.ID{id},
	}), nil)
}

func TestASignalThatEndedLeavesNoExpiryBehind(t *testing.T) {
	w := writer{fold: NewFold("main", 10)}
	for i := range 20_000 {
		w.resolve("t", w.attention("t", 1_000_000+i))
	}
	lists := &w.fold.Thread("t").lists
	if len(lists.expiring) != 0 || len(lists.groups) != 0 || len(lists.all.all) > 20 || len(lists.sources) > 10 {
		t.Errorf("kept: %d steps, %d groups, %d records, %d sources", len(lists.expiring), len(lists.groups), len(lists.all.all), len(lists.sources))
	}
}

func TestClosedThreadsLeaveNothingBehind(t *testing.T) {
	w := writer{fold: NewFold("main", 10)}
	w.attention("open", 0)
	for i := range 1000 {
		thread := fmt.Sprint("closed ", i)
		w.attention(thread, 0)
		w.fold.Apply(signals.New(w.header(thread), Closed{Link{Layer: "main"}}), nil)
	}
	if f := w.fold; len(f.threads) != 1 || len(f.order) > 8 || len(f.ids.records) != 1 || f.Since(5000, "open") != 5000 {
		t.Errorf("kept: %d threads, %d in order, %d records; since %d", len(f.threads), len(f.order), len(f.ids.records), f.Since(5000, "open"))
	}
}

func TestSinceIsThatOfTheOldestOfAdoptedThreads(t *testing.T) {
	w := writer{fold: NewFold("main", 10)}
	w.attention("early", 0)
	early := w.last
	w.fold = NewFold("main", 10)
	w.attention("late", 0)
	w.fold.Adopt(slices.Values([]signals.Any{early}))
	for without, want := range map[string]uint64{"": 1, "late": 1, "early": 2} {
		if got := w.fold.Since(9, without); got != want {
			t.Errorf("since %d without %q, want %d", got, without, want)
		}
	}
}
