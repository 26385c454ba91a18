package signals_test

import (
	"testing"
	"time"
	"unsafe"

	"github.com/swarmbus/swarmbus/signals"
)

func TestASignalEndsAfterTimeAndTTL(t *testing.T) {
	at := time.Unix(1000, 5)
	for _, c := range []struct {
		ttl  time.Duration
		now  time.Time
		want bool
	}{
		{time.Second, at, false},
		{time.Second, at.Add(time.Second), false},
		{time.Second, at.Add(time.Second + 1), true},
		{1, at.Add(1), false},
		{1, at.Add(2), true},
		{time.Second, at.Add(-time.Hour), false},
		{0, at.Add(1 << 62), false},
		{-1, at.Add(1 << 62), false},
		{1<<63 - 1, at.Add(1<<63 - 1), false},
	} {
		h := signals.Header{Time: at, TTL: c.ttl}
		if got := h.Expired(c.now); got != c.want {
			t.Errorf("ttl %v: expired %v after %v, want %v", c.ttl, got, c.now.Sub(at), c.want)
		}
	}
}

// A log holds a million headers.
func TestAHeaderIsSmall(t *testing.T) {
	if got, most := unsafe.Sizeof(signals.Header{}), uintptr(136); got > most {
		t.Errorf("%d bytes, more than %d", got, most)
	}
	if got := unsafe.Sizeof(signals.ID{}); got != 16 {
		t.Errorf("an id has %d bytes, want 16", got)
	}
}
