package consensus

// replace puts a mark in the place of a cell's old one and brings the tallies up to date.
func (r *Round) replace(c *cell, now mark) {
	old := c.mark
	c.mark = now
	p := &r.persons[c.person]
	if p.outsider || now.proposal < 0 {
		return
	}
	before := p.sums
	p.add(&old, -1)
	p.add(&now, 1)
	switch {
	case p.claims != nil:
		p.top = p.claims.set(c.nth, now.claim())
	case old.claim() == before.top && now.claim() < before.top:
		p.top = r.weigh(p)
	}
	r.stale = true
	r.board.total.change(now.proposal, &old, &now, &before, &p.sums)
	if r.board.levels != nil {
		r.board.levels[p.level].change(now.proposal, &old, &now, &before, &p.sums)
	}
}

// weigh begins to keep a voter's claims in a tree, so that lowering n of them one after the other costs n
// log n, not n². It returns the greatest.
func (r *Round) weigh(p *person) (top claim) {
	if only := &r.votes[p.newest]; only.older < 0 {
		return only.claim()
	}
	p.claims = new(peak)
	for i := p.newest; i >= 0; i = r.votes[i].older {
		if c := &r.votes[i]; c.proposal >= 0 {
			top = p.claims.set(c.nth, c.claim())
		}
	}
	return top
}

// peak is a tournament tree of claims: entry i is the greater of entries 2i and 2i+1, and the second half
// of the entries are the claims.
type peak []claim

// set changes a claim, initially 0, and returns the greatest.
func (t *peak) set(i int32, x claim) claim {
	for int(i) >= len(*t)/2 {
		t.grow()
	}
	at := len(*t)/2 + int(i)
	for ; at > 1; at /= 2 {
		(*t)[at] = x
		x = max(x, (*t)[at^1])
	}
	(*t)[1] = x
	return x
}

func (t *peak) grow() {
	old := *t
	*t = make(peak, max(2, 2*len(old)))
	for i, x := range old[len(old)/2:] {
		t.set(int32(i), x)
	}
}
