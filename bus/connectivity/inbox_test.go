package connectivity_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestClosingAnInboxWakesReadersThatWaitForAHook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leave := make(chan struct{})
		w := real(t, &connectivity.Options{Hook: func(context.Context, coordination.Signal) (signals.Effort, error) {
			<-leave
			return 0, nil
		}})
		inbox := w.inbox("a")
		go w.emit(alarm(1, to(coordination.Self)))
		synctest.Wait() // in the hook
		read := make(chan error, 1)
		go func() {
			_, err := inbox.Next(t.Context())
			read <- err
		}()
		synctest.Wait() // for the hook
		inbox.Close()
		inbox.Close()
		synctest.Wait()
		select {
		case err := <-read:
			is(t, err, bus.ErrClosed)
		default:
			t.Error("Next still waits for the hook")
		}
		close(leave)
		synctest.Wait()
	})
}

func TestClosedInboxesLeaveNothing(t *testing.T) {
	w := newWorld(t, nil)
	comeAndGo := func(n int) {
		for i := range n {
			made(w.Inbox(fmt.Sprint("component ", i))).Close()
		}
	}
	comeAndGo(1_000)
	before := heap()
	comeAndGo(20_000)
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d kB, and %d after 20,000 inboxes", before>>10, after>>10)
	}
}

// An inbox is a subscription: shutting the bus down waits until it has been read.
func TestShutdownWaitsUntilAnInboxIsRead(t *testing.T) {
	w := newWorld(t, nil)
	inbox := w.inbox("a")
	w.emit(says("x", to(coordination.Self)))
	down := make(chan error, 1)
	go func() { down <- w.bus.Shutdown(timetest.Context(t)) }()
	s, err := inbox.Next(timetest.Context(t))
	is(t, err, nil)
	equal(t, "read", []string{s.Summary}, "x")
	_, err = inbox.Next(timetest.Context(t))
	is(t, err, bus.ErrClosed)
	is(t, <-down, nil)
}
