package bus_test

import (
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// announcing is a bus on which a and z vote for and against p, and a program announces, as the system,
// that their votes contradict each other.
func announcing(t *testing.T) (b *bus.Bus, x, y signals.ID) {
	t.Helper()
	b = newBus(t, nil)
	against := votes("t", "p")
	against.Payload.Stance = signals.Disagree
	x = must(t, agent(t, b, "a"), votes("t", "p")).ID
	y = must(t, agent(t, b, "z"), against).ID
	must(t, b.System(), signals.New(
		signals.Header{ID: signals.MustID(conflict.IDPrefix + "votes"), Thread: "t", ReplyTo: y, TTL: time.Minute},
		signals.Conflict{SignalA: x, SignalB: y, Description: "a and z differ on p"},
	))
	return b, x, y
}

func openSides(b *bus.Bus) (out [][2]signals.ID) {
	for p := range b.Conflicts("t") {
		out = append(out, [2]signals.ID{p.A.Signal, p.B.Signal})
	}
	return out
}

func TestConflictOfAProgramIsOpen(t *testing.T) {
	b, x, y := announcing(t)
	equal(t, "open", openSides(b), [][2]signals.ID{{x, y}})
	if n := b.Stats().Conflicts.Open; n != 1 {
		t.Errorf("%d open in the stats, want 1", n)
	}
	follower := newBus(t, nil) // derives the same from the log
	if err := follower.Feed(t.Context(), history(b, bus.Filter{})...); err != nil {
		t.Fatal(err)
	}
	equal(t, "open for a follower", openSides(follower), [][2]signals.ID{{x, y}})
}

func TestConflictOfAProgramEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, b *bus.Bus, x, y signals.ID){
		"resolved": func(t *testing.T, b *bus.Bus, x, y signals.ID) {
			if _, err := b.Resolve(t.Context(), "t", y, x, "settled"); err != nil {
				t.Error(err)
			}
			if _, err := b.Resolve(t.Context(), "t", x, y, "again"); !errors.Is(err, conflict.ErrNotOpen) {
				t.Errorf("resolved twice: %v, want ErrNotOpen", err)
			}
		},
		"consensus": func(t *testing.T, b *bus.Bus, _, _ signals.ID) {
			must(t, b.System(), signals.New(signals.Header{Thread: "t"}, signals.Consensus{ProposalID: "p", Decision: "1"}))
		},
		"thread closed": func(_ *testing.T, b *bus.Bus, _, _ signals.ID) { b.CloseThread("t") },
		"expired":       func(_ *testing.T, _ *bus.Bus, _, _ signals.ID) { time.Sleep(2 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, x, y := announcing(t)
				events := watch(t, b)
				end(t, b, x, y)
				equal(t, "open", openSides(b), nil)
				synctest.Wait()
				ended := slices.ContainsFunc(events(), func(e string) bool { return e[:5] == "ended" })
				if n := b.Stats().Conflicts.Open; n != 0 || !ended {
					t.Errorf("%d open in the stats, events %v", n, events())
				}
			})
		})
	}
}
