package consensus

// board holds the counts that the built-in strategies read: ballots have one, a
// [Round] keeps its own up to date.
type board struct {
	terms  *terms
	total  tally
	levels []tally   // by rank, highest first; nil when there is only one
	odds   posterior // of total
	from   source
}

// source is where a decision's details come from: a record, or the log of a
// round up to then.
type source struct {
	rec       *record
	terms     *terms
	proposals []string
	log       []entry
	closed    bool
}

func (s *source) record() *record {
	switch {
	case s.rec != nil:
		return s.rec
	case s.terms == nil:
		return emptyRecord
	default:
		return newRecord(s.terms, s.proposals, indexOf(s.proposals), s.log)
	}
}

func (s *source) ballots() Ballots { return Ballots{rec: s.record(), closed: s.closed} }

func (b Ballots) board() *board {
	if b.early != nil {
		return &b.early.board
	}
	return &b.record().board
}

func (bd *board) learned() bool { return bd.terms.learned != nil }

// level returns the tally of one rank, 0 being the highest.
func (bd *board) level(i int) *tally {
	if bd.levels == nil {
		return &bd.total
	}
	return &bd.levels[i]
}
