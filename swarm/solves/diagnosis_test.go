package solves_test

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A script is a log under construction.
type script struct {
	said  []signals.Any
	round int32
}

func (l *script) add(source string, p signals.Payload) signals.ID {
	n := uint64(len(l.said) + 1)
	h := signals.Header{Seq: n, ID: signals.MustID(fmt.Sprint("s_", n)), Source: source, Thread: "t", Confidence: 1, Round: l.round}
	switch p := p.(type) {
	case signals.Proposal:
		l.said = append(l.said, signals.New(h, p))
	case signals.Vote:
		l.said = append(l.said, signals.New(h, p))
	case signals.Challenge:
		l.said = append(l.said, signals.New(h, p))
	case signals.Retraction:
		l.said = append(l.said, signals.New(h, p))
	case runlog.Began:
		l.said = append(l.said, signals.New(h, p))
	case runlog.Planned:
		l.said = append(l.said, signals.New(h, p))
	}
	return h.ID
}

// begin begins a round in which agents have heard everything, but for places in the log.
func (l *script) begin(ask agents.Ask, waiting []uint64, names ...string) {
	l.round++
	var turns []runlog.BegunTurn
	for _, a := range names {
		turns = append(turns, runlog.BegunTurn{Agent: a, Through: uint64(len(l.said)), Waiting: waiting})
	}
	text, err := runlog.TextOf(turns)
	if err != nil {
		panic(err)
	}
	l.add("system", runlog.Began{Turns: text, Ask: ask})
}

func (l *script) plan(m mode.Mode) {
	text, err := runlog.TextOf(mode.Plan{Mode: m, Members: []mode.Member{{ID: "ann"}, {ID: "bob"}, {ID: "cid"}}, Calls: 20})
	if err != nil {
		panic(err)
	}
	l.add("system", runlog.Planned{Plan: text})
}

// say has agents propose and vote, such as "ann+x" for a proposal, "bob:x" for an agreement,
// "bob:x.5" for a weak one, "bob-x" for a disagreement and "bob=x" for an abstention.
func (l *script) say(words string) (last signals.ID) {
	for word := range strings.FieldsSeq(words) {
		at := strings.IndexAny(word, "+:-=")
		who, id, weight := word[:at], word[at+1:], 1.0
		if before, after, cut := strings.Cut(id, "."); cut {
			n, err := strconv.Atoi(after)
			if err != nil {
				panic(word)
			}
			id, weight = before, float64(n)/10
		}
		switch word[at] {
		case '+':
			last = l.add(who, signals.Proposal{ProposalID: id, Content: "do " + strings.TrimRight(id, "'")})
		case ':':
			last = l.add(who, signals.Vote{ProposalID: id, Stance: signals.Agree, Weight: weight})
		default:
			stance := map[byte]signals.Stance{'-': signals.Disagree, '=': signals.Abstain}[word[at]]
			last = l.add(who, signals.Vote{ProposalID: id, Stance: stance, Weight: weight})
		}
	}
	return last
}

func (l *script) check(t *testing.T, before, after string, flips ...string) {
	t.Helper()
	d := l.diagnosis()
	var got []string
	for _, f := range d.Flips {
		got = append(got, f.String())
	}
	if d.Before.String() != before || d.After.String() != after || strings.Join(got, "; ") != strings.Join(flips, "; ") {
		t.Errorf("before %v, after %v, flips %q; want %s, %s and %q", d.Before, d.After, got, before, after, flips)
	}
}

// diagnosis returns that of a result with the log.
func (l *script) diagnosis() *solves.Diagnosis {
	return (&solves.Result{Logged: solves.Logged{Log: l.said}}).Talk()
}

func TestAgentsThatHearEachOtherFlip(t *testing.T) {
	t.Parallel()
	var l script
	l.begin(0, nil, "ann", "bob", "cid")
	l.say("ann+x ann:x bob+y bob:y cid:y") // cid votes for what it has not heard
	l.begin(0, nil, "ann", "bob", "cid")
	l.say("ann:y bob:y cid:y")
	l.check(t, "2 of 3 for y", "3 of 3 for y, unanimous", "[8] ann from x to y in round 2")
}

