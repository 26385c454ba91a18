package office_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/terminal"
)

// stuck is a terminal that blocks at the first line until it is released.
type stuck struct {
	locked
	stands, may chan struct{}
}

func (o *stuck) Write(p []byte) (int, error) {
	select {
	case o.stands <- struct{}{}:
		<-o.may
	default:
	}
	return o.locked.Write(p)
}

// While the terminal is blocked, more events arrive than a feed keeps. It shows all of them.
func TestBlockedTerminalShowsTheEventsItMissed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const said = 5000
		nobody := &agents.Agent{ID: "Reed", Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return agents.Emit() })}
		r, err := rooms.New(t.Context(), &rooms.Options{Keys: &events.Keys{Dir: t.TempDir()}, Queue: said, Agents: []rooms.Standing{{Agent: nobody, Rooms: []string{"ops"}}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		out := &stuck{stands: make(chan struct{}, 1), may: make(chan struct{})}
		shown := make(chan error, 1)
		go func() { shown <- terminal.New(r, out, "ops").Show(ctx) }()
		for i := range said {
			if _, err := r.Say(ctx, "ops", rooms.Message{Content: fmt.Sprint("message ", i)}); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		close(out.may)
		synctest.Wait()
		if n := strings.Count(out.String(), "message "); n != said {
			t.Errorf("%d of %d messages are shown", n, said)
		}
		cancel()
		if err := errors.Join(<-shown, r.Close(context.Background())); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}
