package agents_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

func TestNilIteratorAndNilSignalHaveTheirOwnMessages(t *testing.T) {
	for name, c := range map[string]struct {
		react agents.Reactor
		want  error
	}{
		"nil iterator of a turn":   {agents.Func(func(context.Context, *agents.Turn) seq { return nil }), agents.ErrNil},
		"nil iterator of a signal": {agents.Each(func(context.Context, signals.Any) seq { return nil }), agents.ErrNil},
		"nil signal":               {agents.Each(func(context.Context, signals.Any) seq { return agents.Emit(nil) }), agents.ErrNil},
		"nil pointer to a signal": {agents.Func(func(context.Context, *agents.Turn) seq {
			return agents.Emit((*signals.Signal[signals.Vote])(nil))
		}), agents.ErrNil},
	} {
		said, err := take(t, c.react, &agents.Turn{}, inbox("x"))
		if !errors.Is(err, c.want) || len(said) != 0 {
			t.Errorf("%s: got %d signals and %v, want %v", name, len(said), err, c.want)
		}
		var panicked *agents.PanicError
		if errors.As(err, &panicked) {
			t.Errorf("%s: it panicked: %v", name, err)
		}
	}
}

func TestSignalsBesideANilOneAreKept(t *testing.T) {
	said, err := take(t, agents.Func(func(context.Context, *agents.Turn) seq {
		return agents.Emit(finding("x"), nil, finding("y"))
	}), &agents.Turn{}, nil)
	if diff := cmp.Diff([]string{"x", "y"}, findings(said)); diff != "" || !errors.Is(err, agents.ErrNil) {
		t.Error(diff, err)
	}
}

func TestReactorRunsOncePerTurn(t *testing.T) {
	calls := 0
	r := agents.Func(func(ctx context.Context, turn *agents.Turn) seq {
		calls++
		if agents.TurnOf(ctx) != turn {
			t.Error("the context carries another turn")
		}
		return agents.Emit(finding(fmt.Sprint(len(turn.New))))
	})
	said, err := take(t, r, &agents.Turn{}, inbox("x", "y", "z"))
	if diff := cmp.Diff([]string{"3"}, findings(said)); diff != "" || err != nil || calls != 1 {
		t.Error(diff, err, calls)
	}
}

