package consensus

type record struct {
	terms     *terms
	proposals []string
	voters    []struct{}
	uncounted []Uncounted
}

var emptyRecord = &record{terms: defaultTerms}

func newRecord(t *terms, proposals []string, entries []entry) *record { return emptyRecord }

func (r *record) counted() []Vote  { return nil }
func (r *record) tallies() []Tally { return nil }

type source struct{}

func (source) ballots() Ballots { return Ballots{} }
