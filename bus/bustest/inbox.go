package bustest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// patience is how long an expectation waits for what never comes.
const patience = time.Minute

// An Inbox reads what a test expects. It is for one goroutine.
type Inbox struct {
	*bus.Subscription
	t    testing.TB
	came []signals.Any // for the failure's message
}

// Expect subscribes for the test.
func (b *Bus) Expect(o bus.SubscribeOptions) *Inbox {
	b.t.Helper()
	sub, err := b.Subscribe(o)
	if err != nil {
		b.t.Fatalf("subscribe: %v", err)
	}
	return &Inbox{Subscription: sub, t: b.t}
}

// InOrder waits for signals that match, one after the other. Others between
// them pass. It returns those that matched.
func (i *Inbox) InOrder(want ...Match) []signals.Any {
	i.t.Helper()
	var matched []signals.Any
	for n, m := range want {
		for {
			s := i.next(fmt.Sprintf("signal %d of %d (%s)", n+1, len(want), m))
			if m.fits(s) {
				matched = append(matched, s)
				break
			}
		}
	}
	return matched
}

// Exactly is InOrder with nothing between, before or behind: the next signals
// match one by one, and then there is [Inbox.Nothing].
func (i *Inbox) Exactly(want ...Match) []signals.Any {
	i.t.Helper()
	var matched []signals.Any
	for n, m := range want {
		s := i.next(fmt.Sprintf("signal %d of %d (%s)", n+1, len(want), m))
		if !m.fits(s) {
			i.t.Fatalf("got %s, want %s%s", describe(s), m, i.story())
		}
		matched = append(matched, s)
	}
	i.Nothing()
	return matched
}

// Nothing fails the test if there is a signal to read. It does not wait.
func (i *Inbox) Nothing() {
	i.t.Helper()
	switch s, err := i.Poll(); {
	case err != nil:
		i.t.Fatalf("got %v, want nothing%s", err, i.story())
	case s != nil:
		i.t.Fatalf("got %s, want nothing%s", describe(s), i.story())
	}
}

func (i *Inbox) next(want string) signals.Any {
	i.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	s, err := i.Next(ctx)
	if err != nil {
		i.t.Fatalf("got %v, want %s%s", err, want, i.story())
	}
	i.came = append(i.came, s)
	return s
}

// story describes the signals read so far.
func (i *Inbox) story() string {
	var b strings.Builder
	b.WriteString("; read so far:")
	for _, s := range i.came {
		fmt.Fprintf(&b, "\n\t%s", describe(s))
	}
	return b.String()
}

func describe(s signals.Any) string {
	h := s.Head()
	return fmt.Sprintf("%d %s by %q in %q: %+v", h.Seq, s.Kind(), h.Source, h.Thread, s.Body())
}

// A Match says whether a signal is the expected one.
type Match struct {
	name string
	fits func(signals.Any) bool
}

// String describes the expected signal.
func (m Match) String() string { return m.name }

// Kind matches signals of that kind.
func Kind(k signals.Kind) Match {
	return Match{string(k), func(s signals.Any) bool { return s.Kind() == k }}
}

// From matches signals of that kind by that agent.
func From(agent string, k signals.Kind) Match {
	return Match{fmt.Sprintf("%s by %q", k, agent), func(s signals.Any) bool { return s.Kind() == k && s.Head().Source == agent }}
}

// Payload matches signals with exactly that payload.
func Payload[P interface {
	comparable
	signals.Payload
}](want P) Match {
	return Match{fmt.Sprintf("%s %+v", want.Kind(), want), func(s signals.Any) bool {
		typed, ok := signals.As[P](s)
		return ok && typed.Payload == want
	}}
}
