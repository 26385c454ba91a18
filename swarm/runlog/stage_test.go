package runlog_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// record says something in a round.
func record[P signals.Payload](l *talk, source string, round int32, p P) *signals.Signal[P] {
	s := signals.New(l.next(source, round), p)
	l.Apply(s)
	return s
}

func TestTheFirstQuestionWithoutAnAnswerIsAsked(t *testing.T) {
	l := newTalk(t)
	first := record(l, "ann", 1, signals.Escalation{Reason: "which?"})
	second := record(l, "bob", 1, signals.Escalation{Reason: "why?"})
	if got := l.Stage.Asked(); got != first {
		t.Errorf("asked %v", got)
	}
	h := l.next(bus.System, 1)
	h.ReplyTo = first.ID
	l.Apply(signals.New(h, runlog.Answered{By: "person", AnswerID: first.ID}))
	if got := l.Stage.Asked(); got != second || !l.Stage.AsksStill() {
		t.Errorf("asked %v after the answer to the first", got)
	}
	// In logs of before one answer was to all questions: a round began after it.
	record(l, bus.System, 2, runlog.Began{Turns: `[{"agent":"bob"}]`})
	if last := record(l, "bob", 2, signals.Escalation{Reason: "when?"}); l.Stage.Asked() != last || l.Questions.All()[1].Answer == nil {
		t.Errorf("asked %v after a round", l.Stage.Asked())
	}
}

func TestASolveGoesOnUnlessVotesOrRoundsStoppedIt(t *testing.T) {
	on := []runlog.StopReason{runlog.StopBudget, runlog.StopDeadline, runlog.StopCancelled, runlog.StopError, runlog.StopAsked}
	for stop := runlog.StopConsensus; stop <= runlog.StopAsked; stop++ {
		if want := slices.Contains(on, stop); stop.GoesOn() != want {
			t.Errorf("%v: goes on %v, want %v", stop, stop.GoesOn(), want)
		}
	}
}

func TestNoSolveContinuesFromALogOutOfOrder(t *testing.T) {
	l := newTalk(t)
	task, question := record(l, "ann", 0, signals.Task{Task: "decide"}), record(l, "ann", 1, signals.Escalation{Reason: "which?"})
	elsewhere := question.Header
	elsewhere.Thread = "u"
	if got, err := runlog.Opening(l.Log); got != task || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	for name, log := range map[string][]signals.Any{
		"empty":            nil,
		"without its task": {question},
		"of two threads":   {task, signals.New(elsewhere, question.Payload)},
		"backwards":        {task, question, task},
		"with one twice":   {task, question, question},
	} {
		if _, err := runlog.Opening(log); !errors.Is(err, runlog.ErrLog) {
			t.Errorf("a log %s: %v", name, err)
		}
	}
}

func TestTheReasonOfAFailureIsAtMostAKibibyte(t *testing.T) {
	for text, want := range map[string]int{
		strings.Repeat("x", 1024): 1024,
		strings.Repeat("x", 1025): 1024,
		strings.Repeat("é", 600):  1023, // a letter is not cut in half
	} {
		reason := runlog.FailedBy("ann", 1, errors.New(text)).Reason
		if len(reason) != want || (len(text) > 1024) != strings.HasSuffix(reason, "…") {
			t.Errorf("%d bytes are recorded as %d, want %d: …%q", len(text), len(reason), want, reason[len(reason)-4:])
		}
	}
}

func TestTurnsThatBeganAreCounted(t *testing.T) {
	l := newTalk(t)
	record(l, bus.System, 1, runlog.Began{Turns: `[{"agent":"ann"},{"agent":"bob"}]`})
	record(l, bus.System, 2, runlog.Began{Turns: `[{"agent":"bob"}]`})
	if got := l.Turns; got.Begun != 3 || got.Rounds != 2 || got.Last["ann"] != 1 || got.Last["bob"] != 2 {
		t.Errorf("%+v, want 3 turns in 2 rounds", got)
	}
}

