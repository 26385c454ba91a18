package claims_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/signals"
)

func (l *script) takeBack(source string, id signals.ID) {
	l.say(source, of(signals.Retraction{TargetSignalID: id, Reason: "it was wrong"}), replyTo(id))
}

func TestAFindingAboutAProposalIsForWhatItsSourceVotesFor(t *testing.T) {
	t.Parallel()
	var l script
	p := l.propose("ann", "index")
	often := l.find("bob", "it is read often", replyTo(p))
	l.find("cid", "it is written often", replyTo(p)) // who votes against it, later
	l.find("dan", "it is small, see "+p.String())
	l.vote("cid", "index", signals.Disagree)
	c := l.graph(t).Cases()[0]
	if texts(c.For) != "2 4" || texts(c.Against) != "3" {
		t.Errorf("for: %s, against: %s, want 2 4 and 3", texts(c.For), texts(c.Against))
	}
	l.takeBack("bob", often)
	if c := l.graph(t).Cases()[0]; texts(c.For) != "4" {
		t.Errorf("for: %s, want 4: 2 is taken back", texts(c.For))
	}
}

func TestAVoteBeforeItsProposalIsForIt(t *testing.T) {
	t.Parallel()
	var l script
	f := l.find("bob", "the index is missing")
	l.vote("bob", "index", signals.Agree, replyTo(f))
	l.vote("cid", "index", signals.Abstain)
	l.propose("ann", "index")
	g := l.graph(t)
	if c := g.Cases()[0]; c.Votes != 1 || texts(c.For) != "1" || c.Contested() {
		t.Errorf("%d votes, for %s", c.Votes, texts(c.For))
	}
	if g.Len() != 3 {
		t.Errorf("%d claims, want 3: an abstention is none", g.Len())
	}
}

func TestOnlyTheNewestVoteOfAVoterCounts(t *testing.T) {
	t.Parallel()
	var l script
	l.propose("ann", "index")
	l.vote("bob", "index", signals.Agree)
	l.vote("bob", "index", signals.Disagree)
	if c := l.graph(t).Cases()[0]; c.Votes != 0 || c.Opposed != 1 {
		t.Errorf("%d to %d votes, want 0 to 1", c.Votes, c.Opposed)
	}
}

// What was taken back, and what rests on nothing else, is in no case.
func TestRetractedClaimIsInNoCase(t *testing.T) {
	t.Parallel()
	var l script
	f := l.find("ann", "the table is scanned")                                                            // 1
	l.find("bob", "so reads are slow", replyTo(f))                                                        // 2
	g := l.find("cid", "writes are slow")                                                                 // 3
	p := l.propose("ann", "index")                                                                        // 4
	l.vote("bob", "index", signals.Agree, replyTo(f))                                                     // 5
	l.vote("dan", "index", signals.Agree)                                                                 // 6
	l.vote("cid", "index", signals.Disagree, replyTo(g))                                                  // 7
	doubt := l.say("eve", of(signals.Doubt{TargetSignalID: p, Concern: "is it?", Severity: signals.Low})) // 8
	about := l.say("eve", of(signals.Doubt{TargetSignalID: g, Concern: "are they?", Severity: signals.Low}))
	if c := l.graph(t).Cases()[0]; texts(c.For) != "1" || c.Votes != 2 || texts(c.Against) != "3" || c.Opposed != 1 || texts(c.Objections) != "8" {
		t.Fatalf("before anything is taken back: %+v", c)
	}
	l.takeBack("ann", f)
	l.takeBack("cid", g)
	l.takeBack("eve", doubt)
	l.takeBack("bob", about) // which is not his
	c := l.graph(t).Cases()[0]
	if texts(c.For) != "" || c.Votes != 1 || texts(c.Against) != "" || c.Opposed != 0 || texts(c.Objections) != "" {
		t.Errorf("after it: for %s with %d votes, against %s with %d, objections %s", texts(c.For), c.Votes, texts(c.Against), c.Opposed, texts(c.Objections))
	}
}

func TestAProposalThatIsTakenBackStandsWhileOthersVoteForIt(t *testing.T) {
	t.Parallel()
	var l script
	held, alone := l.propose("ann", "index"), l.propose("ann", "wait")
	l.vote("bob", "index", signals.Agree)
	l.takeBack("ann", held)
	l.takeBack("ann", alone)
	g := l.graph(t)
	if got := texts(g.Retracted().Fall); got != "2" {
		t.Errorf("fall %s, want the proposal that nobody votes for", got)
	}
}

// What is assumed stands whatever it rested on.
func TestAssumedClaimDoesNotFall(t *testing.T) {
	t.Parallel()
	var l script
	seen := l.find("ann", "users who see the tour stay")
	tour := l.find("ann", "they see it", replyTo(seen))
	last := l.find("bob", "they stay", replyTo(tour))
	l.takeBack("ann", seen)
	g := l.graph(t)
	if got := texts(g.Retracted().Fall); got != "1 2 3" {
		t.Errorf("without it fall %s, want 1 2 3", got)
	}
	if got, err := g.Assume(tour); err != nil || texts(got.Fall) != "1" {
		t.Errorf("%v: fall %s, want 1 alone", err, texts(got.Fall))
	}
	if got, err := g.Assume(last); err != nil || texts(got.Fall) != "1 2" {
		t.Errorf("%v: fall %s, want 1 2", err, texts(got.Fall))
	}
}
