package consensus

// Hierarchical lets the highest rank decide in which somebody did not abstain, as [ConfidenceWeighted]
// does among its members alone, and asks the next rank when it settles nothing. When no rank settles
// anything, support is that of the highest which spoke. Ranks come from [Options.Ranks]. The quorum
// counts voters of all ranks.
type Hierarchical struct{}

// Name returns "hierarchical".
func (Hierarchical) Name() string { return "hierarchical" }

// Decide decides rank by rank.
func (s Hierarchical) Decide(b Ballots) Decision {
	var scratch [small]count
	bd := b.board(&scratch)
	return s.decide(&bd)
}

func (s Hierarchical) decide(bd *board) Decision {
	st := bd.highest()
	return bd.decide(s.Name(), &st)
}

// highest returns the standing in the highest rank that settles something, or else in the highest that
// spoke.
func (bd *board) highest() standing {
	st := standing{lead: -1}
	for i := range max(1, len(bd.terms.levels)) {
		t := bd.level(i)
		if t.spoke == 0 && st.tally != nil {
			continue
		}
		here := t.weigh()
		if here.reaches(bd.terms.threshold) || here.rejected && here.none >= bd.terms.threshold {
			return here
		}
		if st.tally == nil || st.tally.spoke == 0 {
			st = here
		}
	}
	return st
}
