package claims_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A log under construction.
type script struct {
	said []signals.Any
	mint *signals.Mint
}

func (l *script) say(source string, p func(signals.Header) signals.Any, set ...func(*signals.Header)) signals.ID {
	if l.mint == nil {
		l.mint = signals.SeededMint("claims")
	}
	n := uint64(len(l.said) + 1)
	h := signals.Header{Seq: n, ID: signals.MustID(fmt.Sprintf("s_%d", n)), Source: source, Thread: "t", Confidence: 1, Round: 1}
	for _, f := range set {
		f(&h)
	}
	l.said = append(l.said, p(h))
	return h.ID
}

func of[P signals.Payload](p P) func(signals.Header) signals.Any {
	return func(h signals.Header) signals.Any { return signals.New(h, p) }
}

func replyTo(id signals.ID) func(*signals.Header) { return func(h *signals.Header) { h.ReplyTo = id } }

func level(l signals.CausalLevel) func(*signals.Header) {
	return func(h *signals.Header) { h.CausalLevel = l }
}

func (l *script) find(source, finding string, set ...func(*signals.Header)) signals.ID {
	return l.say(source, of(signals.Discovery{Finding: finding, Relevance: 1}), set...)
}

func (l *script) propose(source, id string, set ...func(*signals.Header)) signals.ID {
	return l.say(source, of(signals.Proposal{ProposalID: id, Content: "do " + id}), set...)
}

func (l *script) vote(source, id string, stance signals.Stance, set ...func(*signals.Header)) signals.ID {
	return l.say(source, of(signals.Vote{ProposalID: id, Stance: stance, Weight: 1}), set...)
}

// graph folds the log as a solve does.
func (l *script) graph(t interface{ Fatal(args ...any) }) *claims.Graph {
	thread := runlog.New("t")
	if err := thread.Votes.CountBy(consensus.Default(), &consensus.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	for _, s := range l.said {
		thread.Apply(s)
	}
	return claims.Of(thread.Log, thread.Votes.Show(""))
}

func texts(all []claims.Claim) string {
	var b strings.Builder
	for _, c := range all {
		fmt.Fprintf(&b, "%d ", c.Seq)
	}
	return strings.TrimSpace(b.String())
}

func TestFindingSupportsProposalThroughVote(t *testing.T) {
	t.Parallel()
	var l script
	slow := l.find("ann", "the index is missing")
	l.find("bob", "disk is fast")
	l.propose("ann", "index")
	l.vote("cyn", "index", signals.Agree, replyTo(slow))
	l.vote("bob", "index", signals.Disagree)
	c := l.graph(t).Cases()[0]
	if got := texts(c.For); got != "1" {
		t.Errorf("for: %s, want 1: cyn votes because of it", got)
	}
	if got := texts(c.Against); got != "2" || c.Votes != 1 || c.Opposed != 1 || !c.Contested() {
		t.Errorf("against: %s with %d to %d votes, contested %v; want what bob knew", got, c.Votes, c.Opposed, c.Contested())
	}
}

func TestClaimsFallWithAllTheyRestOn(t *testing.T) {
	t.Parallel()
	var l script
	one, two := l.find("ann", "first"), l.find("bob", "second")
	l.find("ann", "follows from "+one.String()+".")       // 3
	l.find("cyn", "follows from both ("+one.String()+")", // 4
		replyTo(two))
	l.propose("ann", "a")                                                                                    // 5
	l.vote("dan", "a", signals.Agree, replyTo(one))                                                          // 6
	l.vote("eve", "a", signals.Agree)                                                                        // 7
	l.say("fay", of(signals.Doubt{TargetSignalID: one, Concern: "unsure, see s_2", Severity: signals.High})) // 8
	g := l.graph(t)
	got, err := g.Without(one)
	if err != nil {
		t.Fatal(err)
	}
	if fall, weaken := texts(got.Fall), texts(got.Weaken); fall != "1 3 6" || weaken != "4 5" {
		t.Errorf("fall %s, weaken %s; want 1 3 6, and 4 5", fall, weaken)
	}
	if got, _ := g.Without(two); texts(got.Fall) != "2 8" {
		t.Errorf("without the second fall %s, want the doubt that cites it, too", texts(got.Fall))
	}
	var unknown *claims.UnknownError
	if _, err := g.Without(signals.MustID("nobody")); !errors.As(err, &unknown) {
		t.Errorf("an unknown signal: %v", err)
	}
}

func TestVoteDoesNotFallWithWhatItsSourceOnlyKnew(t *testing.T) {
	t.Parallel()
	var l script
	known := l.find("ann", "known")
	l.propose("ann", "a")
	l.vote("ann", "a", signals.Agree)
	if got, _ := l.graph(t).Without(known); texts(got.Fall) != "1" {
		t.Errorf("fall %s, want 1 alone", texts(got.Fall))
	}
}

func TestInterventionLeavesCorrelationsWithoutGround(t *testing.T) {
	t.Parallel()
	var l script
	cause := l.find("ann", "users who see the tour stay")
	tour := l.find("ann", "show the tour to all", replyTo(cause))
	l.find("bob", "tour and staying go together", replyTo(tour), level(signals.Correlation))
	l.find("cyn", "shown the tour, they stay", replyTo(tour), level(signals.Intervention))
	l.find("dan", "no level", replyTo(tour))
	g := l.graph(t)
	if got, _ := g.Assume(tour); texts(got.Fall) != "3" {
		t.Errorf("assumed: fall %s, want the correlation alone", texts(got.Fall))
	}
	if got, _ := g.Assume(cause); texts(got.Fall) != "" {
		t.Errorf("assumed: fall %s, want nothing", texts(got.Fall))
	}
}

func TestToolResultCarriesWhatItsAgentSaysInTheRound(t *testing.T) {
	t.Parallel()
	var l script
	ran := l.say("ann", of(signals.ToolResult{ToolName: "test", Result: "red", TriggeredBy: "ann"}))
	l.find("ann", "the test fails")
	l.find("bob", "other")
	l.find("ann", "later", func(h *signals.Header) { h.Round = 2 })
	l.say("ann", of(signals.ToolResult{ToolName: "test", Result: "broken", IsError: true, TriggeredBy: "ann"}))
	g := l.graph(t)
	if got, _ := g.Without(ran); texts(got.Fall) != "1 2" {
		t.Errorf("fall %s, want 1 2", texts(got.Fall))
	}
	if g.Len() != 4 {
		t.Errorf("%d claims, want 4: an error of a tool is none", g.Len())
	}
}

func TestEqualProposalsAreOneClaim(t *testing.T) {
	t.Parallel()
	var l script
	f := l.find("ann", "fact")
	l.propose("ann", "a")
	l.say("bob", of(signals.Proposal{ProposalID: "b", Content: "Do a."}), replyTo(f))
	l.vote("bob", "b", signals.Agree)
	cases := l.graph(t).Cases()
	if len(cases) != 1 || texts(cases[0].For) != "1" || cases[0].Votes != 1 {
		t.Errorf("cases %+v", cases)
	}
}

func TestLongTextIsCutBetweenCharacters(t *testing.T) {
	t.Parallel()
	var l script
	l.find("ann", strings.Repeat("ü", 1000))
	for c := range l.graph(t).All() {
		if len(c.Text) > 240 || strings.ToValidUTF8(c.Text, "?") != c.Text {
			t.Errorf("text of %d bytes: %q", len(c.Text), c.Text)
		}
	}
}

// draw makes a log of anything that links, with signals that refer to any earlier one.
func draw(t *rapid.T) *script {
	l := &script{}
	ids := []signals.ID{{}}
	for range rapid.IntRange(1, 25).Draw(t, "signals") {
		who := rapid.SampledFrom([]string{"ann", "bob", "cyn"}).Draw(t, "source")
		p := rapid.SampledFrom([]string{"a", "b"}).Draw(t, "proposal")
		about := rapid.SampledFrom(ids).Draw(t, "about")
		reply := func(h *signals.Header) {
			h.ReplyTo = about
			h.CausalLevel = signals.CausalLevel(rapid.IntRange(0, 3).Draw(t, "level"))
		}
		text := "it follows from " + rapid.SampledFrom(ids).Draw(t, "cited").String()
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0, 1:
			ids = append(ids, l.find(who, text, reply))
		case 2:
			ids = append(ids, l.propose(who, p, reply))
		case 3:
			stance := rapid.SampledFrom([]signals.Stance{signals.Agree, signals.Disagree, signals.Abstain}).Draw(t, "stance")
			ids = append(ids, l.vote(who, p, stance, reply))
		case 4:
			ids = append(ids, l.say(who, of(signals.ToolResult{ToolName: "t", Result: text, TriggeredBy: who})))
		default:
			if !about.IsZero() {
				ids = append(ids, l.say(who, of(signals.Challenge{TargetSignalID: about, CounterArgument: text}), reply))
			}
		}
	}
	return l
}

