package reliability

import (
	"fmt"

	"github.com/swarmbus/swarmbus/consensus"
)

// configuration is the default strategy with the knowledge of a [Ledger] at the time of the call.
type configuration struct {
	several, one     *Model
	choices, stances bool // all decisions are between several, or on one
}

func (c configuration) knows() bool { return c.several.knows() || c.one.knows() }

func (m *Model) knows() bool { return len(m.voters) > 0 }

// Name returns "default" or, as long as nothing is known, the name of the strategy that decides.
func (c configuration) Name() string {
	if !c.knows() {
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
	if !c.several.knows() || proposals <= 1 && c.one.knows() {
		return c.one.Reliability(voter, proposals)
	}
	return c.several.Reliability(voter, proposals)
}

// Decide delegates to the strategy that suits the ballots.
func (c configuration) Decide(b consensus.Ballots) consensus.Decision {
	m := c.model(b)
	if !m.knows() {
		return c.byWeight(b, consensus.Left{Voters: []string{}})
	}
	d := Strategy{m}.Decide(b.WithGroupDiscount(nil, consensus.Left{Voters: []string{}}))
	d.Strategy = c.Name()
	d.Note, _ = m.Doubt()
	return d
}

// model returns what is known about decisions like this one. How many proposals there are determines it, even if no one
// is for or against some of them.
func (c configuration) model(b consensus.Ballots) *Model {
	if c.stances || !c.choices && len(b.Proposals()) <= 1 {
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
	case c.several.group || c.one.group:
		d.Note = fmt.Sprintf("half of the voters or more are of one group, so %d known outcomes are needed to learn from", groupLeast)
	case sharing(shared):
		d.Note = "voters of a group share its weight, of less than two voters"
	}
	return d
}

// sharing reports whether voters of a group share its weight.
func sharing(b consensus.Ballots) bool {
	for who := range b.ByVoter() {
		if who.Share < 1 {
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
	if !c.knows() {
		return consensus.Settled(consensus.ConfidenceWeighted{}, b.WithGroupDiscount(nil, left), left)
	}
	if left.Voters == nil && b.Electorate() > 0 {
		left.Voters = b.Missing()
	}
	if !m.knows() || left.Voters == nil || left.Proposals > 0 && len(b.Proposals()) < 2 || c.several.resolved() || c.one.resolved() {
		return false
	}
	may := map[string]bool{}
	for _, voter := range left.Voters {
		may[voter] = true
	}
	sure := majorityOf(b.WithGroupDiscount(nil, left), may, float64(len(may)))
	if sure.share < max(clearShare, b.Threshold()) {
		return false
	}
	d := c.Decide(b) // which rejects only the proposals that there are
	return d.Outcome == consensus.Reached || d.Outcome == consensus.Rejected && left.Proposals == 0
}

// resolved reports whether any outcome is known.
func (m *Model) resolved() bool { return len(m.past.known) > 0 }
