package consensus

// Hierarchical lets the highest rank with a vote other than an abstention decide, as [ConfidenceWeighted]
// does among the members of that rank only, and asks the next rank if that settles nothing. A proposal that
// a rank turns down cannot be chosen by a lower rank, whatever the rank says of other proposals: it is
// turned down if more of the rank's weight is against it than for it, and of what is for or against it, the
// part against reaches the threshold; those who agree with no proposal are at least as much against it. With learned reliabilities, a rank settles nothing
// if its votes fit what it would settle no better than the opposite. If no rank settles anything, support is
// that of the highest rank whose votes would settle something but for that, or else of the highest that voted.
// Ranks come from [Options.Ranks]; the quorum counts voters of all ranks. A rank that has not voted yet does
// not hold up those below it: to wait for it, decide later.
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

// highest returns the standing in the highest rank that settles something, or else in the highest that would
// if its votes did not fit the opposite as well, or else in the highest that voted.
func (bd *board) highest() standing {
	st, doubted := standing{lead: -1}, standing{}
	for i := range max(1, len(bd.levels)) {
		here := bd.level(i).weigh()
		rejects := here.rejected && here.none >= bd.terms.threshold
		reaches := here.reaches(bd.terms.threshold) && !bd.turnedDown(here.lead, i)
		switch {
		case (rejects || reaches) && (!bd.learned() || !alike(&here, reaches, rejects, false)):
			return here
		case (rejects || reaches) && doubted.tally == nil:
			doubted = here
		case st.tally == nil || st.tally.spoke == 0:
			st = here
		}
	}
	if doubted.tally != nil {
		return doubted
	}
	return st
}

// turnedDown reports whether a rank above the given one has turned the proposal down.
func (bd *board) turnedDown(p, below int) bool {
	for i := range below {
		t := bd.level(i)
		c := &t.counts[p]
		if against := max(c.against, t.noneWeight); c.against > c.favour && ratio(against, against+c.favour) >= bd.terms.threshold {
			return true
		}
	}
	return false
}
