package runlog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Forever is a TTL without end, in the unit of the wire: nothing of a solve expires.
const Forever = -time.Millisecond

// A Message is what a person says to the agents of a solve that is not over.
type Message struct {
	Text string   // required
	To   []string // agents of the solve; none: all of them
	By   string   // who says it, no agent of the solve; "": [Person]
}

// Message returns the signal of a message in a thread that has come so far, for a publisher of its
// source. The agents hear it in their next turns, whatever they listen to, unless their routes say
// otherwise. The error is [ErrLog] if the thread is over.
func (t Insiders) Message(g *Stage, thread string, m Message) (signals.Any, error) {
	if g.Closed() {
		return nil, fmt.Errorf("%w: the solve in thread %q is over, or there is none: no agent would hear it", ErrLog, thread)
	}
	by := cmp.Or(m.By, Person)
	if !t.Outside(by) {
		return nil, &signals.FieldError{Field: "by", Value: by, Problem: "an agent of the swarm, not an outsider"}
	}
	for i, to := range m.To {
		if !slices.Contains(t, to) {
			return nil, &signals.FieldError{Field: fmt.Sprintf("to[%d]", i), Value: to, Problem: "no agent of the solve"}
		}
	}
	h := signals.Header{Source: by, Thread: thread, Confidence: 1, TTL: Forever}
	if len(m.To) > 0 {
		h.Recipients = signals.To(m.To...)
	}
	said := signals.New(h, routing.UserMessage{Text: m.Text})
	return said, signals.Validate(said)
}

// Publish publishes what the system says in a thread, or somebody else who is its source.
func Publish(ctx context.Context, b *bus.Bus, said signals.Any) (bus.Receipt, error) {
	h, by := said.Head(), b.System()
	if h.Source != "" && h.Source != bus.System {
		var err error
		if by, err = b.Agent(h.Source, bus.Permissions{Threads: []string{h.Thread}}); err != nil {
			return bus.Receipt{}, err
		}
	}
	return by.Publish(ctx, said)
}
