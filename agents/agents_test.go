package agents_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

type seq = iter.Seq2[signals.Any, error]

func finding(text string) signals.Any {
	return signals.New(signals.Header{Confidence: 0.5}, signals.Discovery{Finding: text})
}

func inbox(tasks ...string) []signals.Any {
	var all []signals.Any
	for _, task := range tasks {
		id := signals.MustID("id of " + task)
		all = append(all, signals.New(signals.Header{ID: id, Thread: "t", Source: "system"}, signals.Task{Task: task}))
	}
	return all
}

func take(t *testing.T, r agents.Reactor, turn *agents.Turn, heard []signals.Any) ([]signals.Any, error) {
	t.Helper()
	a := &agents.Agent{ID: "a", Reactor: r}
	if err := a.Validate(); err != nil {
		t.Fatal(err)
	}
	turn.Agent, turn.Thread, turn.New = "a", "t", heard
	return a.Take(t.Context(), turn)
}

func findings(said []signals.Any) []string {
	var all []string
	for _, s := range said {
		all = append(all, s.Body().(signals.Discovery).Finding)
	}
	return all
}

func echo() agents.Each {
	return agents.On(func(_ context.Context, s *signals.Signal[signals.Task]) seq {
		return agents.Emit(finding(s.Payload.Task))
	})
}

func TestTurnReactsToEachSignalInOrder(t *testing.T) {
	said, err := take(t, echo(), &agents.Turn{Round: 3}, inbox("x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x", "y"}, findings(said)); diff != "" {
		t.Error(diff)
	}
}

func TestTurnFillsInEmptyFieldsAndKeepsTheAgents(t *testing.T) {
	elsewhere := signals.Header{ReplyTo: signals.MustID("other"), Source: "b", Thread: "u", Round: 9}
	said, err := take(t, agents.Each(func(context.Context, signals.Any) seq {
		return agents.Emit(finding("x"), signals.With(finding("y"), elsewhere))
	}), &agents.Turn{Round: 3}, inbox("x"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := said[0].Head(), said[1].Head()
	if first.Source != "a" || first.Thread != "t" || first.Round != 3 || first.ReplyTo != signals.MustID("id of x") || first.Confidence != 0.5 {
		t.Errorf("filled in: %+v", first)
	}
	if second.Source != "b" || second.Thread != "u" || second.Round != 3 || second.ReplyTo != elsewhere.ReplyTo {
		t.Errorf("kept for the log to judge: %+v", second)
	}
}

func TestReactorsReactOneAfterTheOtherToTheirKinds(t *testing.T) {
	onVote := agents.On(func(context.Context, *signals.Signal[signals.Vote]) seq { return agents.Emit(finding("vote")) })
	said, err := take(t, agents.Reactors{echo(), onVote, echo()}, &agents.Turn{}, inbox("x"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"x", "x"}, findings(said)); diff != "" {
		t.Error(diff)
	}
}

func TestFailedTurnKeepsItsEarlierSignals(t *testing.T) {
	why := errors.New("no model")
	for name, c := range map[string]struct {
		then func()
		want func(error) bool
	}{
		"error": {nil, func(err error) bool { return errors.Is(err, why) && strings.Contains(err.Error(), "a:") }},
		"panic": {func() { panic("boom") }, func(err error) bool {
			var p *agents.PanicError
			return errors.As(err, &p) && p.Agent == "a" && p.Value == "boom" && len(p.Stack) > 0
		}},
	} {
		said, err := take(t, agents.Each(func(context.Context, signals.Any) seq {
			return func(yield func(signals.Any, error) bool) {
				if !yield(finding("kept"), nil) {
					return
				}
				if c.then != nil {
					c.then()
				}
				yield(nil, why)
			}
		}), &agents.Turn{}, inbox("x", "y"))
		if !c.want(err) || len(said) != 1 {
			t.Errorf("%s: got %v and %d signals, want 1", name, err, len(said))
		}
	}
}

func TestTurnIsBounded(t *testing.T) {
	endless := agents.Each(func(context.Context, signals.Any) seq {
		return func(yield func(signals.Any, error) bool) {
			for yield(finding("x"), nil) {
			}
		}
	})
	for most, want := range map[int]int{0: 16, 3: 3} {
		said, err := take(t, endless, &agents.Turn{Most: most}, inbox("x"))
		if !errors.Is(err, agents.ErrTurnFull) || len(said) != want {
			t.Errorf("most %d: got %d signals and %v, want %d", most, len(said), err, want)
		}
	}
	exactly := agents.Each(func(context.Context, signals.Any) seq { return agents.Emit(finding("x"), finding("y")) })
	if said, err := take(t, exactly, &agents.Turn{Most: 2}, inbox("x")); err != nil || len(said) != 2 {
		t.Errorf("exactly as much as it may: got %d signals and %v", len(said), err)
	}
}

func TestTurnTimeoutEndsTheTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &agents.Agent{ID: "a", TurnTimeout: time.Second, Reactor: agents.Each(func(ctx context.Context, _ signals.Any) seq {
			<-ctx.Done()
			return agents.Emit(finding("late"))
		})}
		begin := time.Now()
		said, err := a.Take(t.Context(), &agents.Turn{New: inbox("x")})
		if !errors.Is(err, context.DeadlineExceeded) || len(said) != 0 || time.Since(begin) != time.Second {
			t.Errorf("got %d signals, %v, after %v", len(said), err, time.Since(begin))
		}
	})
}

