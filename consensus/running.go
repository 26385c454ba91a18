package consensus

// sums are what one voter adds to a tally besides its votes.
type sums struct {
	cast    int32 // votes on known proposals
	spoke   int32 // of those, no abstentions
	agrees  int32 // of those, for the proposal
	largest int64 // weight among those that are no abstentions
}

// add counts a vote in, or out for a negative sign. Counting out leaves largest to the caller.
func (s *sums) add(m *mark, sign int32) {
	if m.stance == 0 {
		return
	}
	s.cast += sign
	if m.stance == Abstain {
		return
	}
	s.spoke += sign
	if m.stance == Agree {
		s.agrees += sign
	}
	if sign > 0 {
		s.largest = max(s.largest, m.weight)
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
	t.weight += int64(sign) * s.largest
	if s.agrees == 0 {
		t.none += sign
		t.noneWeight += int64(sign) * s.largest
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
	if old.weight == before.largest && now.weight < old.weight || now.stance == Abstain {
		p.largest = r.largest(p)
	}
	r.stale = true
	r.board.total.change(now.proposal, &old, &now, &before, &p.sums)
	if r.board.levels != nil {
		r.board.levels[p.level].change(now.proposal, &old, &now, &before, &p.sums)
	}
}

// largest looks through a voter's own votes.
func (r *Round) largest(p *person) int64 {
	var w int64
	for i := p.newest; i >= 0; i = r.votes[i].older {
		if c := &r.votes[i]; c.proposal >= 0 && (c.stance == Agree || c.stance == Disagree) {
			w = max(w, c.weight)
		}
	}
	return w
}
