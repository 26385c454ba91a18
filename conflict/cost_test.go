package conflict_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/conflict"
)

// turnover folds n proposals of one thread, each by a different agent, and
// removes all but the last live ones, oldest first. If kept is set, the first
// one stays.
func turnover(d *conflict.Detector, n, live int, kept bool) {
	for i := range n {
		p := proposal{uint64(i + 1), "t", fmt.Sprint("agent ", i), fmt.Sprint("content ", i)}
		d.Fold(p.signal())
		if gone := i + 1 - live; gone > 0 && (!kept || gone != 1) {
			d.Remove(proposal{seq: uint64(gone)}.id())
		}
	}
}

func heap() uint64 {
	runtime.GC()
	runtime.GC() // what became garbage during the first
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestMemoryFollowsTheLiveProposals(t *testing.T) {
	for _, kept := range []bool{false, true} {
		d := conflict.NewDetector(nil)
		before := heap()
		turnover(d, 15_000, 10, kept)
		if after := heap(); after > before+1<<20 {
			t.Errorf("10 live proposals and 15,000 removed take %d bytes, the first kept: %v", after-before, kept)
		}
		runtime.KeepAlive(d)
	}
}

func TestClosedThreadsLeaveNothing(t *testing.T) {
	f := conflict.NewFold(nil)
	before := heap()
	for i := range 30_000 {
		f.Apply(proposal{uint64(i + 1), "t", "a", "x"}.mortal(time.Hour))
		f.CloseThread("t")
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("30,000 proposals of closed threads take %d bytes", after-before)
	}
	runtime.KeepAlive(f)
}
