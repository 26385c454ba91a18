package thinker

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

func TestPositionsAreWhatOthersHold(t *testing.T) {
	made := signals.New(
		signals.Header{Seq: 1, ID: signals.MustID("sig_1"), Source: "p", Confidence: 0.8},
		signals.Proposal{ProposalID: "a", Content: "x", Reasoning: "cheap"},
	)
	same := signals.New(signals.Header{Seq: 2, Source: "q"}, signals.Proposal{ProposalID: "b", Content: "x"})
	vote := func(seq uint64, who string, s signals.Stance, why string) *signals.Signal[signals.Vote] {
		return signals.New(signals.Header{Seq: seq, Source: who, Confidence: 0.7}, signals.Vote{ProposalID: "a", Stance: s, Reasoning: why})
	}
	turn := &agents.Turn{
		Agent: "me",
		Proposals: []agents.Standing{{
			Proposal: made, Same: []*signals.Signal[signals.Proposal]{same},
			Votes: []*signals.Signal[signals.Vote]{vote(3, "v", signals.Agree, "tested"), vote(4, "me", signals.Agree, "mine"), vote(5, "p", signals.Agree, "still"), vote(9, "y", signals.Abstain, "not sure any more")},
		}},
		Heard: []signals.Any{signals.New(signals.Header{Seq: 6, Source: "v"}, signals.Doubt{TargetSignalID: made.ID, Concern: "no jitter"})},
		New: []signals.Any{
			signals.New(signals.Header{Seq: 7, Source: "w"}, signals.Challenge{TargetSignalID: made.ID, CounterArgument: strings.Repeat("ü", 200)}),
			signals.New(signals.Header{Seq: 4, Source: "y"}, signals.Doubt{TargetSignalID: made.ID, Concern: "too slow"}),
			signals.New(signals.Header{Seq: 8, Source: "x"}, signals.Challenge{TargetSignalID: signals.MustID("sig_9"), CounterArgument: "of something else"}),
		},
	}
	plain := cmp.AllowUnexported(position{})
	want := []position{
		{agent: "q", proposal: "a", proposed: true, stance: signals.Agree, seq: 2},
		{agent: "p", proposal: "a", proposed: true, stance: signals.Agree, confidence: 0.7, why: "still", seq: 5},
		{agent: "v", proposal: "a", stance: signals.Disagree, why: "no jitter", seq: 6},
		{agent: "w", proposal: "a", stance: signals.Disagree, why: strings.Repeat("ü", 118) + "…", seq: 7},
		{agent: "y", proposal: "a", stance: signals.Abstain, confidence: 0.7, why: "not sure any more", seq: 9},
	}
	if diff := cmp.Diff(want, positions(turn, 0), plain); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want[3:], positions(turn, 2), plain); diff != "" {
		t.Error(diff)
	}
	for _, p := range positions(turn, 0) {
		if len(p.why) > 240 {
			t.Errorf("%d bytes", len(p.why))
		}
	}
	for length, want := range map[int]string{240: strings.Repeat("x", 240), 241: strings.Repeat("x", 237) + "…"} {
		turn := agents.Turn{Proposals: []agents.Standing{{Proposal: made, Votes: []*signals.Signal[signals.Vote]{vote(3, "v", signals.Agree, strings.Repeat("x", length))}}}}
		if got := positions(&turn, 1)[0].why; got != want {
			t.Errorf("of %d bytes: %q", length, got)
		}
	}
}
