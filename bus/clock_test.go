package bus

import (
	"testing"
	"time"
)

// The machine's wall clock was set back by an hour since the bus last read it.
func TestClockNeverGoesBack(t *testing.T) {
	said := time.Now().Add(time.Hour).UnixNano()
	c := clock{last: said}
	c.drop()
	if now := c.unlocked(); now < said {
		t.Errorf("without the lock it says %v less", time.Duration(said-now))
	}
	if now := c.now(); now < said {
		t.Errorf("with the lock it says %v less", time.Duration(said-now))
	}
}

// A reader was told the time without the lock; then the wall clock was set back.
func TestClockGoesOnFromWhatReadersWereTold(t *testing.T) {
	var c clock
	base := time.Now().Add(-10 * time.Second)
	c.anchor.Store(&anchor{base: base, wall: base.Add(5 * time.Second).UnixNano()})
	told := c.unlocked()
	if now := c.now(); now < told {
		t.Errorf("with the lock it says %v less", time.Duration(told-now))
	}
	if now := c.unlocked(); now < told {
		t.Errorf("without the lock it says %v less", time.Duration(told-now))
	}
}
