package settle_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

const yes, no, pass = signals.Agree, signals.Disagree, signals.Abstain

// standing is a proposal of a source with votes by the stances of voters, in order.
func standing(id, source string, voters []string, stances map[string]signals.Stance) agents.Standing {
	s := agents.Standing{Proposal: signals.New(
		signals.Header{ID: signals.MustID("s-" + id), Source: source},
		signals.Proposal{ProposalID: id, Content: "do " + id, Reasoning: id + " is quick"},
	)}
	for _, v := range voters {
		if stance, votes := stances[v]; votes {
			s.Votes = append(s.Votes, signals.New(
				signals.Header{Source: v}, signals.Vote{ProposalID: id, Stance: stance, Weight: 0.1, Reasoning: v + " says so"},
			))
		}
	}
	return s
}

var all = []string{"u", "v", "w", "x", "y"}

func pair(a, b map[string]signals.Stance) settle.Pair {
	return settle.Pair{A: standing("a", "p", all, a), B: standing("b", "q", all, b)}
}

type votes = map[string]signals.Stance

func TestMajorityCountsEachVoterForTheOneSideThatItAgreesWith(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b       votes
		electorate []string
		winner     string
		count      settle.Count
	}{
		"more for the older":       {votes{"u": yes, "v": yes}, votes{"w": yes}, nil, "a", settle.Count{A: 2, B: 1}},
		"more for the newer":       {votes{"u": yes}, votes{"w": yes, "x": yes}, nil, "b", settle.Count{A: 1, B: 2}},
		"a tie":                    {votes{"u": yes}, votes{"w": yes}, nil, "", settle.Count{A: 1, B: 1}},
		"no votes":                 {nil, nil, nil, "", settle.Count{}},
		"one vote suffices":        {nil, votes{"w": yes}, nil, "b", settle.Count{B: 1}},
		"agreeing with both":       {votes{"u": yes, "v": yes}, votes{"u": yes}, nil, "a", settle.Count{A: 1}},
		"against one is for none":  {votes{"u": no, "v": no, "w": yes}, nil, nil, "a", settle.Count{A: 1}},
		"abstaining":               {votes{"u": pass}, votes{"v": yes}, nil, "b", settle.Count{B: 1}},
		"those who may not vote":   {votes{"u": yes, "v": yes}, votes{"w": yes}, []string{"w"}, "b", settle.Count{B: 1}},
		"for one, against another": {votes{"u": yes, "w": no}, votes{"u": no, "w": yes, "x": yes}, nil, "b", settle.Count{A: 1, B: 2}},
	} {
		winner, n, ok := pair(c.a, c.b).Majority(c.electorate)
		if ok != (c.winner != "") || ok && winner.ID() != c.winner || n != c.count {
			t.Errorf("%s: got %v %+v, want %q %+v", name, ok, n, c.winner, c.count)
		}
	}
}

func TestQuestionHasBothSidesWithReasonsAndVotes(t *testing.T) {
	t.Parallel()
	q := pair(votes{"u": yes, "v": no}, votes{"v": yes}).Question()
	if q.Reason != "proposals a and b cannot both stand" {
		t.Errorf("reason %q", q.Reason)
	}
	want := strings.Join([]string{
		"a, by p: do a", "  because: a is quick", "  u agrees (0.1): u says so", "  v disagrees (0.1): v says so",
		"b, by q: do b", "  because: b is quick", "  v agrees (0.1): v says so",
	}, "\n")
	if diff := cmp.Diff(want, q.Context); diff != "" {
		t.Error(diff)
	}
}

func TestLongQuestionsFitIntoASignal(t *testing.T) {
	t.Parallel()
	p := pair(nil, nil)
	long := strings.Repeat("n", signals.NameBytes)
	p.A.Proposal.Payload = signals.Proposal{ProposalID: long, Content: strings.Repeat("é\n", 1<<14), Reasoning: strings.Repeat("é", 1<<14)}
	for range 100 {
		p.A.Votes = append(p.A.Votes, signals.New(signals.Header{Source: long, Confidence: 0.12}, signals.Vote{ProposalID: long, Stance: yes, Reasoning: strings.Repeat("x", 1<<14)}))
	}
	p.B = p.A
	q := p.Question()
	if err := signals.Validate(signals.New(signals.Header{}, q)); err != nil {
		t.Errorf("%d bytes: %v", len(q.Context), err)
	}
	if !strings.Contains(q.Context, "and 84 more votes") {
		t.Error("it does not say how many votes it leaves out")
	}
}

