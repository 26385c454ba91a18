package reliability

import (
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Model is a snapshot of what a [Book] has learned. It is never modified, so any number of goroutines may use it at
// once. As [consensus.Options.Reliabilities] it tells the strategies of package consensus how reliable each voter is
// individually; a [Strategy] uses everything the model knows.
type Model struct {
	kind        kind
	voters      map[string]int32
	params      *parameters // with one voter more than voters: the newcomer
	certificate Certificate
}

// stranger is the model of a [Strategy] that has none: every voter is a newcomer.
var stranger = new(Book).Model()

// Voters returns the names of the voters the model knows, sorted.
func (m *Model) Voters() []string { return slices.Sorted(maps.Keys(m.voters)) }

// Certificate reports how well the votes that were learned from distinguish their consensus from a rival one.
func (m *Model) Certificate() Certificate { return m.certificate }

// Correlation returns the correlation of two voters' errors, in [0,1). One minus the correlation is the share of a
// second opinion that is new information. For a voter the model does not know, it is the mean over all voters; for a
// voter and itself, and for voters who count as one since they copy each other or follow a source, it is 0.98.
func (m *Model) Correlation(a, b string) float64 {
	if a == b {
		return closest
	}
	return m.params.Corr.between(m.voter(a), m.voter(b))
}

// voter returns the index of the named voter, or that of the newcomer for a name the model does not know.
func (m *Model) voter(name string) int32 {
	j, _ := m.known(name)
	return j
}

// known is like voter, and also reports whether the model knows the name.
func (m *Model) known(name string) (j int32, ok bool) {
	if j, ok = m.voters[name]; !ok {
		j = int32(m.params.Voters - 1)
	}
	return j, ok
}

// Reliability returns how often the voter is right at its usual confidence, among that many proposals, and false for a
// voter the model does not know. Where decisions have their own proposals, a wrong vote is equally likely for each of
// the others; with shared choices, the rates are means over the choices. A voter who names the same choice whatever the
// question is right by chance.
func (m *Model) Reliability(voter string, proposals int) (consensus.Reliability, bool) {
	j, ok := m.voters[voter]
	if !ok {
		return consensus.Reliability{}, false
	}
	p := m.params
	if m.kind.stances {
		usual := p.usual(int(j), p.alike())
		return consensus.Reliability{Sensitivity: p.meanRate(2*int(j), usual), Specificity: p.meanRate(2*int(j)+1, usual)}, true
	}
	k := p.Choices
	if p.Own {
		k = max(proposals, 1) + 1
	}
	right := p.held(j, k)
	return consensus.Reliability{Sensitivity: right, Specificity: 1 - (1-right)/float64(k-1)}, true
}

// Calibrated returns how often the voter is right when it states this weight, in (0,1], among that many proposals: what
// its "0.8" means. A voter the model does not know is taken to mean what the others mean on average, but is never
// rated above a newcomer of the usual confidence, and one who names the same choice whatever the question is right by
// chance. Calibrated returns false for a weight of 0, which carries no evidence, and as long as weights are not
// calibrated because at most half of the voters learned from have stated less than 1; until then a weight scales the
// evidence of its vote.
func (m *Model) Calibrated(voter string, weight float64, proposals int) (right float64, ok bool) {
	p := m.params
	if p.Stated == nil || !(weight > 0) {
		return 0, false
	}
	j, k := m.voter(voter), p.Choices
	if p.Own {
		k = max(proposals, 1) + 1
	}
	if p.constant(j) >= 0 {
		return p.held(j, k), true
	}
	_, lift := p.heard(j, weight, k)
	return p.meanRates(int(j), exactly(lift)), true
}
