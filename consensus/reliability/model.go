package reliability

import (
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Model is what a [Book] had learned when it was asked. It is never modified, so that many decisions can
// read it at once. As [consensus.Options.Reliabilities] it gives the named strategies what it knows of each
// voter by itself; a [Strategy] uses all of it.
type Model struct {
	kind        kind
	voters      map[string]int32
	params      *parameters // with one voter more than there are: a newcomer
	certificate Certificate
}

// stranger is the model behind a [Strategy] that has none.
var stranger = new(Book).Model()

// Voters returns the names of those of whom something is known, sorted.
func (m *Model) Voters() []string { return slices.Sorted(maps.Keys(m.voters)) }

// Certificate returns whether the votes that were learned from tell their consensus from a rival one.
func (m *Model) Certificate() Certificate { return m.certificate }

// Correlation returns how much two voters err together, in [0,1): 1 − that is the share of a second opinion
// that is news. Those of whom nothing is known have the mean of all, a voter and itself 0.98.
func (m *Model) Correlation(a, b string) float64 {
	if a == b {
		return closest
	}
	return m.params.Corr.between(m.voter(a), m.voter(b))
}

// voter is a name's place, that of the newcomer for a name that is not known.
func (m *Model) voter(name string) int32 {
	j, _ := m.known(name)
	return j
}

// known is the same, and whether the name is known.
func (m *Model) known(name string) (j int32, ok bool) {
	if j, ok = m.voters[name]; !ok {
		j = int32(m.params.Voters - 1)
	}
	return j, ok
}

// Reliability returns how often the voter is right, as sure as it usually is,
// and false for one of whom nothing is known. With proposals of a decision's own, it is wrong on each of the others
// alike; with shared choices the rates are means over them.
func (m *Model) Reliability(voter string, proposals int) (consensus.Reliability, bool) {
	j, ok := m.voters[voter]
	if !ok {
		return consensus.Reliability{}, false
	}
	p := m.params
	usual := p.usual(int(j), p.alike())
	switch {
	case p.Own:
		right := p.meanRate(int(j), usual)
		return consensus.Reliability{Sensitivity: right, Specificity: 1 - (1-right)/float64(max(proposals, 1))}, true
	case m.kind.stances:
		return consensus.Reliability{Sensitivity: p.meanRate(2*int(j), usual), Specificity: p.meanRate(2*int(j)+1, usual)}, true
	default:
		right := p.meanRates(int(j), usual)
		return consensus.Reliability{Sensitivity: right, Specificity: 1 - (1-right)/float64(p.Choices-1)}, true
	}
}

// Calibrated returns how often the voter is right when it states this weight, above 0 and at most 1, among so many
// proposals: what its "0.8" means. One of whom nothing is known means what all others do, but is never better than
// a newcomer as sure as is usual. It is false at 0, which carries nothing, and while nothing is known of what weights
// mean, since no more than half of the voters that were learned from stated less than 1; then a weight scales what a
// vote counts.
func (m *Model) Calibrated(voter string, weight float64, proposals int) (right float64, ok bool) {
	p := m.params
	if p.Stated == nil || !(weight > 0) {
		return 0, false
	}
	j, k := m.voter(voter), p.Choices
	if p.Own {
		k = max(proposals, 1) + 1
	}
	_, lift := p.heard(j, weight, k)
	return p.meanRates(int(j), exactly(lift)), true
}
