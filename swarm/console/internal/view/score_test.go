package view_test

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/internal/view"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

func TestATakenBackVoteIsNeitherRightNorWrong(t *testing.T) {
	t.Parallel()
	w := begin(t)
	for _, id := range []string{"x", "y"} {
		say(w, "ann", signals.Proposal{ProposalID: id, Content: "do " + id})
	}
	votes := map[string]signals.ID{}
	vote := func(voter, id string, stance signals.Stance) {
		votes[voter] = say(w, voter, signals.Vote{ProposalID: id, Stance: stance, Weight: 1})
	}
	vote("ann", "x", signals.Agree)
	vote("bob", "y", signals.Disagree)
	vote("bob", "x", signals.Agree)
	vote("cem", "x", signals.Disagree)
	vote("dee", "y", signals.Agree)
	say(w, bus.System, runlog.Outcome{ProposalID: "x"})
	records := func() map[string]view.Record {
		b, _ := book(t, w.log)
		return maps.Collect(b.Voters())
	}
	right, wrong := view.Record{Solves: 1, Votes: 1, Told: 1, Right: 1}, view.Record{Solves: 1, Votes: 1, Told: 1}
	want := map[string]view.Record{"ann": right, "bob": {Solves: 1, Votes: 2, Told: 1, Right: 1}, "cem": wrong, "dee": wrong}
	if diff := cmp.Diff(want, records()); diff != "" {
		t.Error(diff)
	}
	for _, voter := range []string{"bob", "dee"} {
		say(w, bus.System, signals.Retraction{TargetSignalID: votes[voter], Reason: "wrong"})
	}
	want["bob"], want["dee"] = view.Record{Solves: 1, Votes: 2}, view.Record{Solves: 1, Votes: 1}
	if diff := cmp.Diff(want, records()); diff != "" {
		t.Error(diff)
	}
}

// A swarm that learns has learned nothing before there are outcomes.
func TestADecisionUsesWhatWasLearnedOnlyIfThereIsAny(t *testing.T) {
	t.Parallel()
	w := beginBy(t, &runlog.Terms{Name: runlog.Learner, Strategy: "confidence-weighted", Threshold: 0.7, Quorum: 1, Learner: runlog.Learner})
	say(w, "ann", signals.Proposal{ProposalID: "x", Content: "do x"})
	say(w, "ann", signals.Vote{ProposalID: "x", Stance: signals.Agree, Weight: 1})
	b, _ := book(t, w.log)
	if d, _ := b.Detail("s", 0); d.Terms.Learns || d.Decision.Learned {
		t.Errorf("the terms use what was learned: %v, the decision: %v; nothing was", d.Terms.Learns, d.Decision.Learned)
	}
}