func TestAdvocatesAreThoseWhoProposedAndThenThoseWhoAgree(t *testing.T) {
	t.Parallel()
	among := func(names ...string) func(string, agents.Standing, agents.Standing) bool {
		return func(name string, _, _ agents.Standing) bool {
			for _, n := range names {
				if n == name {
					return true
				}
			}
			return false
		}
	}
	p := pair(votes{"u": yes, "v": yes}, votes{"p": no, "u": yes, "w": yes})
	for _, c := range []struct {
		can  []string
		a, b string
		ok   bool
	}{
		{[]string{"p", "q"}, "p", "q", true},
		{[]string{"u", "v", "w"}, "v", "w", true}, // u is for both
		{[]string{"p"}, "p", "", false},
		{nil, "", "", false},
	} {
		d, ok := p.Open(among(c.can...))
		if ok != c.ok || d.ForA != c.a || d.ForB != c.b {
			t.Errorf("of %q: %q and %q, %v", c.can, d.ForA, d.ForB, ok)
		}
	}
	turned := settle.Pair{A: standing("a", "p", []string{"p", "v"}, votes{"v": yes}), B: standing("b", "q", []string{"p"}, votes{"p": yes})}
	if d, _ := turned.Open(among("p", "v", "q")); d.ForA != "v" {
		t.Errorf("%q argues for a, whose source has come to agree with b", d.ForA)
	}
}

// play takes a debate to its end; fresh and probability are asked at each step.
func play(fresh func(settle.Debate) int, probability func(settle.Debate) float64, left int) (steps []string, end settle.End) {
	d := settle.Debate{A: "a", B: "b", ForA: "p", ForB: "q", Round: 1, Part: settle.Attack}
	for {
		steps = append(steps, d.Part.String())
		left--
		if d, end = d.Next(fresh(d), probability(d), left); end != "" {
			return steps, end
		}
	}
}

func TestDebateEnds(t *testing.T) {
	t.Parallel()
	news := func(settle.Debate) int { return 1 }
	even := func(settle.Debate) float64 { return 0.5 }
	for name, c := range map[string]struct {
		fresh       func(settle.Debate) int
		probability func(settle.Debate) float64
		left        int
		steps       string
		end         settle.End
	}{
		"after three rounds": {news, even, 100, "attack answer attack answer attack answer", settle.OutOfTime},
		"when neither attack is new": {
			func(d settle.Debate) int { return 2 - d.Round }, even, 100,
			"attack answer attack", settle.NothingNew,
		},
		"at once without an argument": {func(settle.Debate) int { return 0 }, even, 100, "attack", settle.NothingNew},
		"when a side is certain enough": {news, func(d settle.Debate) float64 {
			if d.Part == settle.Answer && d.Round == 2 {
				return 0.8
			}
			return 0.79
		}, 100, "attack answer attack answer", settle.Decided},
		"when the other side is": {news, func(settle.Debate) float64 { return 0.1 }, 100, "attack", settle.Decided},
		"for lack of rounds":     {news, even, 5, "attack answer attack answer", settle.OutOfTime},
	} {
		steps, end := play(c.fresh, c.probability, c.left)
		if strings.Join(steps, " ") != c.steps || end != c.end {
			t.Errorf("%s: %q, %v; want %q, %v", name, steps, end, c.steps, c.end)
		}
	}
}

func TestTheMoreProbableSideWinsADebate(t *testing.T) {
	t.Parallel()
	d := settle.Debate{A: "a", B: "b"}
	for p, want := range map[float64]string{0.51: "a", 0.49: "b", 0.5: ""} {
		if got := d.Outcome(p); got != want {
			t.Errorf("at %v: %q, want %q", p, got, want)
		}
	}
}