func TestAStandAfterHearingOthersIsNotIndependent(t *testing.T) {
	t.Parallel()
	var l script
	l.begin(0, nil, "ann")
	l.say("ann+x ann:x")
	l.begin(0, nil, "bob")
	l.say("bob:x")
	l.begin(0, []uint64{2, 3, 5}, "cid") // all that anybody has said waits
	l.say("cid+y cid:y")
	l.check(t, "1 of 2 for x", "2 of 3 for x")
}

func TestOfSeveralAgreementsInATurnTheStrongestIsTheStand(t *testing.T) {
	t.Parallel()
	var l script
	l.begin(0, nil, "ann", "bob")
	l.say("ann+x bob+y ann:x.5 ann:y.9 bob:x bob:y")
	l.begin(0, nil, "ann", "bob")
	l.say("ann:x ann:y bob:y bob:x") // equally: they stay
	l.check(t, "1 of 2 for x", "1 of 2 for x")
	l.begin(0, nil, "bob")
	l.say("bob:x.4 bob:y.6")
	l.check(t, "1 of 2 for x", "2 of 2 for y, unanimous", "[15] bob from x to y in round 3")
}

func TestWhoAbstainsOrTakesItsVoteBackHasNoStand(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(l *script, id signals.ID){
		"abstains": func(l *script, _ signals.ID) { l.say("ann=x") },
		"retracts": func(l *script, id signals.ID) {
			l.add("ann", signals.Retraction{TargetSignalID: id, Reason: "a mistake"})
		},
	} {
		var l script
		l.begin(0, nil, "ann", "bob")
		l.say("ann+x bob+y bob:x")
		id := l.say("ann:x")
		l.begin(0, nil, "ann")
		l.add("bob", signals.Retraction{TargetSignalID: id, Reason: "not his"})
		l.check(t, "2 of 2 for x, unanimous", "2 of 2 for x, unanimous")
		leave(&l, id)
		l.check(t, "2 of 2 for x, unanimous", "1 of 1 for x")
		stated := l
		l.say("ann:y")
		l.check(t, "2 of 2 for x, unanimous", "1 of 2 for x", "[9] ann from x to y in round 2")
		stated.say("ann:x")
		stated.check(t, "2 of 2 for x, unanimous", "2 of 2 for x, unanimous")
		if t.Failed() {
			t.Fatal(name)
		}
	}
}

func TestWhoDisagreesStandsForNoneOfTheProposals(t *testing.T) {
	t.Parallel()
	var l script
	l.begin(0, nil, "ann", "bob", "cid")
	l.say("ann+x ann:x bob-x cid-x cid+y cid:y")
	l.check(t, "1 of 3 for none of them", "1 of 3 for none of them")
	l.begin(0, nil, "ann", "bob", "cid")
	l.say("ann-y bob-y cid-x") // which they do not stand for
	l.check(t, "1 of 3 for none of them", "1 of 3 for none of them")
	l.say("ann:y ann-x ann-y cid-y") // of several votes on the same the last counts
	l.check(t, "1 of 3 for none of them", "3 of 3 for none of them, unanimous",
		"[13] ann from x to none of them in round 2", "[15] cid from y to none of them in round 2")
	l.begin(0, nil, "bob")
	l.say("bob-x bob:x")
	l.check(t, "1 of 3 for none of them", "2 of 3 for none of them",
		"[13] ann from x to none of them in round 2", "[15] cid from y to none of them in round 2", "[18] bob from none of them to x in round 3")
}

func TestEqualProposalsAreOneStand(t *testing.T) {
	t.Parallel()
	var l script
	l.begin(0, nil, "ann", "bob")
	l.say("ann+x ann:x bob+x' bob:x'") // the same words
	l.begin(0, nil, "ann")
	l.say("ann:x'")
	l.check(t, "2 of 2 for x, unanimous", "2 of 2 for x, unanimous")
}

