package runlog_test

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A table is a thread that is being made.
type table struct {
	*runlog.Thread
	t   *testing.T
	ids map[string]signals.ID
}

func newTable(t *testing.T) *table {
	l := &table{runlog.New("t"), t, map[string]signals.ID{}}
	o := &consensus.Options{Electorate: []string{"a", "b", "c", "d"}, Groups: map[string]string{"a": "a", "b": "b", "c": "c", "d": "c"}}
	if err := l.Votes.CountBy(consensus.Voting{}, o, nil); err != nil {
		t.Fatal(err)
	}
	l.say("x", 1, "a", "", agents.Propose("x", "do x", 1, ""))
	l.say("y", 1, "b", "", agents.Propose("y", "do y", 1, ""))
	l.say("", 1, "a", "", agents.Agree("x", 1, ""))
	l.say("", 1, "b", "", agents.Agree("y", 1, ""))
	return l
}

// say appends a signal, by a name, which replies to another.
func (l *table) say(name string, round int32, from, replyTo string, s signals.Any) {
	l.t.Helper()
	n := len(l.Log) + 1
	id, err := signals.ParseID(fmt.Sprint("sig_", n))
	if err != nil {
		l.t.Fatal(err)
	}
	l.ids[name] = id
	l.Apply(signals.With(s, signals.Header{ID: id, Seq: uint64(n), Source: from, Thread: "t", Round: round, ReplyTo: l.ids[replyTo], Confidence: 1}))
}

// moved reports whether a is counted for y.
func (l *table) moved() bool {
	for v := range l.Votes.Round().Ballots().Votes() {
		if v.Voter == "a" && v.ProposalID == "y" && v.Stance == consensus.Agree {
			return true
		}
	}
	return false
}

func found(what, evidence string) signals.Any {
	return signals.New(signals.Header{}, signals.Discovery{Finding: what, Evidence: evidence, Relevance: 1})
}

func ran(by, result string) signals.Any {
	return signals.New(signals.Header{}, signals.ToolResult{ToolName: "run", Result: result, TriggeredBy: by, Witnessed: true})
}

func TestASeatMovesOnlyForWhatWasCheckedSinceItsFirstBallot(t *testing.T) {
	move := func(l *table, round int32, why string) { l.say("", round, "a", why, agents.Agree("y", 1, "")) }
	for name, c := range map[string]struct {
		say  func(l *table)
		want bool
	}{
		"nothing was said": {func(l *table) { move(l, 2, "") }, false},
		"for an argument": {func(l *table) {
			l.say("it", 1, "b", "", signals.New(signals.Header{}, signals.Challenge{TargetSignalID: l.ids["x"], CounterArgument: "it is slow"}))
			move(l, 2, "it")
		}, false},
		"for a tool's result that it had not heard": {func(l *table) { l.say("it", 1, "b", "", ran("b", "slow")); move(l, 2, "it") }, true},
		"for a tool's result that an agent only states": {func(l *table) {
			l.say("it", 1, "b", "", stated("b"))
			move(l, 2, "it")
		}, false},
		"for an argument that rests on one": {func(l *table) {
			l.say("", 2, "b", "", ran("b", "slow"))
			l.say("it", 2, "b", "", signals.New(signals.Header{}, signals.Challenge{TargetSignalID: l.ids["x"], CounterArgument: "it is slow"}))
			move(l, 3, "it")
		}, true},
		"for its own tool's result in the turn":               {func(l *table) { l.say("", 2, "a", "", ran("a", "slow")); move(l, 2, "") }, true},
		"for one that it had before":                          {func(l *table) { l.say("it", 1, "a", "", ran("a", "slow")); move(l, 2, "it") }, false},
		"for one that it does not name":                       {func(l *table) { l.say("", 2, "b", "", ran("b", "slow")); move(l, 3, "") }, false},
		"for what one has found":                              {func(l *table) { l.say("it", 1, "b", "", found("x is slow", "my test")); move(l, 2, "it") }, false},
		"for what a second one confirms by a tool of its own": {func(l *table) { confirmed(l, "c", ran("c", "its log")); move(l, 3, "it") }, true},
		"for what is confirmed after the move": {func(l *table) {
			l.say("it", 1, "b", "", found("x is slow", "my test"))
			move(l, 2, "it")
			l.say("", 3, "c", "", ran("c", "slow"))
			l.say("", 3, "c", "it", found("so it is", "its log"))
		}, true},
		"for a second text of another":           {func(l *table) { confirmed(l, "c", nil); move(l, 3, "it") }, false},
		"for a result that the other one states": {func(l *table) { confirmed(l, "c", stated("c")); move(l, 3, "it") }, false},
		"for a result that a third one had": {func(l *table) {
			l.say("result", 1, "d", "", ran("d", "slow"))
			l.say("it", 1, "b", "", found("x is slow", "my test"))
			l.say("", 2, "c", "", found("X is slow.", l.ids["result"].String()))
			move(l, 3, "it")
		}, false},
		"for what one says twice": {func(l *table) { confirmed(l, "b", nil); move(l, 3, "it") }, false},
		"for what two of a group say": {func(l *table) {
			l.say("it", 1, "c", "", found("x is slow", "my test"))
			l.say("", 2, "d", "", ran("d", "slow"))
			l.say("", 2, "d", "", found("X is slow.", "its log"))
			move(l, 3, "it")
		}, false},
		"after a person has answered": {func(l *table) {
			l.say("", 2, "system", "", signals.New(signals.Header{}, runlog.Answered{By: "ceo", AnswerID: l.ids["x"]}))
			move(l, 3, "")
		}, true},
	} {
		l := newTable(t)
		c.say(l)
		if l.moved() != c.want || l.Votes.Err() != nil {
			t.Errorf("%s: moved %v, %v", name, l.moved(), l.Votes.Err())
		}
		for v := range l.Votes.Independent(l.Votes.Round().Ballots()).Votes() {
			if v.Voter == "a" && v.ProposalID == "y" && name != "after a person has answered" {
				t.Errorf("%s: the ledger observes the move", name)
			}
		}
	}
}

