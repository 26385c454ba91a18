package natsbus

import (
	"fmt"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/signals"
)

// What processes remember is the same whether they read all messages or began later, so each
// forgets an id when so many messages have followed, and not before.
func TestIDsAreRememberedForSoManyMessages(t *testing.T) {
	t.Parallel()
	const size = 3
	w := newWindow(size)
	said := func(n int) []signals.Any {
		return []signals.Any{signals.New(signals.Header{ID: signals.MustID(fmt.Sprint("id", n))}, signals.Discovery{Finding: "x"})}
	}
	for n := range 10 {
		w.add(said(n))
		for old := range n + 1 {
			if has, want := !w.first(said(old)).IsZero(), n-old < size; has != want {
				t.Errorf("after message %d: id of message %d remembered: %v, want %v", n, old, has, want)
			}
		}
		if len(w.ids) > size || len(w.all()) != min(n+1, size) {
			t.Errorf("after message %d: %d ids of %d messages, want %d", n, len(w.ids), len(w.all()), size)
		}
		for i, ids := range w.all() {
			if want := said(n - len(w.all()) + 1 + i)[0].Head().ID; ids[0] != want {
				t.Errorf("after message %d: %s is in place %d, want %s: the oldest is first", n, ids[0], i, want)
			}
		}
	}
}

// A snapshot has to reach to the first message that the stream still has, and not beyond its last.
func TestSnapshotFitsAStreamThatGoesOnWhereItEnds(t *testing.T) {
	t.Parallel()
	l := reader(t, Options{})
	const end = 10
	s := &snapshot{Format: format, Seq: end}
	var err error
	if s.Sum, err = s.sum(); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		first, last uint64
		fits        bool
	}{
		{first: end + 1, last: end + 5, fits: true},
		{first: end + 1, last: end, fits: true}, // the stream is empty
		{first: end + 2, last: end + 5},
		{first: end + 2, last: end + 1},
		{first: 1, last: end - 1},
	} {
		last, err := l.fits(t.Context(), s, &jetstream.StreamState{FirstSeq: c.first, LastSeq: c.last})
		if fits := err == nil; fits != c.fits || fits && last.seq != end {
			t.Errorf("stream from %d to %d: %v, want that it fits: %v", c.first, c.last, err, c.fits)
		}
	}
}
