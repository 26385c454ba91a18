package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

// Model is a snapshot of what a [Ledger] has learned from decisions of one kind. It is never modified, so any number of
// goroutines may use it at once. As [consensus.Options.Reliabilities] it tells the strategies of package consensus how
// reliable each voter is; a [Strategy] uses everything the model knows. A model of which nothing has been learned knows
// no voter.
type Model struct {
	kind   kind
	voters map[string]int32
	names  []string // sorted
	fit    *fit.Model
	past   past
	trust  float64 // share of what was learned in a decision's probabilities; the rest is that of the votes alone
	shared float64 // chance that what was learned is an error that voters share; then the share of the votes is left
	group  bool    // nothing was learned, because half of the voters or more are of one group that errs together
}

const (
	settling      = 4.2 // decisions whose share among all is that of the votes alone in a decision's probabilities
	outcomeCounts = 4   // further decisions that a known outcome counts for in that
	toldKnown     = 50  // known outcomes that teach half where votes tell nothing of each other
	mostShared    = 0.3 // chance that all that agreement has taught is an error that voters share, see docs/quality.md
	fewKnown      = 20  // known outcomes that halve it
	groupLeast    = 10  // known outcomes from which a team is learned about that is mostly of one group
)

// learn learns about the model's voters from a batch of so many decisions.
func (m *Model) learn(b groups, decisions int) {
	m.past = newPast(b.Batch)
	if b.dominated() {
		if len(m.past.known) < groupLeast {
			*m = Model{kind: m.kind, group: true}
			m.empty()
			return
		}
		b.Votes = slices.DeleteFunc(b.Votes, func(v fit.Votes) bool { return v.Known < 0 })
	}
	m.fit = fit.Learn(b.Batch)
	known := float64(len(m.past.known))
	told := (m.fit.Told*toldKnown + known) / (toldKnown + known)
	m.trust = told * (1 - settling/max(settling, float64(decisions)+outcomeCounts*known))
	if !b.Before {
		m.shared = mostShared / (1 + known/fewKnown)
	}
}

// empty returns the model as it is before anything is learned.
func (m *Model) empty() *Model {
	m.fit = fit.Learn(&fit.Batch{Own: m.kind.own(), Choices: m.kind.columns()})
	return m
}

// stranger is the model of a [Strategy] that has none.
var stranger = new(Model).empty()

// Voters returns the names of the voters the model knows, sorted.
func (m *Model) Voters() []string { return slices.Clone(m.names) }

// Doubt returns the reason why the model lowers the confidence of decisions that rest on agreement alone, for people to
// read, and by how much: the probability, at most 0.35, that agreement says nothing about what is right. Known outcomes
// lower it. Below 0.1 the reason is "".
func (m *Model) Doubt() (reason string, size float64) {
	return doubtful(m.fit.Doubt), m.fit.Doubt.Size
}

// voter returns the number of the named voter, or that of the newcomer.
func (m *Model) voter(name string) int32 {
	if j, ok := m.voters[name]; ok {
		return j
	}
	return m.fit.Newcomer()
}

// Reliability returns how often the voter is right among that many proposals, and false for a voter the model does not
// know. Where decisions have their own proposals, a wrong vote is equally likely for each of the others; with shared
// choices, the rate is the mean over the choices.
func (m *Model) Reliability(voter string, proposals int) (consensus.Reliability, bool) {
	j, ok := m.voters[voter]
	switch {
	case !ok:
		return consensus.Reliability{}, false
	case m.kind.stances:
		return consensus.Reliability{Sensitivity: m.fit.Right(j, 0), Specificity: m.fit.Right(j, 1)}, true
	}
	right, k := m.right(j), max(proposals, 1)+1
	if !m.kind.own() {
		k = m.kind.columns()
	}
	return consensus.Reliability{Sensitivity: right, Specificity: 1 - (1-right)/float64(k-1)}, true
}

// right returns how often a voter is right, averaged over the choices.
func (m *Model) right(j int32) (p float64) {
	n := m.kind.columns()
	for c := range n {
		p += m.fit.Right(j, c) / float64(n)
	}
	return p
}

// Groups returns which voters count as one because they repeat each other even when they dissent from the others: each
// is mapped to the first of their names. Voters who count by themselves are not in the map. It has the form of
// [consensus.Options.Groups].
func (m *Model) Groups() map[string]string {
	groups := map[string]string{}
	for j, name := range m.names {
		if first := m.fit.First(int32(j)); first != int32(j) {
			groups[name], groups[m.names[first]] = m.names[first], m.names[first]
		}
	}
	return groups
}

// Weights returns how much a vote of each voter counts beside the others', in log-odds above chance, by name. A voter
// who is wrong more often than chance has a negative weight.
func (m *Model) Weights() map[string]float64 {
	w := make(map[string]float64, len(m.names))
	for name, j := range m.voters {
		w[name] = m.fit.Strength(j)
	}
	return w
}

// reading is ballots as the model interprets them.
type reading struct {
	m         *Model
	b         consensus.Ballots
	proposals []string
	questions []*question
	clear     majority
}

// read reads ballots. Where all decisions are between shared choices, nothing is known about those on other proposals.
func (m *Model) read(b consensus.Ballots) *reading {
	if m.kind.strange(b.Proposals()...) {
		m = stranger
	}
	r := reader{kind: m.kind, b: b, number: m.number}
	reading := &reading{m: m, b: b, proposals: b.Proposals(), questions: r.questions()}
	reading.clear = reading.clearMajority()
	return reading
}

// number returns the number of a voter and for how many it counts, in fractions: newcomers count with their share.
func (m *Model) number(who consensus.Bloc) (voter int32, times int64) {
	if j, ok := m.voters[who.Name]; ok {
		return j, int64(who.N) * fraction
	}
	return m.fit.Newcomer(), int64(who.N) * int64(math.Round(who.Share*fraction))
}

// heard reports whether anybody is for or against anything.
func (r *reading) heard() bool {
	return slices.ContainsFunc(r.questions, func(q *question) bool { return len(q.Voter) > 0 })
}