func TestReactorsGoThroughTheInboxOnce(t *testing.T) {
	say := func(who string) agents.Each {
		return func(_ context.Context, s signals.Any) seq {
			return agents.Emit(finding(who + s.Body().(signals.Task).Task))
		}
	}
	said, err := take(t, agents.Reactors{say("a"), say("b")}, &agents.Turn{}, inbox("x", "y"))
	if diff := cmp.Diff([]string{"ax", "bx", "ay", "by"}, findings(said)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// A reactor that is called without an agent has its turn too.
func TestReactorToSignalsKnowsItsTurnWithoutAnAgent(t *testing.T) {
	r := agents.On(func(ctx context.Context, _ *signals.Signal[signals.Task]) seq {
		return agents.Emit(finding(agents.TurnOf(ctx).Task.Task))
	})
	for s, err := range r.React(t.Context(), &agents.Turn{New: inbox("x"), Task: signals.Task{Task: "why?"}}) {
		if err != nil || s.Body().(signals.Discovery).Finding != "why?" {
			t.Error(s, err)
		}
	}
}

func TestVoteThatStatesNoWeightTakesItsConfidence(t *testing.T) {
	for name, c := range map[string]struct{ weight, confidence, want float64 }{
		"none":       {0, 0.6, 0.6},
		"its own":    {0.3, 0.6, 0.3},
		"of neither": {0, 0, 0},
	} {
		said, err := take(t, agents.Func(func(context.Context, *agents.Turn) seq {
			return agents.Emit(signals.New(
				signals.Header{Confidence: c.confidence}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: c.weight},
			))
		}), &agents.Turn{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := said[0].Body().(signals.Vote).Weight; got != c.want {
			t.Errorf("%s: weighs %v, want %v", name, got, c.want)
		}
	}
}

func TestHelpersMakeValidVotesAndProposalsInOneCall(t *testing.T) {
	for stance, s := range map[signals.Stance]signals.Any{
		signals.Agree: agents.Agree("a", 0.7, "why"), signals.Disagree: agents.Disagree("a", 0.7, "why"), signals.Abstain: agents.Abstain("a", 0.7, "why"),
	} {
		want := signals.Vote{ProposalID: "a", Stance: stance, Weight: 0.7, Reasoning: "why"}
		if diff := cmp.Diff(want, s.Body()); diff != "" || s.Head().Confidence != 0.7 || signals.Validate(s) != nil {
			t.Errorf("%v: %s", stance, diff)
		}
	}
	p := agents.Propose("a", "do a", 0.7, "why")
	if diff := cmp.Diff(signals.Proposal{ProposalID: "a", Content: "do a", Reasoning: "why"}, p.Body()); diff != "" || signals.Validate(p) != nil {
		t.Error(diff)
	}
}

func TestErrorsSayWhetherTheyPass(t *testing.T) {
	why := errors.New("429")
	for name, c := range map[string]struct {
		err   error
		after time.Duration
		want  bool
	}{
		"marked":         {fmt.Errorf("model: %w", agents.Retryable(why, time.Second)), time.Second, true},
		"of the library": {os.ErrDeadlineExceeded, 0, true},
		"plain":          {why, 0, false},
		"cancelled":      {context.Canceled, 0, false},
		"panic":          {&agents.PanicError{Value: agents.Retryable(why, 0)}, 0, false},
		"none":           {agents.Retryable(nil, time.Second), 0, false},
	} {
		if after, ok := agents.IsRetryable(c.err); ok != c.want || after != c.after {
			t.Errorf("%s: got %v after %v, want %v after %v", name, ok, after, c.want, c.after)
		}
	}
	if err := agents.Retryable(why, 0); !errors.Is(err, why) || err.Error() != "429" {
		t.Errorf("got %v, want it to be and read as %v", err, why)
	}
}

func TestEffortTravelsAsText(t *testing.T) {
	for _, e := range []signals.Effort{signals.Cheap, signals.Fast, signals.Deep} {
		text, err := e.MarshalText()
		var back signals.Effort
		if err != nil || back.UnmarshalText(text) != nil || back != e {
			t.Errorf("%v: %s %v", e, text, err)
		}
	}
	if _, err := signals.Effort(0).MarshalText(); err == nil {
		t.Error("an unset effort was written")
	}
}

func TestStandingGoesByEveryIDAndNamesItsSupporters(t *testing.T) {
	made := func(source, id string) *signals.Signal[signals.Proposal] {
		return signals.New(signals.Header{Source: source}, signals.Proposal{ProposalID: id, Content: "x"})
	}
	s := agents.Standing{
		Proposal: made("p", "a"), Same: []*signals.Signal[signals.Proposal]{made("q", "b"), made("p", "c")},
		Votes: []*signals.Signal[signals.Vote]{signals.New(signals.Header{Source: "v"}, signals.Vote{ProposalID: "b"})},
	}
	if diff := cmp.Diff([]string{"p", "q"}, s.Supporters()); diff != "" || s.ID() != "a" {
		t.Error(s.ID(), diff)
	}
	if s.VoteOf("v") == nil || s.VoteOf("w") != nil {
		t.Error("the vote of v is not found, or one of w")
	}
	turn := &agents.Turn{Proposals: []agents.Standing{s}}
	for id, want := range map[string]bool{"a": true, "b": true, "c": true, "d": false} {
		if _, ok := turn.Standing(id); ok != want {
			t.Errorf("%s: got %v, want %v", id, ok, want)
		}
	}
}
