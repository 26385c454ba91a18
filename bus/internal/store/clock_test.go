package store

import (
	"testing"
	"time"
)

// The machine's wall clock was set back by an hour since the bus last read it.
func TestClockNeverGoesBack(t *testing.T) {
	said := time.Now().Add(time.Hour).UnixNano()
	c := Clock{last: said}
	c.drop()
	if now, _ := c.Unlocked(); now < said {
		t.Errorf("without the lock it says %v less", time.Duration(said-now))
	}
	if now := c.Now(); now < said {
		t.Errorf("with the lock it says %v less", time.Duration(said-now))
	}
}

// A reader reads the time without the lock; then the wall clock is set back.
func TestClockNeverReturnsLessThanReadersSaw(t *testing.T) {
	var c Clock
	base := time.Now().Add(-10 * time.Second)
	c.anchor.Store(&anchor{base: base, wall: base.Add(5 * time.Second).UnixNano()})
	seen, _ := c.Unlocked()
	if now := c.Now(); now < seen {
		t.Errorf("with the lock it says %v less", time.Duration(seen-now))
	}
	if now, _ := c.Unlocked(); now < seen {
		t.Errorf("without the lock it says %v less", time.Duration(seen-now))
	}
}
