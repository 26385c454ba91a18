package rooms_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// seeded makes the same keys in every test.
type seeded struct{ *rand.Rand }

func (s seeded) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(s.Uint32())
	}
	return len(p), nil
}

func keys(t testing.TB) *events.Keys {
	t.Helper()
	return &events.Keys{Dir: t.TempDir(), Random: seeded{rand.New(rand.NewPCG(1, 1))}}
}

// A clock is moved by the test.
type clock struct {
	mu     sync.Mutex // protects the fields below
	now    time.Time
	waits  []chan time.Time
	waited *sync.Cond // there are more of these
}

func newClock() *clock {
	c := &clock{now: time.Date(2026, 3, 17, 9, 0, 0, 0, time.UTC)}
	c.waited = sync.NewCond(&c.mu)
	return c
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) After(time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	ch := make(chan time.Time, 1)
	c.waits = append(c.waits, ch)
	c.waited.Broadcast()
	return ch
}

func (c *clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	for _, ch := range c.waits {
		ch <- c.now
	}
	c.waits = nil
}

// react is an agent that answers the message of its turn.
func react(name string, f func(ctx context.Context, t *agents.Turn) ([]signals.Any, error)) *agents.Agent {
	return &agents.Agent{ID: name, Reactor: agents.Func(func(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
		said, err := f(ctx, t)
		if err != nil {
			return agents.Fail(err)
		}
		return agents.Emit(said...)
	})}
}

// says is an agent that posts the same message in each turn.
func says(name, text string) *agents.Agent {
	return react(name, func(context.Context, *agents.Turn) ([]signals.Any, error) {
		return []signals.Any{rooms.Words(text)}, nil
	})
}

// A house is a router that runs, for one test.
type house struct {
	*rooms.Router
	t     testing.TB
	clock *clock
	stop  func()
}

// close ends a router, so that the journal is complete and another router may continue it.
func (h *house) close() {
	h.t.Helper()
	h.stop()
	if err := h.Close(context.Background()); err != nil {
		h.t.Error(err)
	}
}

// open runs a router with deterministic ids, keys and times.
func open(t testing.TB, o rooms.Options) *house {
	t.Helper()
	h := build(t, o)
	h.run()
	return h
}

// build makes a router that does not run yet.
func build(t testing.TB, o rooms.Options) *house {
	t.Helper()
	h := &house{t: t, clock: newClock(), stop: func() {}}
	if o.Keys == nil {
		o.Keys = keys(t)
	}
	if o.Turns == 0 {
		o.Turns = 1
	}
	o.Clock, o.After, o.Mint = h.clock.Now, h.clock.After, signals.SeededMint("rooms")
	r, err := rooms.New(t.Context(), &o)
	if err != nil {
		t.Fatal(err)
	}
	h.Router = r
	t.Cleanup(h.close)
	return h
}

func (h *house) run() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- h.Run(ctx) }()
	h.stop = func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			h.t.Errorf("run: %v", err)
		}
		h.stop = func() {}
	}
}

func (h *house) say(room, text string) rooms.Receipt {
	h.t.Helper()
	return h.tell(room, rooms.Message{Content: text})
}

func (h *house) tell(room string, m rooms.Message) rooms.Receipt {
	h.t.Helper()
	r, err := h.Say(h.t.Context(), room, m)
	if err != nil {
		h.t.Fatal(err)
	}
	return r
}

func (h *house) idle() {
	h.t.Helper()
	if err := h.Idle(timetest.Context(h.t)); err != nil {
		h.t.Fatalf("idle: %v", err)
	}
}

// log returns the events of a room, or of all.
func logged(t testing.TB, store journal.Reader, room string) (all []events.Event) {
	t.Helper()
	for e, err := range rooms.Log(store, 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Room == room || room == "" {
			all = append(all, e)
		}
	}
	return all
}

// lines are events as text, for comparison.
func lines(all []events.Event) (text []string) {
	for _, e := range all {
		text = append(text, line(e))
	}
	return text
}

func line(e events.Event) string {
	c := e.Common()
	head := fmt.Sprintf("%s %s %v %d", e.Body.Type(), e.From, c.Priority, c.Turn)
	switch b := e.Body.(type) {
	case events.Dialogue:
		if !b.Done {
			return fmt.Sprintf("%s part %d: %s", head, b.Part, b.Chunk)
		}
		return fmt.Sprintf("%s to %s: %s", head, strings.Join(b.To, ","), b.Content)
	case events.User:
		return fmt.Sprintf("%s to %s: %s (%s)", head, strings.Join(b.To, ","), b.Content, b.Why)
	case events.System:
		return fmt.Sprintf("%s %v: %s", head, b.What, b.Content)
	case events.Tool:
		stub := "null"
		if b.Stub != nil {
			stub = *b.Stub
		}
		return fmt.Sprintf("%s §%d %s %q %v: %s", head, b.Ix, b.ToolName, b.Label, b.Status, stub)
	case events.Mailbox:
		return fmt.Sprintf("%s §%d mail %d to %s: %s", head, b.Ix, b.MailboxID, b.To, b.Subject)
	}
	return head
}

// verified checks the log without the keys of its writers.
func verified(t testing.TB, store journal.Reader) {
	t.Helper()
	found, err := events.Verify(rooms.Log(store, 0), events.Pins{})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		if v.Fault != nil {
			t.Error(v.Fault)
		}
	}
}

// of keeps the events of some types.
func of(all []events.Event, types ...string) []events.Event {
	return slices.DeleteFunc(slices.Clone(all), func(e events.Event) bool { return !slices.Contains(types, e.Body.Type()) })
}
