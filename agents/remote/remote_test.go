package remote_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/remote"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// elsewhere returns the agent of a swarm whose turns the given one takes.
func elsewhere(a *agents.Agent) *agents.Agent {
	return &agents.Agent{ID: a.ID, Actions: acts, Reactor: remote.Reactor(func(ctx context.Context, agent string, request []byte) ([]byte, error) {
		if agent != a.ID {
			return nil, fmt.Errorf("asked for %q", agent)
		}
		return remote.Take(ctx, a, nil, request), nil
	}, nil)}
}

func signed[P signals.Payload](id string, p P) *signals.Signal[P] {
	return signals.New(signals.Header{Seq: 3, ID: signals.MustID(id), Source: "b", Thread: "t", Time: time.Unix(5, 6).UTC(), Confidence: 0.5}, p)
}

// acts are the actions to which signals of fullTurn are routed.
var acts = map[string]agents.Each{"act": func(context.Context, signals.Any) iter.Seq2[signals.Any, error] { return agents.Emit() }}

func fullTurn() *agents.Turn {
	proposal := signed("p1", signals.Proposal{ProposalID: "p", Content: "c"})
	one := agents.Standing{Proposal: proposal, Same: []*signals.Signal[signals.Proposal]{proposal}, Votes: []*signals.Signal[signals.Vote]{signed("v1", signals.Vote{ProposalID: "p", Stance: signals.Agree, Weight: 1})}, Lost: true}
	at := time.Unix(7, 8).UTC()
	return &agents.Turn{
		Agent: "a", Thread: "t", Round: 2, Task: signals.Task{Task: "x", Context: "y"},
		New: []signals.Any{proposal}, Heard: []signals.Any{signed("d", signals.Discovery{Finding: "f"})}, Said: []signals.Any{signed("m", signals.Memory{Content: "c", Category: "k"})},
		Proposals: []agents.Standing{one}, Inbox: []coordination.Signal{{Seq: 4, ID: signals.MustID("c1"), Thread: "t", Source: "b", Summary: "s", EmittedAt: at, Class: coordination.AttentionRaise, Audience: coordination.All, Priority: coordination.High, Confidence: coordination.Graded(0.5), State: coordination.Active}},
		Ask: 1, Against: "p", Routed: []agents.Routed{{Action: "act", Signal: proposal}}, State: "s", Strategy: "bold", Effort: signals.Deep, Try: 1, Taking: 2, Seed: 9, Time: at, Clock: func() time.Time { return at }, Most: 3,
	}
}

// describe prints all that an agent can see of a turn.
func describe(t *agents.Turn) string {
	c := *t
	clock, random := "machine", c.Rand().Uint64()
	if c.Clock != nil {
		clock = c.Clock().String()
	}
	var b strings.Builder
	for _, s := range append(append(append([]signals.Any{}, c.New...), c.Heard...), c.Said...) {
		fmt.Fprintf(&b, "%+v %+v\n", s.Head(), s.Body())
	}
	for _, s := range c.Proposals {
		fmt.Fprintf(&b, "%+v %+v %+v %v\n", *s.Proposal, *s.Same[0], *s.Votes[0], s.Lost)
	}
	fmt.Fprintln(&b, c.Agent, c.Thread, c.Round, c.Task, c.Inbox, c.Ask, c.Routed[0].Action, c.Routed[0].Signal.Head(), c.State, c.Strategy, c.Effort, c.Try, c.Taking, c.Seed, c.Time, clock, c.Most, random, c.NewID())
	return b.String()
}

func TestTurnIsTheSameElsewhere(t *testing.T) {
	t.Parallel()
	var seen string
	far := &agents.Agent{ID: "a", Actions: acts, Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
		seen = describe(turn)
		return agents.Emit(signals.New(signals.Header{Confidence: 0.25}, signals.Vote{ProposalID: "p", Stance: signals.Agree}))
	})}
	said, err := elsewhere(far).Take(t.Context(), fullTurn())
	if err != nil || len(said) != 1 {
		t.Fatal(said, err)
	}
	if want := describe(fullTurn()); seen != want {
		t.Errorf("got\n%s\nwant\n%s", seen, want)
	}
	near, err := far.Take(t.Context(), fullTurn())
	if err != nil || fmt.Sprint(said[0].Head(), said[0].Body()) != fmt.Sprint(near[0].Head(), near[0].Body()) {
		t.Errorf("said %+v elsewhere and %+v here: %v", said[0], near[0], err)
	}
}

