package consensus

// defaultWithin is the value of a zero [Grouped.Within].
const defaultWithin = 0.5

// Grouped pools log-odds within each group of [Options.Groups] and then across groups, so that many voters
// with one source of error do not outvote a few with several. A group contributes its evidence, not its
// winner: passing on winners would lose what the minority of each group knows.
//
// Within a group, the evidence for a proposal, computed as in [Bayesian], is divided by the design
// effect of the members who voted on it without abstaining, 1 + Within·max(0, w−1) for their weight w
// (Kish, 1965): a group counts for at most 1/Within independent voters. Across groups, the sums are
// divided by the design effect for groups of unequal size, 1 + ρ·(m − max(1, Σg²/m)), where g is each
// group's weight, divided in the same way, and m their sum (Kish, 1965, for two stages). The support of
// a proposal is its share of the softmax over the proposals and "none of these", which has evidence 0.
//
// A voter without a group is a group of its own, and without any groups the decision is that of Bayesian.
// The rules of every strategy hold with evidence divided in this way in place of numbers of voters: a few
// voters of several groups may outvote many of one, as intended. Deciding takes a pass over the votes, in a
// [Round] too. [Decision.Confidence] is the same as with all other strategies and ignores groups;
// [Decision.Support] takes them into account.
type Grouped struct {
	// Within is the correlation of errors of two voters of the same group, in (0,1]; 0 means 0.5.
	// Values below [Options.Correlation] are raised to it, values above 1 lowered to 1.
	Within float64
}

// Name returns "grouped".
func (Grouped) Name() string { return "grouped" }

// Decide decides by pooled log-odds.
func (s Grouped) Decide(b Ballots) (d Decision) {
	bd := b.board()
	pooled, discount := s.pool(b.record())
	odds := pooled.newPosterior(discount)
	st := pooled.stand(byEvidence)
	st.unit = "a probability of %s"
	if st.lead >= 0 {
		st.support = odds.of(st.score)
	}
	st.none = odds.of(0)
	leaders := pooled.leaders(&st)
	st.tally = &bd.total // doubt does not depend on groups
	bd.conclude(s.Name(), &st, leaders, b.closed, &d)
	return d
}

// within returns the correlation to use.
func (s Grouped) within(rho float64) float64 {
	if !(s.Within > 0) {
		return max(rho, defaultWithin)
	}
	return min(1, max(rho, s.Within))
}

// part is one group's evidence on one proposal.
type part struct {
	weight   int64 // of those who speak on it
	evidence int64
}

// group is the sum over a group's voters.
type group struct {
	weight int64
	parts  []part
}

// pool returns a board with each group as one voter, and the discount across
// groups.
func (s Grouped) pool(r *record) (pooled *board, discount float64) {
	pooled = &board{terms: r.terms, from: r.from, total: r.total}
	pooled.total.counts = make([]count, len(r.total.counts))
	for p := range pooled.total.counts {
		pooled.total.counts[p].agree = r.total.counts[p].agree
	}
	x := pooling{board: pooled, rho: s.within(r.terms.rho)}
	for _, g := range x.groups(r) {
		x.count(divide(g.weight, g.weight, x.rho))
		for p, part := range g.parts {
			pooled.total.counts[p].addEvidence(divide(part.evidence, part.weight, x.rho))
		}
	}
	m, squares := float64(x.sum)/billion, float64(x.squares)/billion
	if m <= 1 {
		return pooled, 1
	}
	return pooled, 1 / (1 + r.terms.rho*max(0, m-max(1, squares/m)))
}

// pooling holds the sums across groups.
type pooling struct {
	*board
	rho          float64
	sum, squares int64 // of the groups' weights
}

func (x *pooling) count(weight int64) {
	x.sum += weight
	x.squares += fixed(float64(weight) / billion * (float64(weight) / billion))
}

// groups sums up each group; a voter without one is added directly.
func (x *pooling) groups(r *record) map[string]*group {
	groups := map[string]*group{}
	for i := range r.voters {
		v := &r.voters[i]
		marks := r.marks[v.from:v.to]
		name, ok := r.terms.groups[r.name(v)]
		if !ok {
			x.count(weigh(marks))
			for i := range marks {
				x.total.counts[marks[i].proposal].addEvidence(marks[i].netEvidence(r.terms.learned != nil))
			}
			continue
		}
		g := groups[name]
		if g == nil {
			g = &group{parts: make([]part, len(r.proposals))}
			groups[name] = g
		}
		g.add(marks, r.terms.learned != nil)
	}
	return groups
}

func (g *group) add(marks []mark, learned bool) {
	g.weight += weigh(marks)
	for i := range marks {
		if m := &marks[i]; m.stance != Abstain {
			g.parts[m.proposal].weight += m.weight
			g.parts[m.proposal].evidence += m.netEvidence(learned)
		}
	}
}

// netEvidence returns a vote's evidence, in the unit of the board.
func (m *mark) netEvidence(learned bool) int64 {
	switch {
	case learned:
		return m.evidence
	case m.stance == Agree:
		return m.weight
	case m.stance == Disagree:
		return -m.weight
	default:
		return 0
	}
}

// weigh returns what a voter weighs.
func weigh(marks []mark) int64 {
	var top claim
	for i := range marks {
		top = max(top, marks[i].claim())
	}
	return top.weight()
}

// addEvidence adds evidence in both of the forms in which a board reads it.
func (c *count) addEvidence(evidence int64) {
	c.evidence += evidence
	c.favour += max(0, evidence)
	c.against -= min(0, evidence)
}

// divide divides a sum by the design effect of a weight.
func divide(sum, weight int64, rho float64) int64 {
	return fixed(float64(sum) / billion / (1 + rho*max(0, float64(weight)/billion-1)))
}
