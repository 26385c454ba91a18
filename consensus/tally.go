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
	weight     int64 // sum of what each one weighs
	noneWeight int64 // the same for those who agree with none
}

// sides returns the weight or evidence for the proposal and against it. Evidence is a
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

// sums are what one voter adds to a tally in addition to its votes.
type sums struct {
	cast  int32 // votes on known proposals
	spoke int32 // of those, without abstentions
	top   claim // the greatest
}

// claim is the weight of a vote that is not an abstention, plus agreeing if it agrees: a voter weighs what its
// greatest claim does, so rejecting rivals loudly does not lower the support of what it agrees with.
type claim int64

// agreeing is above every weight.
const agreeing claim = 1 << 32

func (m *mark) claim() claim {
	switch m.stance {
	case Agree:
		return agreeing + claim(m.weight)
	case Disagree:
		return claim(m.weight)
	default:
		return 0
	}
}

func (c claim) agrees() bool { return c >= agreeing }

func (c claim) weight() int64 { return int64(c % agreeing) }

// add counts a vote in, or out for a negative sign. Counting out leaves top to the caller.
func (s *sums) add(m *mark, sign int32) {
	if m.stance == 0 {
		return
	}
	s.cast += sign
	if m.stance == Abstain {
		return
	}
	s.spoke += sign
	if sign > 0 {
		s.top = max(s.top, m.claim())
	}
}

// add counts a voter's sums in or out.
func (t *tally) add(s *sums, sign int) {
	if s.cast > 0 {
		t.voters += sign
	}
	if s.spoke == 0 {
		return
	}
	t.spoke += sign
	weight := int64(sign) * s.top.weight()
	t.weight += weight
	if !s.top.agrees() {
		t.none += sign
		t.noneWeight += weight
	}
}

// add counts a vote in or out.
func (c *count) add(m *mark, sign int32) {
	switch m.stance {
	case Agree:
		c.agree += sign
		c.favour += int64(sign) * m.weight
	case Disagree:
		c.disagree += sign
		c.against += int64(sign) * m.weight
	case Abstain:
		c.abstain += sign
	}
	c.evidence += int64(sign) * m.evidence
}

func (t *tally) reset() {
	clear(t.counts)
	*t = tally{counts: t.counts}
}

// change replaces one vote on a proposal, and its voter's sums, by another.
func (t *tally) change(p int32, old, now *mark, before, after *sums) {
	t.counts[p].add(old, -1)
	t.counts[p].add(now, 1)
	t.add(before, -1)
	t.add(after, 1)
}
