package consensus

import "slices"

// Left describes the votes and proposals that may still be added to ballots: the voters, their weights, and
// the number of proposals. The zero value means that all members of the electorate who have not voted may vote
// with weight 1, and that there are no more proposals.
type Left struct {
	// Voters are those who may still vote, or vote again. Nil means all members of the electorate who have not
	// voted, or anyone if the electorate is not known; empty but not nil means no one. Voters outside the
	// electorate are ignored.
	Voters []string
	// Weights is the maximum weight of each voter's future votes, in [0,1]; 1 for voters not in it,
	// and never less than the weight of one of their votes so far.
	Weights map[string]float64
	// Proposals is how many more proposals may be made.
	Proposals int
}

// Missing returns the members of the electorate who have not voted, sorted; none if the electorate is
// not known. A vote on an unknown proposal does not count as voting.
func (b Ballots) Missing() []string {
	r := b.record()
	voted := make(map[string]bool, len(r.voters))
	for i := range r.voters {
		voted[r.name(&r.voters[i])] = true
	}
	var missing []string
	for name := range r.terms.electorate {
		if !voted[name] {
			missing = append(missing, name)
		}
	}
	slices.Sort(missing)
	return missing
}

func (r *record) name(v *voter) string { return r.entries[r.marks[v.from].entry].Voter }

// reach is the most that the remaining voters can add to a tally.
type reach struct {
	voters          int32
	weight          int64
	favour, against int64 // the most evidence for a proposal, and against one; only if learned
}

// outlook is ballots split into the votes that stay and what may still come.
type outlook struct {
	bd     *board
	given  Left
	total  tally
	levels []tally
	left   []reach // by level
	most   reach   // of all levels
	fresh  int     // proposals that may come
}

// outlook splits the ballots; ok is false if anyone may vote.
func (b Ballots) outlook(left Left) (o *outlook, ok bool) {
	r := b.record()
	if left.Voters == nil && r.terms.electorate == nil {
		return nil, false
	}
	o = &outlook{bd: &r.board, given: left, fresh: max(0, left.Proposals), left: make([]reach, max(1, len(r.terms.levels)))}
	k := len(r.proposals) + o.fresh
	o.total.counts = make([]count, k)
	if r.levels != nil {
		o.levels = make([]tally, len(r.levels))
		for i := range o.levels {
			o.levels[i].counts = make([]count, k)
		}
	}
	may := b.may(left)
	shown := o.stay(r, may)
	for name := range may {
		o.expect(name, max(shown[name], left.weight(name)))
	}
	return o, true
}

// may returns the voters who may still change something, including those with a
// vote on a proposal that has not been made yet.
func (b Ballots) may(left Left) map[string]struct{} {
	r, names := b.record(), left.Voters
	if names == nil {
		names = b.Missing()
	}
	may := make(map[string]struct{}, len(names))
	for _, name := range names {
		if r.terms.mayVote(name) {
			may[name] = struct{}{}
		}
	}
	if left.Proposals > 0 {
		for _, u := range r.uncounted {
			if u.Cause == UnknownProposal {
				may[u.Voter] = struct{}{}
			}
		}
	}
	return may
}

// stay counts the votes of those who may not vote any more, and returns the largest weight so far of
// each of the others.
func (o *outlook) stay(r *record, may map[string]struct{}) map[string]int64 {
	shown := map[string]int64{}
	for i := range r.voters {
		v := &r.voters[i]
		if _, open := may[r.name(v)]; open {
			for _, m := range r.marks[v.from:v.to] {
				shown[r.name(v)] = max(shown[r.name(v)], fixed(r.entries[m.entry].Weight))
			}
			continue
		}
		v.countInto(&o.total, r.marks)
		if o.levels != nil {
			v.countInto(&o.levels[v.level], r.marks)
		}
	}
	o.total.voters = len(r.voters) // a vote can be changed, but not withdrawn
	return shown
}

// weight is the greatest weight of a voter's future votes.
func (l *Left) weight(name string) int64 {
	if w, ok := l.Weights[name]; ok {
		return fixed(inRange(w))
	}
	return billion
}

func (o *outlook) expect(name string, weight int64) {
	rate := o.bd.terms.rate(name, len(o.bd.from.proposals))
	w := float64(weight) / billion * rate.share
	yes, no := fixed(w*rate.agree), fixed(w*rate.disagree)
	one := reach{1, fixed(w), max(0, yes, no), min(0, yes, no)}
	o.most.add(one)
	o.left[o.bd.terms.level(name)].add(one)
}

func (x *reach) add(y reach) {
	x.voters += y.voters
	x.weight += y.weight
	x.favour += y.favour
	x.against += y.against
}

// act returns the tally after all remaining voters have voted with full weight: for the proposals that
// favour selects, against the others.
func (t *tally) act(x reach, favour func(p int) bool) tally {
	u := *t
	u.counts = slices.Clone(t.counts)
	if x.voters == 0 {
		return u
	}
	agrees := false
	for p := range u.counts {
		c := &u.counts[p]
		if favour(p) {
			agrees = true
			c.agree += x.voters
			c.favour += x.weight
			c.evidence += x.favour
		} else {
			c.disagree += x.voters
			c.against += x.weight
			c.evidence += x.against
		}
	}
	u.spoke += int(x.voters)
	u.weight += x.weight
	if !agrees {
		u.none += int(x.voters)
		u.noneWeight += x.weight
	}
	return u
}

// The extreme ways to vote: nothing else that the remaining voters could do is worse for the proposals
// they are against, or better for those they are for.
func all(int) bool                { return true }
func nothing(int) bool            { return false }
func only(p int) func(int) bool   { return func(q int) bool { return q == p } }
func allBut(p int) func(int) bool { return func(q int) bool { return q != p } }
