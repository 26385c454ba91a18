package reliability

import (
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
)

// configuration is the default strategy with what a [Ledger] knew when it was asked.
type configuration struct {
	several, one     *Model // nil: nothing
	choices, stances bool   // all decisions are between several, or on one
	group            bool   // nothing is learned without outcomes, since most voters are of one group
}

// Name returns "default", or the name of what decides as long as nothing is known.
func (c configuration) Name() string {
	if c.several == nil && c.one == nil {
		return consensus.Default().Name()
	}
	return "default"
}

// Knows reports whether either model knows the voter.
func (c configuration) Knows(voter string) bool {
	return Strategy{c.several}.Knows(voter) || Strategy{c.one}.Knows(voter)
}

// Reliability returns what is known of the voter where there is one proposal, or several.
func (c configuration) Reliability(voter string, proposals int) (consensus.Reliability, bool) {
	m := c.several
	if m == nil || proposals <= 1 && c.one != nil {
		m = c.one
	}
	return m.Reliability(voter, proposals)
}

// Decide hands over to what suits the ballots.
func (c configuration) Decide(b consensus.Ballots) consensus.Decision {
	m := c.model(b)
	if m == nil {
		return c.byWeight(b, consensus.Left{Voters: []string{}})
	}
	d := Strategy{m}.Decide(b.WithGroupDiscount(nil, consensus.Left{Voters: []string{}}))
	d.Strategy = c.Name()
	d.Note, _ = m.Doubt()
	return d
}

// model returns what is known about decisions like this one, or nil. How many proposals there are determines it, even
// if nobody is for or against some of them.
func (c configuration) model(b consensus.Ballots) *Model {
	if c.stances || !c.choices && len(b.Proposals()) <= 1 && (c.one == nil || !c.one.single) {
		return c.one
	}
	return c.several
}

// byWeight decides while nothing is known: voters of a group share its weight.
func (c configuration) byWeight(b consensus.Ballots, left consensus.Left) consensus.Decision {
	shared := b.WithGroupDiscount(nil, left)
	d := consensus.ConfidenceWeighted{}.Decide(shared)
	d.Strategy = c.Name()
	switch {
	case c.group:
		d.Note = fmt.Sprintf("half of the voters or more are of one group, so %d known outcomes are needed to learn from", groupLeast)
	case groupVotes(b):
		d.Note = "voters of a group share its weight, of less than two voters"
	}
	return d
}

// groupVotes reports whether several voters of a group have votes, but not all are of it.
func groupVotes(b consensus.Ballots) bool {
	size, all := map[string]int{}, 0
	for who := range b.ByVoter() {
		group, _ := b.Group(who.Name)
		size[group] += who.N
		all += who.N
	}
	for group, n := range size {
		if group != "" && n > 1 && n < all {
			return true
		}
	}
	return false
}

// Settled reports whether no vote that may still come changes the decision. Once something is known of the voters, that
// is so if a clear majority decides and stays one whatever the others vote, and no outcome is known that could speak
// against it.
func (c configuration) Settled(b consensus.Ballots, left consensus.Left) bool {
	m := c.model(b)
	if c.one == nil && c.several == nil {
		return consensus.Settled(consensus.ConfidenceWeighted{}, b.WithGroupDiscount(nil, left), left)
	}
	if left.Voters == nil && b.Electorate() > 0 {
		left.Voters = b.Missing()
	}
	if m == nil || left.Voters == nil || left.Proposals > 0 && len(b.Proposals()) < 2 || c.several.told() || c.one.told() {
		return false
	}
	may := map[string]bool{}
	for _, voter := range left.Voters {
		may[voter] = true
	}
	_, share := majority(b.WithGroupDiscount(nil, left), may, float64(len(may)))
	return share >= max(clearShare, b.Threshold()) && decided(c.Decide(b))
}

// told reports whether any outcome is known.
func (m *Model) told() bool { return m != nil && len(m.past.known) > 0 }