// What is retracted in addition makes nothing stand again, and nothing falls without a cause.
func TestMoreRetractionsLetMoreFall(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		g := draw(t).graph(t)
		if none, err := g.Without(); err != nil || len(none.Fall)+len(none.Weaken) > 0 {
			t.Fatalf("without nothing fall %v", none)
		}
		all := slices.Collect(g.All())
		if len(all) == 0 {
			return
		}
		a, b := rapid.SampledFrom(all).Draw(t, "a"), rapid.SampledFrom(all).Draw(t, "b")
		one, err := g.Without(a.ID)
		both, problem := g.Without(a.ID, b.ID)
		if errors.Join(err, problem) != nil {
			t.Fatal(err, problem)
		}
		for _, c := range one.Fall {
			if !slices.Contains(both.Fall, c) {
				t.Errorf("without %d falls %d, but not without %d, too", a.Seq, c.Seq, b.Seq)
			}
		}
		twice, _ := g.Without(idsOf(one.Fall)...)
		if !slices.Equal(one.Fall, twice.Fall) {
			t.Errorf("retracting what falls, %s, lets more fall: %s", texts(one.Fall), texts(twice.Fall))
		}
	})
}

func idsOf(all []claims.Claim) (ids []signals.ID) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

func TestNoProposalsIsNoGraphToFail(t *testing.T) {
	t.Parallel()
	g := claims.Of(nil, []agents.Standing{})
	if e, err := g.Without(); g.Len() != 0 || g.Cases() != nil || err != nil || e.Fall != nil {
		t.Errorf("an empty log has %d claims", g.Len())
	}
}

func BenchmarkGraph(b *testing.B) {
	var l script
	for i := range 1000 {
		who := fmt.Sprint("agent", i%200)
		f := l.find(who, "finding number "+fmt.Sprint(i))
		if i%100 == 0 {
			l.propose(who, fmt.Sprint("p", i))
		}
		l.vote(who, "p0", signals.Agree, replyTo(f))
	}
	thread := runlog.New("t")
	for _, s := range l.said {
		thread.Apply(s)
	}
	proposals := thread.Votes.Show("")
	for b.Loop() {
		claims.Of(l.said, proposals)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(l.said)), "ns/signal")
}
