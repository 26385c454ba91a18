package sim_test

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/swarm/settle"
)

// looks is a context that ends when it is looked at for the n-th time, whoever looks: by Err, or by Done.
type looks struct {
	context.Context
	end  context.CancelFunc
	left *atomic.Int64
}

func (l *looks) look() {
	if l.left.Add(-1) == 0 {
		l.end()
	}
}

// Err implements [context.Context].
func (l *looks) Err() error {
	l.look()
	return l.Context.Err()
}

// Done implements [context.Context].
func (l *looks) Done() <-chan struct{} {
	l.look()
	return l.Context.Done()
}

// At whichever look a solve's context ends, the solve says so, and goes on to the decision of one that was
// not ended.
func TestContextEndsAtEachLook(t *testing.T) {
	for _, policy := range []settle.Policy{settle.ByDebate, settle.ByMajority, settle.ByEscalation} {
		whole := simulate(t, policy, 0, nil)
		for n := int64(1); ; n++ {
			var e end
			var over bool
			synctest.Test(t, func(*testing.T) {
				w := newWorld(policy, time.Second, nil)
				w.looks = new(atomic.Int64)
				w.looks.Store(n)
				e.result, e.err = w.run()
				over, e.fallen = w.looks.Load() <= 0, w.fallen
			})
			if wrong := e.wrong(whole); wrong != "" {
				t.Errorf("%v, ended at look %d: %s\n\tfallen: %s", policy, n, wrong, strings.Join(e.fallen, "; "))
			}
			if !over {
				t.Logf("%v: %d looks", policy, n-1)
				break
			}
		}
	}
}