func TestTurnsNumbersAndIDsComeFromSeedThreadAgentAndRound(t *testing.T) {
	for name, draw := range map[string]func(*agents.Turn) any{
		"number": func(t *agents.Turn) any { return t.Rand().Uint64() },
		"id":     func(t *agents.Turn) any { return [2]signals.ID{t.NewID(), t.NewID()} },
	} {
		seen := map[any]bool{}
		for _, turn := range []agents.Turn{
			{Agent: "a", Thread: "t", Round: 1, Seed: 1},
			{Agent: "b", Thread: "t", Round: 1, Seed: 1},
			{Agent: "a", Thread: "u", Round: 1, Seed: 1},
			{Agent: "a", Thread: "t", Round: 2, Seed: 1},
			{Agent: "a", Thread: "t", Round: 1, Seed: 2},
		} {
			turn.Time = time.Unix(1e9, 0)
			again := turn
			drawn := draw(&turn)
			if drawn != draw(&again) {
				t.Errorf("%s: the same turn draws differently", name)
			}
			if seen[drawn] {
				t.Errorf("%s: %+v draws what another turn does", name, turn)
			}
			seen[drawn] = true
		}
	}
}

func TestTurnOfIsNilOutsideATurn(t *testing.T) {
	if agents.TurnOf(t.Context()) != nil {
		t.Error("got a turn")
	}
	_, err := take(t, agents.Each(func(ctx context.Context, _ signals.Any) seq {
		if turn := agents.TurnOf(ctx); turn == nil || turn.Round != 4 {
			return agents.Fail(fmt.Errorf("got %+v", turn))
		}
		return agents.Emit()
	}), &agents.Turn{Round: 4}, inbox("x"))
	if err != nil {
		t.Error(err)
	}
}

func TestAgentNamesTheFieldThatIsWrong(t *testing.T) {
	ok := agents.Each(func(context.Context, signals.Any) seq { return agents.Emit() })
	for field, a := range map[string]agents.Agent{
		"agent.id":               {Reactor: ok},
		"agent.reactor":          {ID: "a"},
		"agent.weight":           {ID: "a", Reactor: ok, Weight: 1.1},
		"agent.turnTimeout":      {ID: "a", Reactor: ok, TurnTimeout: -1},
		"personality.caution":    {ID: "a", Reactor: ok, Personality: agents.Personality{Caution: -0.1}},
		"personality.conformity": {ID: "a", Reactor: ok, Personality: agents.Personality{Conformity: 2}},
	} {
		var broken *signals.FieldError
		if err := a.Validate(); !errors.As(err, &broken) || broken.Field != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
}
