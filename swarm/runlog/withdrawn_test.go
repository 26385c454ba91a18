package runlog_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A talk is a thread in which something may be taken back.
type talk struct {
	*runlog.Thread
	t interface{ Fatal(args ...any) }
}

func newTalk(t interface{ Fatal(args ...any) }) *talk {
	thread := runlog.New("t")
	if err := thread.Votes.CountBy(consensus.Voting{}, &consensus.Options{Quorum: 1}, nil); err != nil {
		t.Fatal(err)
	}
	return &talk{thread, t}
}

func (l *talk) say(source string, replyTo signals.ID, p signals.Payload) signals.ID {
	seq := uint64(len(l.Log) + 1)
	h := signals.Header{Seq: seq, ID: signals.MustID(fmt.Sprint("sig_", seq)), Thread: "t", Source: source, ReplyTo: replyTo, Confidence: 1}
	switch p := p.(type) {
	case signals.Discovery:
		l.Apply(signals.New(h, p))
	case signals.Proposal:
		l.Apply(signals.New(h, p))
	case signals.Vote:
		l.Apply(signals.New(h, p))
	case signals.Retraction:
		l.Apply(signals.New(h, p))
	}
	if err := l.Votes.Err(); err != nil {
		l.t.Fatal(err)
	}
	return h.ID
}

func (l *talk) takeBack(source string, id signals.ID) {
	l.say(source, id, signals.Retraction{TargetSignalID: id, Reason: "it was wrong"})
}

// tallies returns the votes that count.
func (l *talk) tallies() string {
	text := ""
	for _, p := range l.Votes.Round().Decision().Tallies() {
		text += fmt.Sprintf("%s %d:%d ", p.ProposalID, p.Agree, p.Disagree)
	}
	return text
}

