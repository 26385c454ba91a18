package consensus

import "slices"

// Left is what may still come to ballots: who may vote, how heavily, and how many proposals may be made.
// The zero value means that everyone in the electorate who has not voted may, with weight 1, and nobody
// proposes.
type Left struct {
	// Voters may still vote, or vote anew if they have. Nil: everyone in the electorate who has not voted;
	// empty, but not nil: nobody. Those outside the electorate do not count. When the electorate is not
	// known, nil says that anybody may come.
	Voters []string
	// Weights is the most that each may put in a vote, in [0,1]; 1 for those not in it, and never less
	// than what they have put in one before.
	Weights map[string]float64
	// Proposals is how many more may be made.
	Proposals int
}

// Missing returns the members of the electorate who have not voted, sorted; none when it is not known. A
// vote on an unknown proposal is none.
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

// reach is what those who are left can add to a tally.
type reach struct {
	voters          int32
	weight          int64
	favour, against int64 // evidence for a proposal at most, and against one; only when learned
}

// outlook is ballots split into the votes that stay and what may come.
type outlook struct {
	bd     *board
	given  Left
	total  tally
	levels []tally
	left   []reach // by level
	most   reach   // of all levels
	fresh  int     // proposals that may come
}

// outlook splits the ballots; ok is false when anybody may come.
func (b Ballots) outlook(left Left) (o *outlook, ok bool) {
	names := left.Voters
	if names == nil {
		if b.record().terms.electorate == nil {
			return nil, false
		}
		names = b.Missing()
	}
	r := b.record()
	o = &outlook{bd: &r.board, given: left, fresh: max(0, left.Proposals), left: make([]reach, max(1, len(r.terms.levels)))}
	k := len(r.proposals) + o.fresh
	o.total.counts = make([]count, k)
	if r.levels != nil {
		o.levels = make([]tally, len(r.levels))
		for i := range o.levels {
			o.levels[i].counts = make([]count, k)
		}
	}
	may := o.may(r, names)
	shown := o.stay(r, may)
	for name := range may {
		if r.terms.mayVote(name) {
			o.expect(name, max(shown[name], o.bound(left, name)))
		}
	}
	return o, true
}

// may returns who may still change something: a vote that waits for its proposal does when one comes.
func (o *outlook) may(r *record, names []string) map[string]struct{} {
	may := make(map[string]struct{}, len(names))
	for _, name := range names {
		may[name] = struct{}{}
	}
	if o.fresh > 0 {
		for _, u := range r.uncounted {
			if u.Cause == UnknownProposal {
				may[u.Voter] = struct{}{}
			}
		}
	}
	return may
}

// stay counts the votes of those who may not vote any more, and returns the largest weight that each of
// the others has shown.
func (o *outlook) stay(r *record, may map[string]struct{}) map[string]int64 {
	shown := map[string]int64{}
	for i := range r.voters {
		v := &r.voters[i]
		if _, open := may[r.name(v)]; open {
			for _, m := range r.marks[v.from:v.to] {
				shown[r.name(v)] = max(shown[r.name(v)], m.weight)
			}
			continue
		}
		v.countInto(&o.total, r.marks)
		if o.levels != nil {
			v.countInto(&o.levels[v.level], r.marks)
		}
	}
	o.total.voters = len(r.voters) // a vote can be changed, not taken back
	return shown
}

func (o *outlook) bound(left Left, name string) int64 {
	if w, ok := left.Weights[name]; ok {
		return fixed(inRange(w))
	}
	return billion
}

func (o *outlook) expect(name string, weight int64) {
	rate := o.bd.terms.rate(name, len(o.bd.from.proposals))
	w := float64(weight) / billion
	yes, no := fixed(w*rate.agree), fixed(w*rate.disagree)
	one := reach{1, weight, max(0, yes, no), min(0, yes, no)}
	o.most.add(one)
	o.left[o.bd.terms.level(name)].add(one)
}

func (x *reach) add(y reach) {
	x.voters += y.voters
	x.weight += y.weight
	x.favour += y.favour
	x.against += y.against
}

// act returns the tally with all who are left voting with all their weight: for the proposals that favour
// says, against the others.
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

// The ways to vote that go furthest: nothing that those who are left could do instead is worse for what
// they are against, or better for what they are for.
func all(int) bool                { return true }
func nothing(int) bool            { return false }
func only(p int) func(int) bool   { return func(q int) bool { return q == p } }
func allBut(p int) func(int) bool { return func(q int) bool { return q != p } }