func TestProbabilityIsOfOneOfTheTwo(t *testing.T) {
	t.Parallel()
	vote := func(voter, id string, s consensus.Stance) consensus.Vote {
		return consensus.Vote{Voter: voter, ProposalID: id, Stance: s, Weight: 1}
	}
	agree := func(voter, id string) consensus.Vote { return vote(voter, id, consensus.Agree) }
	reject := func(voter, id string) consensus.Vote { return vote(voter, id, consensus.Disagree) }
	o := &consensus.Options{Correlation: consensus.Independent}
	p := pair(nil, nil)
	for _, c := range []struct {
		votes []consensus.Vote
		want  float64
	}{
		{nil, 0.5},
		{[]consensus.Vote{agree("u", "a"), agree("v", "b")}, 0.5},
		{[]consensus.Vote{agree("u", "a")}, 0.8}, // odds of 4 to 1
		{[]consensus.Vote{agree("u", "b")}, 0.2},
		{[]consensus.Vote{agree("u", "c")}, 0.5},
		{[]consensus.Vote{reject("u", "a")}, 0.2},
		{[]consensus.Vote{agree("u", "a"), agree("v", "a"), agree("w", "b")}, 0.8},
		{[]consensus.Vote{agree("u", "a"), agree("v", "a"), agree("w", "b"), reject("w", "a")}, 0.8}, // says the same twice
	} {
		b, err := consensus.NewBallots(o, []string{"a", "b", "c"}, c.votes)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Probability(b, consensus.Voting{}, o); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%v: %v, want %v", c.votes, got, c.want)
		}
	}
}

func TestVotersOfALoserYield(t *testing.T) {
	t.Parallel()
	agree := func(seq uint64, voter, id string) consensus.Vote {
		return consensus.Vote{Seq: seq, Voter: voter, ProposalID: id, Stance: consensus.Agree}
	}
	not := func(seq uint64, voter, id string) consensus.Vote {
		return consensus.Vote{Seq: seq, Voter: voter, ProposalID: id, Stance: consensus.Disagree}
	}
	for name, c := range map[string]struct {
		votes   []consensus.Vote
		settled []settle.Settled
		want    map[string]uint64
	}{
		"only with the loser":           {[]consensus.Vote{agree(1, "u", "b"), not(2, "u", "a")}, []settle.Settled{{"b", 9}}, map[string]uint64{"u": 9}},
		"with another too":              {[]consensus.Vote{agree(1, "u", "b"), agree(2, "u", "c")}, []settle.Settled{{"b", 9}}, map[string]uint64{}},
		"no longer":                     {[]consensus.Vote{agree(1, "u", "b"), not(2, "u", "b")}, []settle.Settled{{"b", 9}}, map[string]uint64{}},
		"afterwards":                    {[]consensus.Vote{agree(10, "u", "b")}, []settle.Settled{{"b", 9}}, map[string]uint64{}},
		"with two that lost":            {[]consensus.Vote{agree(1, "u", "b"), agree(2, "u", "c")}, []settle.Settled{{"b", 9}, {"c", 12}}, map[string]uint64{"u": 12}},
		"with the winner that lost too": {[]consensus.Vote{agree(1, "u", "b"), agree(10, "u", "a")}, []settle.Settled{{"b", 9}, {"a", 12}}, map[string]uint64{"u": 12}},
	} {
		if diff := cmp.Diff(c.want, settle.Yields(c.votes, c.settled)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestGroupthinkComparesWithIndependentVolunteers(t *testing.T) {
	t.Parallel()
	five := settle.GroupthinkOf(5, 0)
	p := 1 - math.Pow(0.5, 0.25)
	if math.Abs(five.Expected-5*p) > 1e-9 || math.Abs(five.Risk-(1-math.Pow(1-p, 5))) > 1e-9 {
		t.Errorf("%+v, want %v expected and a risk of %v", five, 5*p, 1-math.Pow(1-p, 5))
	}
	if g := settle.GroupthinkOf(1, 0); g.Expected != 0 || g.Risk != 0 {
		t.Errorf("%+v: one agent has nobody to think with", g)
	}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 200).Draw(t, "able")
		k := rapid.IntRange(0, n).Draw(t, "actual")
		g := settle.GroupthinkOf(n, k)
		if !(g.Risk >= 0 && g.Risk <= 1) || g.Risk > settle.GroupthinkOf(n, max(0, k-1)).Risk {
			t.Fatalf("%+v: not a probability, or more challengers raise it", g)
		}
		if k == n && g.Risk > 1e-9 {
			t.Fatalf("%+v: all challenged", g)
		}
	})
}
