package clock

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

// A reader was told the time without the lock; then the wall clock was set back.
func TestClockGoesOnFromWhatReadersWereTold(t *testing.T) {
	var c Clock
	base := time.Now().Add(-10 * time.Second)
	c.anchor.Store(&anchor{base: base, wall: base.Add(5 * time.Second).UnixNano()})
	told, _ := c.Unlocked()
	if now := c.Now(); now < told {
		t.Errorf("with the lock it says %v less", time.Duration(told-now))
	}
	if now, _ := c.Unlocked(); now < told {
		t.Errorf("without the lock it says %v less", time.Duration(told-now))
	}
}
