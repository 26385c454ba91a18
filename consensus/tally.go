package consensus

// Tally is the count of one proposal. Weights are exact to a billionth.
type Tally struct {
	ProposalID  string  `json:"proposalId"`
	Agree       int     `json:"agree"`       // voters who agree
	Disagree    int     `json:"disagree"`    // voters who disagree
	Abstain     int     `json:"abstain"`     // voters who abstain
	For         float64 `json:"for"`         // weight that agrees
	Against     float64 `json:"against"`     // weight that disagrees
	Probability float64 `json:"probability"` // of being right, as [Decision.Confidence] is defined
}

func (bd *board) tallies() []Tally {
	tallies := make([]Tally, len(bd.total.counts))
	for p, c := range bd.total.counts {
		tallies[p] = Tally{
			ProposalID: bd.from.proposals[p],
			Agree:      int(c.agree), Disagree: int(c.disagree), Abstain: int(c.abstain),
			For: float64(c.favour) / billion, Against: float64(c.against) / billion,
			Probability: bd.odds.of(bd.total.evidence(p, bd.learned())),
		}
	}
	return tallies
}

// count is a tally in integers.
type count struct {
	agree, disagree, abstain int32
	favour, against          int64 // billionths of a weight
	evidence                 int64 // billionths of a nat; only with learned reliabilities
}

// tally is everything the strategies read: a count per proposal, and the voters.
type tally struct {
	counts     []count
	voters     int   // with a vote on a known proposal
	spoke      int   // of those, with one that is not an abstention
	none       int   // of those, how many agree with no proposal
	weight     int64 // sum of each one's largest weight
	noneWeight int64 // the same for those who agree with none
}

// measure is the unit in which a strategy compares support and rejection.
type measure uint8

const (
	byVoters measure = iota
	byWeight
	byEvidence
)

// begin gives the proposals the evidence that they have before anybody has voted.
func (t *tally) begin(on *terms) {
	for p := range t.counts {
		t.counts[p].evidence = on.prior
	}
}

// sides returns what is for the proposal and what is against it. Evidence is a
// single number.
func (t *tally) sides(p int, m measure, learned bool) (favour, against int64) {
	c := &t.counts[p]
	switch m {
	case byVoters:
		return int64(c.agree), int64(c.disagree)
	case byWeight:
		return c.favour, c.against
	default:
		return t.evidence(p, learned), 0
	}
}

// evidence returns how much more is for the proposal than against it: learned
// log-odds, or weight.
func (t *tally) evidence(p int, learned bool) int64 {
	c := &t.counts[p]
	if learned {
		return c.evidence
	}
	return c.favour - c.against
}

// standing is a strategy's view of the proposals, from which [board.decide]
// makes the decision.
type standing struct {
	tally    *tally // its source
	measure  measure
	lead     int    // the first of the leaders, -1 if no one agrees with anything
	tied     int    // how many leaders there are
	score    int64  // what is for each of them
	unit     string // what support is a share of, as a format
	support  float64
	none     float64
	more     bool // more is for the leader than against it
	rejected bool // more is against each proposal than for it
}

// stand finds the leaders. Only proposals that someone agrees with can lead, so a proposal without
// votes never wins by default.
func (t *tally) stand(m measure, learned bool) standing {
	st := standing{tally: t, measure: m, lead: -1, rejected: len(t.counts) > 0}
	for p := range t.counts {
		favour, against := t.sides(p, m, learned)
		if against <= favour {
			st.rejected = false
		}
		switch {
		case t.counts[p].agree == 0:
		case st.lead < 0 || favour > st.score:
			st.lead, st.tied, st.score, st.more = p, 1, favour, favour > against
		case favour == st.score:
			st.tied++
		}
	}
	return st
}

// ratio returns part/whole, or 0 if whole is 0. It is the nearest float64 to the true quotient, so a
// share that equals the threshold meets it.
func ratio[T int | int64](part, whole T) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