func TestOnlyArgumentsOfTheStepOfADebateAreFresh(t *testing.T) {
	l := newTalk(t)
	step := settle.Debate{A: "a", B: "b", ForA: "ann", ForB: "bob", Round: 1, Part: settle.Attack}
	record(l, bus.System, 2, runlog.Began{Turns: "[]", Debate: step})
	record(l, "ann", 1, signals.Challenge{CounterArgument: "said in an earlier round"})
	record(l, "ann", 2, signals.Challenge{CounterArgument: "it is slow"})
	record(l, "bob", 2, signals.Challenge{CounterArgument: "It is slow!"})
	record(l, "cid", 2, signals.Challenge{CounterArgument: "nobody asked"})
	if l.Debates.Fresh != 1 || !slices.Equal(l.Debates.Challengers, []string{"ann", "cid"}) {
		t.Errorf("%d fresh arguments, unasked by %v", l.Debates.Fresh, l.Debates.Challengers)
	}
}

func TestAConflictGoesOnWithTheOldestRivalThatHasNotLost(t *testing.T) {
	for _, c := range []struct {
		won  []int // against the one before, or against 0
		want [][2]int
	}{
		{[]int{1}, [][2]int{{1, 2}, {1, 3}}},
		{[]int{1, 2}, [][2]int{{2, 3}}},
		{[]int{3}, [][2]int{{1, 2}}}, // 1 has no older rival left
	} {
		l := newTalk(t)
		var made []signals.ID
		for _, source := range []string{"ann", "bob", "cid", "dan"} {
			made = append(made, record(l, source, 1, signals.Proposal{ProposalID: "of " + source, Content: "by " + source}).ID)
		}
		for _, id := range made[1:] {
			record(l, bus.System, 1, signals.Conflict{SignalA: made[0], SignalB: id})
		}
		against := 0
		for _, winner := range c.won {
			record(l, bus.System, 1, conflict.Resolution{SignalA: made[against], SignalB: made[winner], Winner: made[winner]})
			against = winner
		}
		var open [][2]int
		for _, p := range l.Conflicts.Open() {
			open = append(open, [2]int{slices.Index(made, p.A.Signal), slices.Index(made, p.B.Signal)})
		}
		if !slices.Equal(open, c.want) {
			t.Errorf("open %v after %v have won, want %v", open, c.won, c.want)
		}
	}
}

func TestAVoteIsARepetitionWhateverItsReasons(t *testing.T) {
	l := newTalk(t)
	record(l, "ann", 1, signals.Proposal{ProposalID: "a", Content: "do it"})
	for i, c := range []struct {
		vote signals.Vote
		want bool
	}{
		{signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1, Reasoning: "fast"}, false},
		{signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1, Reasoning: "cheap"}, true},
		{signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 0.5, Reasoning: "cheap"}, false},
		{signals.Vote{ProposalID: "a", Stance: signals.Disagree, Weight: 0.5, Reasoning: "cheap"}, false},
	} {
		if got := !l.IsNews(record(l, "bob", 1, c.vote)); got != c.want {
			t.Errorf("vote %d: a repetition %v, want %v", i, got, c.want)
		}
	}
}

func TestVotesCountByTheDefaultsWithoutOptions(t *testing.T) {
	thread := runlog.New("t")
	if err := thread.Votes.CountBy(nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	l := &talk{thread, t}
	record(l, bus.System, 1, runlog.Answered{By: "person", AnswerID: signals.MustID("a")})
	if got := l.Votes.Round().Ballots().Quorum(); got != consensus.DefaultQuorum {
		t.Errorf("quorum %d", got)
	}
}

func TestTheQuorumThatWasSetStaysUntilTheNextCountBy(t *testing.T) {
	l := newTalk(t)
	quorums := []int{l.Votes.Round().Ballots().Quorum()}
	for _, step := range []func(){
		func() { l.Votes.SetQuorum(5) },
		func() { record(l, bus.System, 1, runlog.Same{ProposalID: "b", As: "a"}) }, // counts anew
		func() { _ = l.Votes.CountBy(consensus.Default(), nil, nil) },
	} {
		step()
		quorums = append(quorums, l.Votes.Round().Ballots().Quorum())
	}
	if want := []int{1, 5, 5, consensus.DefaultQuorum}; !slices.Equal(quorums, want) {
		t.Errorf("quorums %v, want %v", quorums, want)
	}
}
