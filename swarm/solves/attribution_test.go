package solves_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A team is the log of a decision.
type team struct {
	by      consensus.Strategy // nil: voting
	options consensus.Options
	thread  *runlog.Thread
}

func (l *team) say(source string, because signals.ID, p signals.Payload) signals.ID {
	if l.thread == nil {
		l.thread = runlog.New("t")
		if l.by == nil {
			l.by = consensus.Voting{}
		}
		if err := l.thread.Votes.CountBy(l.by, &l.options, nil); err != nil {
			panic(err)
		}
	}
	n := uint64(len(l.thread.Log) + 1)
	h := signals.Header{Seq: n, ID: signals.MustID(fmt.Sprint("s_", n)), Thread: "t", Source: source, ReplyTo: because, Confidence: 1}
	switch p := p.(type) {
	case signals.Discovery:
		l.thread.Apply(signals.New(h, p))
	case signals.Proposal:
		l.thread.Apply(signals.New(h, p))
	case signals.Vote:
		l.thread.Apply(signals.New(h, p))
	}
	return h.ID
}

func (l *team) propose(ids ...string) {
	for _, id := range ids {
		l.say("chair", signals.ID{}, signals.Proposal{ProposalID: id, Content: "do " + id})
	}
}

func (l *team) vote(source, id string, stance signals.Stance, because signals.ID) {
	l.say(source, because, signals.Vote{ProposalID: id, Stance: stance, Weight: 1})
}

func (l *team) credit(t *testing.T, o *solves.CreditOptions) *solves.Attribution {
	t.Helper()
	r := &solves.Result{
		Thread: l.thread.Name, Decision: l.thread.Votes.Round().Decision(),
		Logged: solves.Logged{Log: l.thread.Log, Proposals: l.thread.Votes.Show("")},
	}
	a, err := r.Credit(o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func shares(a *solves.Attribution) (all string) {
	for _, s := range a.Shares {
		all += fmt.Sprintf("%s %+.3f ", s.Agent, s.Credit)
	}
	return all
}

func TestAFinderSharesTheCreditOfTheVoteThatNamesIt(t *testing.T) {
	t.Parallel()
	var l team
	f := l.say("ann", signals.ID{}, signals.Discovery{Finding: "it is scanned", Relevance: 1})
	l.say("dan", signals.ID{}, signals.Discovery{Finding: "it rains", Relevance: 1}) // which no vote names
	l.propose("index")
	l.vote("bob", "index", signals.Agree, f)
	if got := shares(l.credit(t, nil)); got != "ann +0.500 bob +0.500 " {
		t.Errorf("got %s", got)
	}
}

func TestWhoVotesAgainstTheChoiceHasNegativeCredit(t *testing.T) {
	t.Parallel()
	var l team
	l.propose("x", "y")
	l.vote("eve", "y", signals.Agree, signals.ID{})
	l.vote("ann", "x", signals.Agree, signals.ID{})
	if a := l.credit(t, nil); a.Choice != "" || len(a.Shares) > 0 {
		t.Errorf("%+v, and nothing leads alone", a)
	}
	l.vote("bob", "x", signals.Agree, signals.ID{})
	a := l.credit(t, nil) // a coalition of ann and eve has half of the lead
	if a.Choice != "x" || a.Strategy != "voting" || a.Orders != 0 {
		t.Errorf("%+v", a)
	}
	if got := shares(a); got != "ann +0.583 bob +0.583 eve -0.167 " {
		t.Errorf("got %s", got)
	}
}

func TestNoCreditWithoutALeader(t *testing.T) {
	t.Parallel()
	var l team
	l.propose("x")
	if a := l.credit(t, nil); a.Choice != "" || len(a.Shares) != 0 {
		t.Errorf("%+v", a)
	}
}

// Coalitions are counted with the registries of the decision: ranks, groups, what is known of
// voters, and how far they err together.
func TestCoalitionsAreCountedAsTheDecisionWas(t *testing.T) {
	t.Parallel()
	for _, rho := range []float64{0.4, consensus.Independent} {
		rates := consensus.Rates{"ann": {Sensitivity: 0.9, Specificity: 0.8}}
		l := team{options: consensus.Options{
			Ranks: map[string]int{"ann": 3}, Groups: map[string]string{"ann": "g"}, Reliabilities: rates, Correlation: rho, Quorum: 1,
		}}
		l.propose("x")
		l.vote("ann", "x", signals.Agree, signals.ID{})
		want, coalitions := l.thread.Votes.Round().Ballots(), 0
		look := consensus.Func("looks", func(b consensus.Ballots) consensus.Decision {
			coalitions++
			group, _ := b.Group("ann")
			rate, _ := b.Reliability("ann")
			if b.Rank("ann") != 3 || group != "g" || rate != rates["ann"] || b.Correlation() != want.Correlation() || !b.Closed() {
				t.Errorf("rank %d, group %q, rates %v, correlation %v, closed %v", b.Rank("ann"), group, rate, b.Correlation(), b.Closed())
			}
			return consensus.Voting{}.Decide(b)
		})
		if a := l.credit(t, &solves.CreditOptions{Strategy: look}); a.Strategy != "looks" || coalitions == 0 || shares(a) != "ann +1.000 " {
			t.Errorf("%+v after %d coalitions", a, coalitions)
		}
	}
}

func TestCreditOfManyIsSampledWithItsError(t *testing.T) {
	t.Parallel()
	var l team
	l.propose("x", "y")
	for i := range 11 {
		l.vote(fmt.Sprint("v", i), []string{"x", "y"}[i%2], signals.Agree, signals.ID{})
	}
	all, sum := map[string]bool{}, 0.0
	for _, o := range []*solves.CreditOptions{nil, {Orders: 40}, {Orders: 40, Seed: 1}} {
		a := l.credit(t, o)
		if o != nil && a.Orders != 40 || a.Orders < 30 || a.Orders > 1000 || a.Shares[0].Error <= 0 {
			t.Errorf("%d orders, error %v", a.Orders, a.Shares[0].Error)
		}
		sum = 0
		for _, s := range a.Shares {
			sum += s.Credit
		}
		if all[shares(a)] = true; math.Abs(sum-1) > 1e-9 {
			t.Errorf("credits add up to %v", sum)
		}
	}
	if len(all) != 3 {
		t.Errorf("%d different samples by 3 pairs of seed and number", len(all))
	}
}
