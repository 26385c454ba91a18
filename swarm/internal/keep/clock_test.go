package keep_test

import (
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/swarm/internal/keep"
)

func TestOnlyNowReadsTheGivenClock(t *testing.T) {
	t.Parallel()
	began := time.Unix(100, 0).UTC()
	steps := 0
	c := keep.NewClock(func() time.Time { steps++; return began.Add(time.Duration(steps) * time.Second) })
	c.Saw(began)
	if got := c.Last(); !got.Equal(began) || steps != 0 {
		t.Errorf("got %v after %d readings", got, steps)
	}
	if got := c.Now(); !got.Equal(began.Add(time.Second)) || !c.Last().Equal(got) {
		t.Errorf("got %v, last %v", got, c.Last())
	}
	c.Advance(began.Add(time.Minute)) // reads it to see how far it is
	if got := c.Now(); !got.Equal(began.Add(time.Minute + time.Second)) {
		t.Errorf("got %v after advancing", got)
	}
	c.Advance(began)
	if got := c.Now(); got.Before(began.Add(time.Minute)) {
		t.Errorf("got %v, the clock went back", got)
	}
}
