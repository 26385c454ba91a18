package solves

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/claims"
)

// CreditOptions are those of [Result.Credit]. The zero value and nil mean the defaults.
type CreditOptions struct {
	Orders int    // drawn for more than ten agents; 0: as many as take about a second, from 30 to 1,000
	Seed   uint64 // by which they are drawn
	// Strategy leads a coalition. Nil: the one that made the decision if it is one of the
	// library's five, else the default one.
	Strategy consensus.Strategy
}

// An Attribution says who moved a result: those who voted and those on whose findings votes rest.
//
// The credit of an agent is its Shapley value, which is what it adds to a coalition of the others,
// on average over all orders in which they may come together:
//
//	φ(i) = Σ over S without i of |S|! (n − |S| − 1)! / n! · (v(S ∪ i) − v(S))
//
// (Shapley, A value for n-person games, 1953). Credits add up to what the whole team is
// worth. A coalition is worth 1 if the choice leads by its members' votes alone, 1/k if it
// leads with k − 1 others, and 0 else. A vote counts in a coalition only if it stands
// there: if it rests on findings ([claims.Graph]), one of them must be of a member. So a
// finder shares the credit of a vote that names its finding, whoever votes against the
// choice has a negative credit, and whoever repeats what decides without it has little.
//
// For few agents the value is exact. For more it is the mean over orders that are drawn by
// a seed, without bias, and comes with its standard error s/√m (Castro, Gómez and Tejada,
// Polynomial calculation of the Shapley value based on sampling, 2009).
//
// It is a measure of votes and of what they name, and not of quality: who convinced others
// without being cited gets nothing for it.
type Attribution struct {
	Choice   string // whose lead is shared: the chosen proposal, or else the leader; "" if there is neither
	Strategy string // that counted
	Orders   int    // drawn; 0: the shares are exact
	Shares   []CreditShare
}

// A CreditShare is the credit of one agent.
type CreditShare struct {
	Agent  string
	Credit float64 // in [-1,1]; all add up to 1 if the choice leads alone by the strategy
	Error  float64 // its standard error; 0 if it is exact
}

// attribution returns who moved a decision, the greatest credit first.
func attribution(d consensus.Decision, g *claims.Graph, o *CreditOptions) (*Attribution, error) {
	c := newGame(d, g, o.Strategy)
	a := &Attribution{Choice: c.choice, Strategy: c.by.Name()}
	if c.choice == "" || len(c.players) == 0 {
		return a, nil
	}
	if len(c.players) > maxExact {
		a.Orders = cmp.Or(o.Orders, min(max(10_000_000/(len(c.players)*(len(c.votes)+g.Len())), 30), 1000))
	}
	value, deviation := Shapley(len(c.players), c.worth, a.Orders, o.Seed)
	if c.err != nil {
		return nil, c.err
	}
	for i, agent := range c.players {
		a.Shares = append(a.Shares, CreditShare{agent, value[i], deviation[i]})
	}
	slices.SortStableFunc(a.Shares, func(x, y CreditShare) int { return cmp.Compare(y.Credit, x.Credit) })
	return a, nil
}

// A game is the votes of a decision, of which coalitions have a part.
type game struct {
	by      consensus.Strategy
	choice  string
	ids     []string
	votes   []consensus.Vote
	options *consensus.Options
	players []string // sorted
	at      map[string]int

	graph  *claims.Graph
	rests  map[uint64]int // by the place of a vote in the log: its claim, if votes may fall
	source []int          // by claim: the player; -1: none
	err    error
}

func newGame(d consensus.Decision, g *claims.Graph, by consensus.Strategy) *game {
	b := d.Ballots()
	if by == nil {
		var err error
		if by, err = consensus.Lookup(d.Strategy); err != nil {
			by = consensus.Default()
		}
	}
	c := &game{
		by: by, choice: cmp.Or(d.Choice, d.Leader()), ids: b.Proposals(), votes: slices.Collect(b.Votes()), at: map[string]int{}, graph: g, rests: map[uint64]int{},
		options: &consensus.Options{Correlation: b.Correlation(), Ranks: map[string]int{}, Groups: map[string]string{}},
	}
	if b.Correlation() == 0 {
		c.options.Correlation = consensus.Independent
	}
	known := consensus.Rates{}
	c.options.Reliabilities = known
	for _, v := range c.votes {
		c.join(v.Voter)
		c.options.Ranks[v.Voter] = b.Rank(v.Voter)
		if group, ok := b.Group(v.Voter); ok {
			c.options.Groups[v.Voter] = group
		}
		if rate, ok := b.Reliability(v.Voter); ok {
			known[v.Voter] = rate
		}
	}
	for _, f := range g.BehindVotes() {
		c.join(f.Source)
	}
	slices.Sort(c.players)
	for i, agent := range c.players {
		c.at[agent] = i
	}
	i := 0
	for claim := range g.All() {
		of, plays := c.at[claim.Source]
		if !plays {
			of = -1
		}
		c.source = append(c.source, of)
		if claim.Kind == signals.KindVote {
			c.rests[claim.Seq] = i
		}
		i++
	}
	return c
}

func (c *game) join(agent string) {
	if _, known := c.at[agent]; !known {
		c.at[agent] = -1
		c.players = append(c.players, agent)
	}
}

// worth returns the choice's share in the lead by the votes of a coalition.
func (c *game) worth(in []bool) float64 {
	stand := c.graph.Standing(func(i int) bool { return c.source[i] < 0 || in[c.source[i]] })
	var votes []consensus.Vote
	for _, v := range c.votes {
		if claim, ok := c.rests[v.Seq]; in[c.at[v.Voter]] && (!ok || stand[claim]) {
			votes = append(votes, v)
		}
	}
	if len(votes) == 0 {
		return 0
	}
	b, err := consensus.NewBallots(c.options, c.ids, votes)
	if err != nil {
		c.err = cmp.Or(c.err, err)
		return 0
	}
	if leaders := c.by.Decide(b.Close()).Leaders; slices.Contains(leaders, c.choice) {
		return 1 / float64(len(leaders))
	}
	return 0
}
