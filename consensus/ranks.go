package consensus

// holdsByRank goes down the ranks. In each, the remaining voters either cannot prevent its decision, and
// then nothing below matters; or they can make it decide differently; or they can only keep it from
// deciding, and the next rank decides.
func (o *outlook) holdsByRank(d *Decision) bool {
	choice := o.place(d)
	bd := o.board(o.total)
	bd.levels = nil
	for i := range o.left {
		t := &o.total
		if o.levels != nil {
			t = &o.levels[i]
		}
		bd.levels = append(bd.levels, *t)
		if bd.diverts(i, t, o.left[i], choice) {
			return false
		}
		favour := all
		if choice >= 0 {
			favour = allBut(choice)
		}
		bd.levels[i] = t.act(o.left[i], favour)
		if bd.insists(i, choice) {
			return true
		}
	}
	return false
}

// diverts reports whether a rank can be made to settle something else: to reach another proposal, to turn
// down the choice, or to leave its decision uncertified. The ranks above are in their worst case.
func (bd *board) diverts(i int, t *tally, x reach, choice int) bool {
	for p := range t.counts {
		bd.levels[i] = t.act(x, only(p))
		if st := bd.levels[i].weigh(); p != choice && st.lead == p && st.reaches(bd.terms.threshold) && !bd.turnedDown(p, i) {
			return true
		}
	}
	return choice >= 0 && bd.mayTurnDown(choice, i, t, x) || bd.dubious(t, x, choice)
}

// mayTurnDown reports whether a rank can be made to turn the choice down: nothing is worse for it than that
// all agree with no proposal.
func (bd *board) mayTurnDown(choice, i int, t *tally, x reach) bool {
	bd.levels[i] = t.act(x, nothing)
	return bd.turnedDown(choice, i+1)
}

// dubious reports whether the evidence can be made to fit the choice and its
// opposite equally well.
func (bd *board) dubious(t *tally, x reach, choice int) bool {
	switch {
	case !bd.learned():
		return false
	case choice >= 0:
		return t.counts[choice].evidence+x.against <= doubt
	}
	for p := range t.counts {
		if t.counts[p].evidence+x.favour >= -doubt {
			return true
		}
	}
	return false
}

// insists reports whether a rank still decides for the choice, or for
// rejection.
func (bd *board) insists(i, choice int) bool {
	st := bd.levels[i].weigh()
	if choice < 0 {
		return st.rejected && st.none >= bd.terms.threshold
	}
	return st.lead == choice && st.reaches(bd.terms.threshold) && !bd.turnedDown(choice, i)
}
