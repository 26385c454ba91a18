package reliability

import "github.com/swarmbus/swarmbus/consensus"

// configuration is the default one with what a [Ledger] knew when it was asked.
type configuration struct {
	several, one     *Model // nil: nothing
	choices, stances bool   // all decisions are between several, or on one
}

// Name returns "default".
func (configuration) Name() string { return "default" }

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
	s, known := c.on(b)
	d := s.Decide(known)
	d.Strategy = c.Name()
	return d
}

// on returns what decides on the ballots, and the ballots it decides on. Proposals that nobody is for or
// against make no difference.
func (c configuration) on(b consensus.Ballots) (consensus.Strategy, consensus.Ballots) {
	single := c.stances || !c.choices && spokenOn(b) <= 1
	switch {
	case single && c.one != nil:
		return consensus.Bayesian{}, b.Knowing(beside{b, c.one})
	case !single && c.several != nil:
		return Strategy{c.several}, b
	default:
		return consensus.ConfidenceWeighted{}, b
	}
}

// beside is what ballots know of voters, and of the others what the model does.
type beside struct {
	consensus.Ballots
	model *Model
}

func (k beside) Reliability(voter string, proposals int) (consensus.Reliability, bool) {
	if r, ok := k.Ballots.Reliability(voter); ok {
		return r, true
	}
	return k.model.Reliability(voter, proposals)
}

// Settled is sure about decisions that stay between the only proposal and none; nothing is known of what
// votes may yet do to the others.
func (c configuration) Settled(b consensus.Ballots, left consensus.Left) bool {
	if c.choices || left.Proposals > 0 || len(b.Proposals()) != 1 {
		return false
	}
	s, known := c.on(b)
	return consensus.Settled(s, known, left)
}

// spokenOn returns on how many proposals somebody is for or against.
func spokenOn(b consensus.Ballots) (n int) {
	for _, t := range b.Tallies() {
		if t.Agree+t.Disagree > 0 {
			n++
		}
	}
	return n
}
