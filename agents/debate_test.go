package agents_test

import (
	"context"
	"slices"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// standingOf returns a proposal of a source, with votes.
func standingOf(id, source, reason string, votes ...*signals.Signal[signals.Vote]) agents.Standing {
	return agents.Standing{
		Proposal: signals.New(
			signals.Header{ID: signals.MustID("s-" + id), Source: source, Confidence: 0.5},
			signals.Proposal{ProposalID: id, Content: "do " + id, Reasoning: reason},
		),
		Votes: votes,
	}
}

func voteBy(voter, id string, s signals.Stance, why string) *signals.Signal[signals.Vote] {
	return signals.New(signals.Header{Source: voter, Confidence: 0.7}, signals.Vote{ProposalID: id, Stance: s, Weight: 0.7, Reasoning: why})
}

// argued returns the arguments that an agent without a debater makes, one turn after
// another, and whether it passes at the end.
func argued(t *testing.T, a *agents.Agent, d agents.Debate) (all []string, passes bool) {
	t.Helper()
	var said []signals.Any
	for range 10 {
		out, err := a.Take(t.Context(), &agents.Turn{Agent: a.ID, Debate: &d, Said: said})
		if err != nil || len(out) != 1 {
			t.Fatalf("%v, %v", out, err)
		}
		c, ok := signals.As[signals.Challenge](out[0])
		if !ok {
			return all, out[0].Kind() == (agents.Passed{}).Kind()
		}
		if c.Payload.TargetSignalID != d.Against.Proposal.ID {
			t.Errorf("it attacks %s", c.Payload.TargetSignalID)
		}
		all, said = append(all, c.Payload.CounterArgument), append(said, c)
	}
	return all, false
}

func silent(id string) *agents.Agent {
	return &agents.Agent{ID: id, Reactor: agents.Func(func(context.Context, *agents.Turn) seq { return agents.Emit() })}
}

func TestAgentsArgueWithEachReasonThatTheyStatedOnce(t *testing.T) {
	t.Parallel()
	d := agents.Debate{
		For:     standingOf("a", "p", "it is simple", voteBy("p", "a", signals.Agree, "it is cheap"), voteBy("v", "a", signals.Agree, "it is old")),
		Against: standingOf("b", "q", "it is honest", voteBy("p", "b", signals.Disagree, "it is dear"), voteBy("v", "b", signals.Agree, "it is new")),
		Round:   1,
	}
	for id, want := range map[string][]string{"p": {"it is simple", "it is cheap", "it is dear"}, "v": {"it is old"}, "w": nil} {
		got, passes := argued(t, silent(id), d)
		if !slices.Equal(got, want) || !passes {
			t.Errorf("%s argues %q, want %q, and passes: %v", id, got, want, passes)
		}
		if silent(id).CanArgue(d.For, d.Against) != (len(want) > 0) {
			t.Errorf("%s, which has stated %d reasons, can argue: %v", id, len(want), len(want) == 0)
		}
	}
}

func TestAnswerRefersToTheAttack(t *testing.T) {
	t.Parallel()
	d := agents.Debate{For: standingOf("a", "p", "it is simple"), Against: standingOf("b", "q", ""), Round: 1, Answers: true}
	attack := signals.New(
		signals.Header{ID: signals.MustID("s-attack"), Source: "q"},
		signals.Challenge{TargetSignalID: d.For.Proposal.ID, CounterArgument: "it is slow"},
	)
	out, err := silent("p").Take(t.Context(), &agents.Turn{Agent: "p", Debate: &d, New: []signals.Any{attack}})
	if c, ok := signals.As[signals.Challenge](out[0]); err != nil || !ok || c.Payload.TargetSignalID != attack.ID {
		t.Errorf("%v, %v", out, err)
	}
	if out, err = silent("p").Take(t.Context(), &agents.Turn{Agent: "p", Debate: &d}); err != nil || out[0].Kind() != (agents.Passed{}).Kind() {
		t.Errorf("without an attack: %v, %v", out, err)
	}
}

func TestAnAgentThatMayNotChallengeCannotArgue(t *testing.T) {
	t.Parallel()
	a := silent("p")
	a.CanEmit = []signals.Kind{signals.KindProposal, signals.KindVote}
	if a.CanArgue(standingOf("a", "p", "it is simple"), standingOf("b", "q", "")) {
		t.Error("it can")
	}
}

func TestAlternativeOfAChallengeIsAProposalRightBehindIt(t *testing.T) {
	t.Parallel()
	a := &agents.Agent{ID: "c", Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
		alternative := func(text string) signals.Any {
			return signals.New(signals.Header{Confidence: 0.6}, signals.Challenge{
				TargetSignalID: signals.MustID("s-a"), CounterArgument: "too slow", AlternativeProposal: text,
			})
		}
		return agents.Emit(alternative("do b"), alternative(""), alternative("do c"))
	})}
	out, err := a.Take(t.Context(), &agents.Turn{Round: 2})
	var kinds, contents []string
	ids := map[string]bool{}
	for _, s := range out {
		kinds = append(kinds, string(s.Kind()))
		if p, ok := signals.As[signals.Proposal](s); ok {
			contents = append(contents, p.Source+" "+p.Payload.Content+" because "+p.Payload.Reasoning)
			ids[p.Payload.ProposalID] = true
		}
	}
	if got, want := kinds, []string{"challenge", "proposal", "challenge", "challenge", "proposal"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if want := []string{"c do b because too slow", "c do c because too slow"}; !slices.Equal(contents, want) || len(ids) != 2 {
		t.Errorf("%q under %v, want %q", contents, ids, want)
	}
	a.CanEmit = []signals.Kind{signals.KindChallenge}
	if out, err = a.Take(t.Context(), &agents.Turn{Round: 2}); err != nil || len(out) != 3 {
		t.Errorf("an agent that may not propose: %d signals, %v", len(out), err)
	}
}

// Whoever says of a rival what a proposal says already is for that: no second proposal competes with it.
func TestAnAlternativeThatSaysWhatAProposalSaysIsAVoteForIt(t *testing.T) {
	t.Parallel()
	a := &agents.Agent{ID: "c", Reactor: agents.Func(func(context.Context, *agents.Turn) seq {
		return agents.Emit(signals.New(signals.Header{Confidence: 0.6}, signals.Challenge{
			TargetSignalID: signals.MustID("s-a"), CounterArgument: "too slow", AlternativeProposal: "Do  B.",
		}))
	})}
	turn := &agents.Turn{Round: 2, Proposals: []agents.Standing{standingOf("a", "p", ""), standingOf("b", "q", "")}}
	turn.Proposals[1].Proposal.Payload.Content = "do b"
	out, err := a.Take(t.Context(), turn)
	if err != nil || len(out) != 2 {
		t.Fatalf("%d signals, %v", len(out), err)
	}
	v, ok := signals.As[signals.Vote](out[1])
	if !ok || v.Source != "c" || v.Payload != (signals.Vote{ProposalID: "b", Stance: signals.Agree, Reasoning: "too slow", Weight: 0.6}) {
		t.Errorf("got %v %+v", out[1].Kind(), out[1].Body())
	}
	a.CanEmit = []signals.Kind{signals.KindChallenge, signals.KindProposal}
	if out, err := a.Take(t.Context(), turn); err != nil || len(out) != 2 || out[1].Kind() != signals.KindProposal {
		t.Errorf("of an agent that may not vote: %d signals, %v", len(out), err)
	}
}
