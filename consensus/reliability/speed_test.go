//go:build unix

package reliability

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/consensus"
)

// busy returns the processor time this process has used, which does not depend on what else runs on the machine.
func busy(t *testing.T) time.Duration {
	t.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func TestALargeSwarmLearnsInUnderASecond(t *testing.T) {
	measures(t)
	for _, every := range []int{0, 1} {
		b := newBook(nil)
		newWorld(1, 2, even(500, 0.9, 0.55)...).fill(b, 100, every)
		least := time.Hour
		for try := 0; try < 3 && least >= time.Second; try++ {
			start := busy(t)
			b.Learn()
			least = min(least, busy(t)-start)
		}
		if least >= time.Second {
			t.Errorf("50,000 votes of 500, every %d told: learned in %v", every, least)
		}
	}
}

func TestOneWideDecisionDoesNotSlowAllOthers(t *testing.T) {
	measures(t)
	for _, stance := range []consensus.Stance{consensus.Agree, consensus.Disagree} {
		b := newBook(nil)
		newWorld(1, 3, even(7, 0.9, 0.5)...).fill(b, 300, 4)
		if err := b.Observe("", wide(t, 3000, stance)); err != nil {
			t.Fatal(err)
		}
		start := busy(t)
		b.Learn()
		if took := busy(t) - start; took >= time.Second {
			t.Errorf("2,100 votes on three proposals, and one on 3,000: learned in %v", took)
		}
	}
}

func TestBallotsOnManyProposalsArePooledInUnderASecond(t *testing.T) {
	measures(t)
	b := newBook(nil)
	newWorld(1, 3, even(6, 0.9, 0.5)...).fill(b, 60, 0)
	m := b.Learn()
	var cast []consensus.Vote
	proposals := make([]string, 3000)
	for i := range proposals {
		proposals[i] = fmt.Sprintf("p%04d", i)
	}
	for j := range 6 {
		all := against(j, proposals[j:])
		for i := range all {
			if j%2 == 0 {
				all[i].Stance = consensus.Agree
			}
		}
		cast = append(cast, all...)
	}
	ballots := between(t, proposals, cast...)
	start := busy(t)
	m.Probabilities(ballots)
	if took := busy(t) - start; took >= time.Second {
		t.Errorf("six voters on 3,000 proposals each: %v", took)
	}
}