func TestInAPlanAnswersAreStandsAndVerdictsAreTalk(t *testing.T) {
	t.Parallel()
	var l script
	l.plan(mode.Check)
	l.begin(agents.AskAnswer, nil, "ann", "bob", "cid")
	l.say("ann+x bob+y cid+x'")
	l.begin(agents.AskAnswer, nil, "cid")
	l.say("cid+z")
	l.begin(agents.AskVerdict, nil, "ann")
	l.say("ann:y")
	l.check(t, "2 of 3 for x", "2 of 3 for y", "[7] cid from x to z in round 2, of its own accord", "[9] ann from x to y in round 3")
	if d := l.diagnosis(); d.Challengers.Able != 0 {
		t.Errorf("%v: nobody was shown a proposal to challenge", d.Challengers)
	}
}

// Three have heard a proposal of another one, of whom one challenges it without being asked.
func TestChallengersAreComparedWithThoseWhoHeardAProposal(t *testing.T) {
	t.Parallel()
	var l script
	l.begin(0, nil, "ann", "bob")
	id := l.say("ann+x")
	l.say("bob:x")
	l.begin(0, nil, "ann", "bob", "cid", "dan") // ann has heard no proposal but its own
	l.add("cid", signals.Challenge{TargetSignalID: id, CounterArgument: "it is slow"})
	c := l.diagnosis().Challengers
	if want := 3 * (1 - math.Sqrt(0.5)); c.Able != 3 || c.Actual != 1 || math.Abs(c.Expected-want) > 1e-9 {
		t.Errorf("%+v, want 1 of 3 with %v expected", c, want)
	}
}

func TestALogWithoutStandsHasADiagnosis(t *testing.T) {
	t.Parallel()
	for _, l := range []script{{}, {said: []signals.Any{signals.New(signals.Header{Seq: 1, Thread: "t", Source: "ann"}, signals.Discovery{Finding: "f"})}}} {
		l.check(t, "nobody", "nobody")
		if got := l.diagnosis().String(); !strings.HasSuffix(got, "0 of 0 challenged, 0 expected, risk of groupthink 0.00") {
			t.Error(got)
		}
	}
}

// Whatever is said, an agent is counted once, and a flip is a change from where it stood.
func TestFlipsLeadFromTheFirstStandsToTheLast(t *testing.T) {
	t.Parallel()
	flipped := 0
	rapid.Check(t, func(t *rapid.T) {
		var l script
		names, last := []string{"ann", "bob", "cid"}, map[string]string{}
		l.begin(0, nil, names...)
		l.say("ann+x bob+y cid+z")
		for range rapid.IntRange(1, 5).Draw(t, "rounds") {
			for _, who := range names {
				if n := rapid.IntRange(0, 3).Draw(t, "vote"); n < 3 {
					l.say(who + ":" + []string{"x", "y", "z"}[n])
				}
			}
			l.begin(0, nil, names...)
		}
		d := l.diagnosis()
		for _, s := range l.said { // of one vote a turn the newest is the stand
			if v, ok := signals.As[signals.Vote](s); ok {
				if from := last[v.Source]; from != "" && from != v.Payload.ProposalID {
					if len(d.Flips) == 0 || d.Flips[0].Seq != v.Seq || d.Flips[0].From != from || d.Flips[0].To != v.Payload.ProposalID {
						t.Fatalf("flips %v, want one at %d", d.Flips, v.Seq)
					}
					d.Flips, flipped = d.Flips[1:], flipped+1
				}
				last[v.Source] = v.Payload.ProposalID
			}
		}
		if len(d.Flips) > 0 || d.After.Agents != len(last) || d.Before.Agents > d.After.Agents {
			t.Fatalf("%d flips too many; %v before and %v after of %v", len(d.Flips), d.Before, d.After, last)
		}
	})
	if flipped == 0 {
		t.Error("nobody ever flips")
	}
}
