package connectivity_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
)

func TestClosingAnInboxWakesWhoWaitsForAHook(t *testing.T) {
	entered, leave := make(chan struct{}), make(chan struct{})
	w := real(t, &connectivity.Options{Hook: func(context.Context, connectivity.Signal) (connectivity.Mode, error) {
		close(entered)
		<-leave
		return 0, nil
	}})
	inbox := w.inbox("a")
	emitted, read := make(chan struct{}), make(chan error, 1)
	go func() {
		defer close(emitted)
		w.emit(alarm(1, to(connectivity.Self)))
	}()
	<-entered
	go func() {
		_, err := inbox.Next(soon(t))
		read <- err
	}()
	inbox.Close()
	inbox.Close()
	is(t, <-read, bus.ErrClosed)
	close(leave)
	<-emitted
}

func TestWhatIsUnreadWhenTheBusClosesCanBeRead(t *testing.T) {
	w := newWorld(t, nil)
	inbox := w.inbox("a")
	w.emit(says("x", to(connectivity.Self)))
	is(t, w.bus.Shutdown(soon(t)), nil)
	s, err := inbox.Next(soon(t))
	is(t, err, nil)
	equal(t, "read", []string{s.Summary}, "x")
	_, err = inbox.Next(soon(t))
	is(t, err, bus.ErrClosed)
}
