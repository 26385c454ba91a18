package replay_test

import (
	"errors"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// log returns a log of a thread with one proposal and vote by terms, and the decision.
func log(t *testing.T, strategy string, decided runlog.Decided) (all []signals.Any) {
	t.Helper()
	return logBy(t, runlog.Terms{Name: "t", Strategy: strategy, Quorum: 1, Same: true}, decided)
}

func logBy(t *testing.T, terms runlog.Terms, decided runlog.Decided) (all []signals.Any) {
	t.Helper()
	opened, err := terms.Open("one")
	if err != nil {
		t.Fatal(err)
	}
	for i, said := range []signals.Any{
		signals.New(signals.Header{Source: bus.System}, signals.Task{Task: "?"}),
		opened,
		signals.New(signals.Header{Source: "p"}, signals.Proposal{ProposalID: "a", Content: "do a"}),
		signals.New(signals.Header{Source: "v"}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1}),
		signals.New(signals.Header{Source: bus.System}, decided),
	} {
		h := said.Head()
		h.Seq, h.ID, h.Thread, h.Time, h.Confidence = uint64(i+1), signals.MustID("s-"+string(rune('a'+i))), "one", time.Unix(int64(i), 0), 1
		if h.Source == "" {
			h.Source = bus.System
		}
		all = append(all, signals.With(said, h))
	}
	return all
}

func replayed(t *testing.T, open func(journal.Snapshot) (*replay.Replay, error), all []signals.Any) (*replay.Replay, error) {
	t.Helper()
	r, err := open(journal.Snapshot{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	for _, s := range all {
		if err := r.Next(s); err != nil {
			return r, err
		}
	}
	return r, nil
}

const forged = `{"strategy":"confidence-weighted","outcome":"rejected"}`

func TestADecisionThatTheVotesDoNotMakeIsFound(t *testing.T) {
	t.Parallel()
	var different *replay.Difference
	_, err := replayed(t, replay.New, log(t, "confidence-weighted", runlog.Decided{Name: "t", Decision: forged}))
	if !errors.As(err, &different) || different.Seq != 5 || different.Thread != "one" || different.Log != forged {
		t.Errorf("got %v", err)
	}
}

func TestATrustingReplayTakesTheDecisionOfTheLog(t *testing.T) {
	t.Parallel()
	for _, strategy := range []string{"confidence-weighted", "one of a program's own"} {
		r, err := replayed(t, replay.Trust, log(t, strategy, runlog.Decided{Name: "t", Decision: forged}))
		if err != nil {
			t.Fatal(err)
		}
		if last := r.Thread("one").Last; last.Outcome.String() != "rejected" || last.Voters != 1 {
			t.Errorf("by %s: got %v, want that of the log on its votes", strategy, last)
		}
	}
}

// Whether equal proposals count as one or not, a vote that was taken back does not count again.
func TestAVoteThatWasTakenBackDoesNotCountAgain(t *testing.T) {
	t.Parallel()
	for _, same := range []bool{false, true} {
		all := logBy(t, runlog.Terms{Name: runlog.Learner, Strategy: "voting", Quorum: 1, Same: same}, runlog.Decided{Name: runlog.Learner, Decision: forged})
		back := signals.Retract(all[3].Head().ID, "wrong")
		h := back.Head()
		h.Seq, h.ID, h.Thread, h.Time, h.Source = 6, signals.MustID("s-back"), "one", time.Unix(6, 0), "v"
		r, err := replayed(t, replay.Trust, append(all, signals.With(back, h)))
		if err != nil {
			t.Fatal(err)
		}
		if d, ok := r.Thread("one").Again(); !ok || d.Voters != 0 || d.Choice != "" {
			t.Errorf("same %v: got %v, want no vote", same, d)
		}
	}
}

func TestUnderivableDecisionIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := replayed(t, replay.New, log(t, "one of a program's own", runlog.Decided{Name: "t", Decision: forged})); !errors.Is(err, replay.ErrStrategy) {
		t.Errorf("got %v for an unknown strategy", err)
	}
	for _, open := range []func(journal.Snapshot) (*replay.Replay, error){replay.New, replay.Trust} {
		if _, err := replayed(t, open, log(t, "confidence-weighted", runlog.Decided{Name: "other", Decision: forged})); err == nil {
			t.Error("a decision by terms that are not in the log was taken")
		}
		if _, err := open(journal.Snapshot{Through: 3, State: []byte(`{"version":99}`)}); err == nil {
			t.Error("a state of another version was taken")
		}
		if _, err := open(journal.Snapshot{Through: 3, State: []byte(`{"version":1,"observed":{"one":[{"learner":"l","name":"n"}]}}`)}); err == nil {
			t.Error("a state without the ledger that it speaks of was taken")
		}
	}
}
