package consensus

// Hierarchical lets the highest rank decide in which somebody did not abstain, as [ConfidenceWeighted]
// does among its members alone, and asks the next rank when it settles nothing. What a rank turns down
// stays down, whatever it says of other proposals: where it weighs more against a proposal than for it, and
// what is against it, or the support for none of these, is a share of the rank's weight that reaches the
// threshold, no lower rank may choose it. When no rank settles anything, support is that of the highest which spoke. Ranks
// come from [Options.Ranks]; the quorum counts voters of all of them. A rank that has not voted yet does not
// hold up those below it: to wait for it, ask later.
type Hierarchical struct{}

// Name returns "hierarchical".
func (Hierarchical) Name() string { return "hierarchical" }

// Decide decides rank by rank.
func (s Hierarchical) Decide(b Ballots) (d Decision) {
	s.decide(b.board(), b.closed, &d)
	return d
}

func (s Hierarchical) decide(bd *board, closed bool, d *Decision) {
	st := bd.highest()
	bd.decide(s.Name(), &st, closed, d)
}

// highest returns the standing in the highest rank that settles something, or else in the highest that
// spoke.
func (bd *board) highest() standing {
	st := standing{lead: -1}
	for i := range max(1, len(bd.levels)) {
		here := bd.level(i).weigh()
		switch {
		case here.rejected && here.none >= bd.terms.threshold:
			return here
		case here.reaches(bd.terms.threshold) && !bd.turnedDown(here.lead, i):
			return here
		case st.tally == nil || st.tally.spoke == 0:
			st = here
		}
	}
	return st
}

// turnedDown reports whether a rank above the given one has turned the proposal down.
func (bd *board) turnedDown(p, below int) bool {
	for i := range below {
		t := bd.level(i)
		c := &t.counts[p]
		if c.against > c.favour && ratio(max(c.against, t.noneWeight), t.weight) >= bd.terms.threshold {
			return true
		}
	}
	return false
}