// stated is a result of a tool that an agent only says it has.
func stated(by string) signals.Any {
	return signals.New(signals.Header{}, signals.ToolResult{ToolName: "run", Result: "slow", TriggeredBy: by})
}

// confirmed has b find something, and another one the same with other evidence, after a result.
func confirmed(l *table, by string, result signals.Any) {
	l.say("it", 1, "b", "", found("x is slow", "my test"))
	if result != nil {
		l.say("", 2, by, "", result)
	}
	l.say("", 2, by, "", found("X is slow.", "its log"))
}

// A voter that is for nothing yet is moved by nothing: it may be for a later proposal.
func TestAVoterThatIsForNothingMayAgreeWithALaterProposal(t *testing.T) {
	l := newTable(t)
	l.say("", 2, "c", "", agents.Disagree("x", 1, ""))
	l.say("", 3, "c", "", agents.Agree("y", 1, ""))
	l.say("", 4, "c", "", agents.Agree("x", 1, "all are"))
	l.say("", 4, "c", "", agents.Disagree("y", 1, "all are"))
	var got []string
	for v := range l.Votes.Round().Ballots().Votes() {
		if v.Voter == "c" {
			got = append(got, fmt.Sprint(v.Stance, " ", v.ProposalID))
		}
	}
	if fmt.Sprint(got) != "[disagree x agree y]" {
		t.Error(got)
	}
}

// A source says a challenge once, whatever it is about: two critics cannot keep each other awake with theirs.
func TestOneChallengeOfASourceAndContentIsHeard(t *testing.T) {
	l := newTable(t)
	challenge := func(name, by, target, says string) {
		l.say(name, 2, by, "", signals.New(signals.Header{}, signals.Challenge{TargetSignalID: l.ids[target], CounterArgument: says}))
	}
	challenge("first", "c", "x", "it is slow")
	challenge("again", "c", "x", "It is  slow.")
	challenge("elsewhere", "c", "y", "it is slow")
	challenge("new", "c", "x", "it is dear")
	challenge("another", "d", "x", "it is slow")
	want := map[string]bool{"first": true, "again": false, "elsewhere": false, "new": true, "another": true}
	for name, id := range l.ids {
		for _, s := range l.Log {
			if heard, asked := want[name]; asked && s.Head().ID == id && l.IsNews(s) != heard {
				t.Errorf("%s is heard: %v", name, !heard)
			}
		}
	}
}
