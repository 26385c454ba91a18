package memory

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Query says what to recall.
type Query struct {
	Text        string    // to which the facts should be close in meaning; required
	Categories  []string  // of these only; nil: of all
	Since       time.Time // stated last at this time or later; zero: at any time
	Until       time.Time // stated last at this time or earlier; zero: at any time
	Quarantined bool      // quarantined facts too
	Most        int       // number of facts; 0: 8, at most 256
	Bytes       int       // of their contents together; 0: 8 KiB
}

const (
	defaultMost  = 8
	mostRecalled = 256
	defaultBytes = 8 << 10
)

func (q *Query) validate() error {
	if err := (signals.Limits{}).Required("text", q.Text); err != nil {
		return err
	}
	if err := signals.AtLeastZero("most", float64(q.Most)); err != nil {
		return err
	}
	return signals.AtLeastZero("bytes", float64(q.Bytes))
}

// candidates returns how many of the nearest facts are ranked.
func (q *Query) candidates() int { return min(mostRecalled, max(64, 4*cmp.Or(q.Most, defaultMost))) }

// A Found is a recalled fact.
type Found struct {
	Fact               // with the statements that have not expired
	Similarity float64 // of the meaning: the cosine, in [-1,1]
	Score      float64 // by which it was ranked, in [0,1]
}

// halfLife is the age at which half of a fact's advantage of being new is left.
const halfLife = 30 * 24 * time.Hour

// score returns how good a fact is for a query at a time. Meaning counts most: what it
// multiplies lies between a half, for an unimportant, old and quarantined fact, and 1.
func score(f *Fact, similarity float64, now time.Time) float64 {
	age := max(0, now.Sub(f.Time()))
	recent := math.Exp2(-age.Hours() / halfLife.Hours())
	sure := 0.0
	if f.State() == Confirmed {
		sure = 1
	}
	return max(0, similarity) * (3 + f.Importance() + recent + sure) / 6
}

// rank returns the best of the nearest facts that fit into the query's number and bytes,
// best first. A fact that does not fit is left out, and smaller ones after it are not.
func rank(near []Near, q *Query, now time.Time) (best []Found) {
	all := make([]Found, 0, len(near))
	for _, n := range near {
		n.Fact = n.at(now)
		if n.State() != Confirmed && !q.Quarantined {
			continue // a statement that confirmed it has expired
		}
		if s := score(&n.Fact, n.Similarity, now); s > 0 {
			all = append(all, Found{n.Fact, n.Similarity, s})
		}
	}
	slices.SortFunc(all, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.ID, b.ID))
	})
	left := cmp.Or(q.Bytes, defaultBytes)
	for _, f := range all {
		if len(best) < min(mostRecalled, cmp.Or(q.Most, defaultMost)) && len(f.Content) <= left {
			best, left = append(best, f), left-len(f.Content)
		}
	}
	return best
}