// debater argues and reacts, and says which.
type debater struct{}

func (debater) Argue(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint("argues in round ", t.Debate.Round)}))
}

func (debater) React(_ context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	return agents.Emit(signals.New(signals.Header{}, signals.Discovery{Finding: fmt.Sprint("reacts in round ", t.Round)}))
}

func TestDebaterArguesOnceElsewhere(t *testing.T) {
	t.Parallel()
	for _, debated := range []bool{true, false} {
		turn := func() *agents.Turn {
			full := fullTurn()
			if debated {
				full.Debate = &agents.Debate{For: full.Proposals[0], Against: full.Proposals[0], Round: 4}
			}
			return full
		}
		far := &agents.Agent{ID: "a", Actions: acts, Reactor: debater{}}
		got, err := elsewhere(far).Take(t.Context(), turn())
		want, problem := far.Take(t.Context(), turn())
		if err != nil || problem != nil || len(got) != len(want) {
			t.Fatalf("got %v, %v, want %v, %v", got, err, want, problem)
		}
		for i := range want {
			if got[i].Body() != want[i].Body() {
				t.Errorf("got %v, want %v", got[i].Body(), want[i].Body())
			}
		}
	}
}

// A field that is added to turns has to be added to the JSON, and to fullTurn. What is sent as Cause
// is the trace context in which the turn is taken.
func TestEveryFieldOfATurnIsSent(t *testing.T) {
	t.Parallel()
	turn := reflect.ValueOf(*fullTurn())
	for i := range turn.NumField() {
		if f := turn.Type().Field(i); f.IsExported() && f.Name != "Debate" && f.Name != "Cause" && turn.Field(i).IsZero() {
			t.Errorf("%s is not tested", f.Name)
		}
	}
}

func TestErrorsOfTurnsAreThoseOfTheAgent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err   error
		retry bool
	}{"for good": {errors.New("broken"), false}, "for now": {agents.Retryable(errors.New("busy"), time.Second), true}} {
		far := &agents.Agent{ID: "a", Actions: acts, Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return agents.Fail(c.err) })}
		_, err := elsewhere(far).Take(t.Context(), fullTurn())
		after, retry := agents.IsRetryable(err)
		if err == nil || !strings.Contains(err.Error(), c.err.Error()) || retry != c.retry || retry && after != time.Second {
			t.Errorf("%s: %v, %v, %v", name, err, retry, after)
		}
	}
}

func TestTurnOfAnotherAgentIsRefused(t *testing.T) {
	t.Parallel()
	far := &agents.Agent{ID: "b", Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] { return agents.Emit() })}
	near := &agents.Agent{ID: "a", Actions: acts, Reactor: remote.Reactor(func(ctx context.Context, _ string, request []byte) ([]byte, error) {
		return remote.Take(ctx, far, nil, request), nil
	}, nil)}
	if _, err := near.Take(t.Context(), fullTurn()); err == nil {
		t.Error("taken")
	}
}

func FuzzTake(f *testing.F) {
	a := &agents.Agent{ID: "a", Actions: acts, Reactor: agents.Func(func(_ context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
		return agents.Emit(turn.New...)
	})}
	f.Add([]byte(`{"agent":"a","round":1,"new":[{"type":"discovery","source":"b","payload":{"finding":"f"}}]}`))
	f.Add([]byte(`{"agent":"a","proposals":[{"proposal":{"type":"vote","source":"b","payload":{"proposalId":"p","stance":"agree"}}}]}`))
	f.Fuzz(func(t *testing.T, request []byte) {
		if text := remote.Take(t.Context(), a, nil, request); len(text) == 0 {
			t.Fatal("no answer")
		}
	})
}