func TestAVoteFallsWithTheFindingThatItRestsOn(t *testing.T) {
	t.Parallel()
	l := newTalk(t)
	f := l.say("ann", signals.ID{}, signals.Discovery{Finding: "slow", Relevance: 1})
	l.say("ann", signals.ID{}, signals.Proposal{ProposalID: "a", Content: "do it"})
	l.say("bob", signals.ID{}, signals.Vote{ProposalID: "a", Stance: signals.Disagree, Weight: 1})
	l.say("bob", f, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
	l.say("cid", f, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
	l.say("dan", signals.ID{}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"nobody but the author may", func() { l.takeBack("bob", f) }, "a 3:0 "},
		{"bob has his earlier vote", func() { l.takeBack("ann", f) }, "a 1:1 "},
		{"a later vote that cites it falls, too", func() {
			l.say("eve", f, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
		}, "a 1:1 "},
		{"stated again", func() { l.say("ann", signals.ID{}, signals.Discovery{Finding: "slow", Relevance: 1}) }, "a 4:0 "},
		{"the operator may", func() { l.takeBack(bus.System, f) }, "a 1:1 "},
	} {
		before, counts := l.Mark().Votes, l.tallies()
		if step.do(); l.tallies() != step.want {
			t.Errorf("%s: %s, want %s", step.what, l.tallies(), step.want)
		}
		if l.tallies() != counts && l.Mark().Votes == before {
			t.Errorf("%s: the mark does not say that votes have changed", step.what)
		}
	}
	if len(l.Withdrawn.Fallen) != 3 {
		t.Errorf("%d votes have fallen, want 3", len(l.Withdrawn.Fallen))
	}
}

// A voter whose vote falls has the vote before it, and that falls, too, if it rests on nothing else.
func TestTheVoteBeforeAFallenOneFallsWithItsFinding(t *testing.T) {
	t.Parallel()
	l := newTalk(t)
	f := l.say("ann", signals.ID{}, signals.Discovery{Finding: "slow", Relevance: 1})
	l.say("ann", signals.ID{}, signals.Proposal{ProposalID: "a", Content: "do it"})
	agree, disagree := signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1}, signals.Vote{ProposalID: "a", Stance: signals.Disagree, Weight: 1}
	l.say("bob", signals.ID{}, disagree)
	for _, v := range []signals.Vote{agree, disagree, agree} {
		l.say("bob", f, v)
	}
	l.say("cid", f, disagree)
	l.say("cid", f, agree)
	if got := l.tallies(); got != "a 2:0 " {
		t.Fatalf("%q before anything is taken back", got)
	}
	l.takeBack("ann", f)
	if got := l.tallies(); got != "a 0:1 " || len(l.Withdrawn.Fallen) != 5 {
		t.Errorf("%q with %d votes fallen, want bob's first vote alone, and 5", got, len(l.Withdrawn.Fallen))
	}
	l.say("ann", signals.ID{}, signals.Discovery{Finding: "slow", Relevance: 1})
	if got := l.tallies(); got != "a 2:0 " || len(l.Withdrawn.Fallen) != 0 {
		t.Errorf("%q with %d votes fallen after it is stated again", got, len(l.Withdrawn.Fallen))
	}
}

func TestAProposalThatWasTakenBackIsAChoiceWithoutAReason(t *testing.T) {
	t.Parallel()
	l := newTalk(t)
	p := l.say("ann", signals.ID{}, signals.Proposal{ProposalID: "a", Content: "do it", Reasoning: "it is simple"})
	l.say("bob", signals.ID{}, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
	l.takeBack("ann", p)
	if on := l.Votes.Of("a"); on.Proposal.Payload.Reasoning != "" || l.tallies() != "a 1:0 " {
		t.Errorf("%q with %s", on.Proposal.Payload.Reasoning, l.tallies())
	}
	if made := l.Votes.Made()[0].Payload.Reasoning; made == "" {
		t.Error("the log has changed")
	}
}

// Whoever takes back what it said last and says it again has changed nothing.
func TestTakingBackAndStatingAgainChangesNoDecision(t *testing.T) {
	t.Parallel()
	fell := 0
	rapid.Check(t, func(t *rapid.T) {
		l := newTalk(t)
		var cited []signals.ID
		newest := map[[2]string]signals.ID{}
		for i := range rapid.IntRange(3, 20).Draw(t, "signals") {
			who, on := rapid.SampledFrom(sources).Draw(t, "who"), signals.ID{}
			if len(cited) > 0 && rapid.Bool().Draw(t, "cites") {
				on = rapid.SampledFrom(cited).Draw(t, "on")
			}
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				cited = append(cited, l.say(who, on, signals.Discovery{Finding: fmt.Sprint("finding ", i), Relevance: 1}))
			case 1:
				l.say(who, on, signals.Proposal{ProposalID: fmt.Sprint("p", i), Content: fmt.Sprint("do ", i)})
			default:
				id := fmt.Sprint("p", rapid.IntRange(0, i).Draw(t, "p"))
				stance := rapid.SampledFrom([]signals.Stance{signals.Agree, signals.Disagree}).Draw(t, "stance")
				newest[[2]string{who, id}] = l.say(who, on, signals.Vote{ProposalID: id, Stance: stance, Weight: 1})
			}
		}
		before, votes := l.Votes.Round().Decision(), l.tallies()
		for range rapid.IntRange(1, 3).Draw(t, "times") {
			s := rapid.SampledFrom(l.Log).Draw(t, "back")
			if v, ok := signals.As[signals.Vote](s); ok && newest[[2]string{v.Source, v.Payload.ProposalID}] != v.ID || s.Kind() == signals.KindRetraction {
				continue
			}
			l.takeBack(s.Head().Source, s.Head().ID)
			if l.tallies() != votes {
				fell++
			}
			again := s.Body()
			if p, ok := again.(signals.Proposal); ok {
				p.ProposalID += "'"
				again = p
			}
			id := l.say(s.Head().Source, s.Head().ReplyTo, again)
			if v, ok := again.(signals.Vote); ok {
				newest[[2]string{s.Head().Source, v.ProposalID}] = id
			}
		}
		after := l.Votes.Round().Decision()
		if l.tallies() != votes || after.Outcome != before.Outcome || after.Choice != before.Choice {
			t.Fatalf("%s became %s", votes, l.tallies())
		}
	})
	if fell == 0 {
		t.Error("nothing that was taken back ever mattered")
	}
}

// The fold of a log that takes something back is that of its prefix and the rest.
func TestWithdrawalsAreAFold(t *testing.T) {
	t.Parallel()
	l := newTalk(t)
	f := l.say("ann", signals.ID{}, signals.Discovery{Finding: "slow", Relevance: 1})
	l.say("ann", signals.ID{}, signals.Proposal{ProposalID: "a", Content: "do it"})
	l.say("bob", f, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: 1})
	l.takeBack("ann", f)
	again := newTalk(t)
	for _, s := range l.Log {
		again.Apply(s)
	}
	if diff := cmp.Diff(l.tallies(), again.tallies()); diff != "" || again.tallies() != "a 0:0 " {
		t.Errorf("%s %s", diff, again.tallies())
	}
}
