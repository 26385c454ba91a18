package consensus

// Hierarchical lets the highest rank with a vote other than an abstention decide, as [ConfidenceWeighted]
// does among the members of that rank only, and asks the next rank if that settles nothing. A proposal that
// a rank turns down cannot be chosen by a lower rank, whatever the rank says of other proposals: it is
// turned down if more of the rank's weight is against it than for it, and the share against it, at most 1, or
// the support for "none of these", reaches the threshold. If no rank settles anything, support is that of the
// highest rank that voted. Ranks come from [Options.Ranks]; the quorum counts voters of all ranks. A rank
// that has not voted yet does not hold up those below it: to wait for it, decide later.
type Hierarchical struct{}

// Name returns "hierarchical".
func (Hierarchical) Name() string { return "hierarchical" }

// Decide decides rank by rank.
func (s Hierarchical) Decide(b Ballots) Decision { return b.decideBy(s) }

func (Hierarchical) stand(bd *board) standing {
	st := bd.highest()
	st.unit = "%s of the weight in the rank that decides"
	return st
}

func (Hierarchical) settled(o *outlook, d *Decision) bool { return o.holdsByRank(d) }

// highest returns the standing in the highest rank that settles something, or else in the highest that voted.
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
		if c.against > c.favour && ratio(max(c.against, t.noneWeight), max(c.against, t.weight)) >= bd.terms.threshold {
			return true
		}
	}
	return false
}
