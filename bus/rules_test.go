package bus_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

func disagrees(thread, proposal string) *signals.Signal[signals.Vote] {
	s := votes(thread, proposal)
	s.Payload.Stance = signals.Disagree
	return s
}

// detecting is a bus with a rule, on which a and z vote for and against p.
func detecting(t *testing.T, r conflict.Rule) (b *bus.Bus, x, y signals.ID) {
	t.Helper()
	b = newBus(t, nil)
	stop, err := bus.Detect(b, r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	x = must(t, agent(t, b, "a"), votes("t", "p")).ID
	y = must(t, agent(t, b, "z"), disagrees("t", "p")).ID
	synctest.Wait()
	return b, x, y
}

func openSides(b *bus.Bus) (out [][2]signals.ID) {
	for p := range b.Conflicts("t") {
		out = append(out, [2]signals.ID{p.A.Signal, p.B.Signal})
	}
	return out
}

func TestRuleFindsItsContradictions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, x, y := detecting(t, conflict.OpposedVotes())
		equal(t, "open", openSides(b), [][2]signals.ID{{x, y}})
		all := history(b, bus.Filter{Kinds: []signals.Kind{signals.KindConflict}})
		if len(all) != 1 || all[0].Head().ReplyTo != y || all[0].Head().Source != bus.System {
			t.Fatalf("conflict signals %v, want one of the system about the newer vote", all)
		}
		if n := b.Stats().Conflicts.Open; n != 1 {
			t.Errorf("%d open in the stats, want 1", n)
		}
	})
}

func TestConflictOfARuleEnds(t *testing.T) {
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
		"expired":       func(_ *testing.T, b *bus.Bus, _, _ signals.ID) { time.Sleep(2 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b, x, y := detecting(t, conflict.OpposedVotes())
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

// A follower derives the same conflicts from the log.
func TestConflictsOfARuleAreInTheLogThatIsFed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b, x, y := detecting(t, conflict.OpposedVotes())
		follower := newBus(t, nil)
		if err := follower.Feed(t.Context(), history(b, bus.Filter{})...); err != nil {
			t.Fatal(err)
		}
		equal(t, "open", openSides(follower), [][2]signals.ID{{x, y}})
		stop, err := bus.Detect(follower, conflict.OpposedVotes())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		synctest.Wait()
		if follower.Last() != b.Last() {
			t.Error("it is published once more")
		}
	})
}

func TestSlowOrPanickingRuleDelaysNoOne(t *testing.T) {
	for name, rule := range map[string]func(a, b *signals.Signal[signals.Vote]) bool{
		"slow":   func(_, _ *signals.Signal[signals.Vote]) bool { time.Sleep(time.Hour); return false },
		"panics": func(_, _ *signals.Signal[signals.Vote]) bool { panic("no") },
	} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			b, _, _ := detecting(t, conflict.RuleFor(name, rule))
			must(t, agent(t, b, "a"), votes("t", "p"))
			if took := time.Since(began); took > 0 {
				t.Errorf("%s: publishing took %v", name, took)
			}
			ctx, cancel := context.WithTimeout(t.Context(), 12*time.Hour)
			defer cancel()
			if err := b.Shutdown(ctx); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		})
	}
}

func TestRuleThatCannotBeIsRefused(t *testing.T) {
	b := newBus(t, nil)
	if _, err := bus.Detect(b, conflict.Rule{Name: "x"}); !errors.Is(err, bus.ErrOption) || !strings.Contains(err.Error(), "Rule") {
		t.Errorf("got %v, want ErrOption", err)
	}
}

func TestConflictOfARuleEndsWhenItsFirstSideExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, nil)
		stop, err := bus.Detect(b, conflict.OpposedVotes())
		if err != nil {
			t.Fatal(err)
		}
		defer stop()
		short := votes("t", "p")
		short.TTL = 10 * time.Second
		must(t, agent(t, b, "a"), short)
		must(t, agent(t, b, "z"), disagrees("t", "p"))
		if time.Sleep(9 * time.Second); len(openSides(b)) != 1 {
			t.Errorf("%d open before a side expires, want 1", len(openSides(b)))
		}
		if time.Sleep(2 * time.Second); len(openSides(b)) != 0 {
			t.Errorf("%d open after a side has expired, want none", len(openSides(b)))
		}
	})
}

func TestRuleGoesOnWhenHandlersHaveABacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Undrained: 1})
		stop := made(bus.Detect(b, conflict.OpposedVotes()))
		defer stop()
		release := make(chan struct{})
		made(bus.Handle(b, bus.HandleOptions{}, func(context.Context, signals.Signal[signals.Conflict]) error {
			<-release
			return nil
		}))
		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		for _, proposal := range []string{"p", "q"} { // their conflict blocks the handler
			if _, err := agent(t, b, proposal).Publish(soon, proposes("t", proposal, proposal)); err != nil {
				t.Error(err)
			}
		}
		for _, proposal := range []string{"p", "q"} {
			must(t, agent(t, b, "a"), votes("t", proposal))
			must(t, agent(t, b, "z"), disagrees("t", proposal))
			synctest.Wait()
		}
		if n := len(openSides(b)); n != 1 {
			t.Errorf("%d conflicts while the handler is blocked, want 1", n)
		}
		close(release)
		synctest.Wait()
		if n := len(openSides(b)); n != 3 {
			t.Errorf("%d conflicts, want 3", n)
		}
	})
}
