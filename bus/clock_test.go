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
