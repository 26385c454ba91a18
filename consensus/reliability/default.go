package reliability

import (
	"fmt"
	"math"

	"github.com/swarmbus/swarmbus/consensus"
)

// configuration is the default one with what a [Ledger] knew when it was asked.
type configuration struct {
	several, one     *Model // nil: nothing
	choices, stances bool   // all decisions are between several, or on one
	unopposed        bool   // where there was one proposal, hardly anybody has said no to it
	why              string // nothing is known, although there were decisions to learn from
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

// trusted is a model that there is and that has its certificate, or nil.
func trusted(m *Model) *Model {
	if m == nil || !m.certificate.OK {
		return nil
	}
	return m
}

// trusts reports whether anything that is known may be decided by.
func (c configuration) trusts() bool { return trusted(c.several) != nil || trusted(c.one) != nil }

// Reliability returns what is known of the voter where there is one proposal, or several.
func (c configuration) Reliability(voter string, proposals int) (consensus.Reliability, bool) {
	m, one := trusted(c.several), trusted(c.one)
	if m == nil || proposals <= 1 && one != nil {
		m = one
	}
	return m.Reliability(voter, proposals)
}

// Decide hands over to what suits the ballots.
func (c configuration) Decide(b consensus.Ballots) consensus.Decision {
	s, known, note := c.on(b, nobody)
	d := s.Decide(known)
	d.Strategy, d.Note = c.Name(), note
	if _, one := s.(consensus.Bayesian); one {
		d.Because = c.because(b, d)
	}
	return d
}

// because explains a decision on single proposals as [Strategy] explains its own.
func (c configuration) because(b consensus.Ballots, d consensus.Decision) string {
	switch leader := d.Leader(); {
	case d.Outcome == consensus.Rejected && len(b.Proposals()) == 1:
		return c.one.against(b)
	case d.Outcome == consensus.Rejected || leader == "" || !d.Final():
		return ""
	default:
		return c.one.because(b, leader)
	}
}

// nobody may still vote.
var nobody = consensus.Left{Voters: []string{}}

// on returns what decides on the ballots, the ballots it decides on as they are for those who may still vote, and a note:
// why it is not what is known of the voters, or what else to know. How many proposals there are determines which model
// decides, even if nobody is for or against some of them.
func (c configuration) on(b consensus.Ballots, left consensus.Left) (s consensus.Strategy, known consensus.Ballots, note string) {
	single := c.stances || !c.choices && !c.unopposed && len(b.Proposals()) <= 1
	m := c.several
	if single {
		m = c.one
	}
	switch {
	case m == nil:
		known = b.WithGroupDiscount(nil, left)
		if note = c.why; note == "" && known != b && groupVotes(b) {
			note = "voters of a group share its weight, of less than two voters"
		}
		return consensus.ConfidenceWeighted{}, known, note
	case single && !m.certificate.OK:
		return consensus.ConfidenceWeighted{}, b.WithGroupDiscount(m.together, left), "by weight alone, since " + m.certificate.Reason()
	case single:
		b = b.WithCorrelation(m.params.unseen(b.Correlation())) // as between several
		if len(b.Proposals()) == 1 {
			b = b.WithPrior(math.Exp(m.params.Prior[0]))
		}
		return consensus.Bayesian{}, b.WithReliabilities(beside{b, m}).WithGroupDiscount(m.together, left), ""
	default:
		return Strategy{m}, b.WithGroupDiscount(m.together, left), m.certificate.Reason()
	}
}

// groupVotes reports whether several voters of a group have votes.
func groupVotes(b consensus.Ballots) bool {
	seen := map[string]bool{}
	for who := range b.ByVoter() {
		if group, ok := b.Group(who.Name); ok {
			if seen[group] {
				return true
			}
			seen[group] = true
		}
	}
	return false
}

// together names whom a voter of a group shares with: of those in it, its copies, or others of whom nothing is known.
func (m *Model) together(voter, group string) string {
	copies := int32(-1)
	if j, ok := m.voters[voter]; ok {
		copies = m.params.first(j)
	}
	return fmt.Sprintf("%q %d", group, copies)
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
	if c.trusts() && (c.choices || left.Proposals > 0 || len(b.Proposals()) != 1) {
		return false
	}
	s, known, _ := c.on(b, left)
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
