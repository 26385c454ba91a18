package consensus

import (
	"cmp"
	"fmt"
	"slices"
)

// Ranking is an order of candidates in tiers, best first; those in one tier are tied.
type Ranking [][]string

// Top returns the candidate in the first tier, or "" if it does not have
// exactly one.
func (r Ranking) Top() string {
	if len(r) == 0 || len(r[0]) != 1 {
		return ""
	}
	return r[0][0]
}

// Reversed returns the order from worst to best.
func (r Ranking) Reversed() Ranking {
	s := slices.Clone(r)
	slices.Reverse(s)
	return s
}

// Profile holds several voters' rankings of the same candidates as a matrix of pairwise preferences, which
// is all that [Profile.Borda], [Profile.Schulze] and [Profile.Kemeny] read. It is immutable. Each of the
// three rules gives up a desirable property, and all can at times be manipulated by voters who do not
// state their true preferences (Gibbard, 1973; Satterthwaite, 1975):
//
//	rule     chooses the       withstands   grows with     what it gives up
//	         Condorcet winner  clones
//	Borda    no, but never     no           candidates²    a majority's first choice may lose
//	         the loser
//	Schulze  yes               yes          candidates³    joined electorates may choose what neither chose
//	Kemeny   yes               no           2^candidates   size: at most [KemenyMost] candidates
//
// All three are anonymous and neutral, keep a unanimous preference, and never harm a sole winner that one
// voter raises.
type Profile struct {
	candidates []string
	over       []int32 // over[a*n+b] voters prefer a to b
	voters     int
}

// NewProfile counts rankings of the candidates. Candidates that a ranking leaves out are tied below all
// that it names. A ranking with an unknown or repeated candidate is refused with a wrapped [*FieldError],
// and so are candidates that are empty or repeated.
func NewProfile(candidates []string, rankings ...Ranking) (*Profile, error) {
	n := len(candidates)
	p := &Profile{candidates: slices.Clone(candidates), over: make([]int32, n*n), voters: len(rankings)}
	known := make(map[string]int32, n)
	for i, name := range candidates {
		if _, twice := known[name]; twice || name == "" {
			return nil, fmt.Errorf("consensus: profile: %w", &FieldError{"candidate", name, "a name of its own"})
		}
		known[name] = int32(i)
	}
	tier := make([]int, n)
	for i, r := range rankings {
		if err := r.place(known, tier); err != nil {
			return nil, fmt.Errorf("consensus: ranking %d: %w", i, err)
		}
		p.count(tier)
	}
	return p, nil
}

// place stores the tier of each candidate.
func (r Ranking) place(known map[string]int32, tier []int) error {
	for c := range tier {
		tier[c] = len(r)
	}
	for i, tied := range r {
		for _, name := range tied {
			c, ok := known[name]
			if !ok || tier[c] < len(r) {
				return &FieldError{"candidate", name, "a known candidate, once"}
			}
			tier[c] = i
		}
	}
	return nil
}

func (p *Profile) count(tier []int) {
	n := len(tier)
	for a := range tier {
		for b := range tier {
			if tier[a] < tier[b] {
				p.over[a*n+b]++
			}
		}
	}
}

// Candidates returns the candidates as they were given. The slice is the caller's.
func (p *Profile) Candidates() []string { return slices.Clone(p.candidates) }

// Voters returns how many rankings there are.
func (p *Profile) Voters() int { return p.voters }

// Prefer returns how many voters prefer a to b, 0 if either is unknown.
func (p *Profile) Prefer(a, b string) int {
	i, j := slices.Index(p.candidates, a), slices.Index(p.candidates, b)
	if i < 0 || j < 0 {
		return 0
	}
	return int(p.over[i*len(p.candidates)+j])
}

// margin returns how many more voters prefer a to b than b to a.
func (p *Profile) margin(a, b int) int32 {
	n := len(p.candidates)
	return p.over[a*n+b] - p.over[b*n+a]
}

// Condorcet returns the candidate that a majority prefers to each other one (Condorcet, 1785), or ""
// if there is none: majorities may be cyclic.
func (p *Profile) Condorcet() string {
	for a, name := range p.candidates {
		beaten := false
		for b := range p.candidates {
			beaten = beaten || a != b && p.margin(a, b) <= 0
		}
		if !beaten {
			return name
		}
	}
	return ""
}

// tiers orders candidates by a score, greatest first, names sorted within a tier.
func (p *Profile) tiers(score []int64) Ranking {
	order := make([]int, len(score))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	var r Ranking
	for i, c := range order {
		if i == 0 || score[c] != score[order[i-1]] {
			r = append(r, nil)
		}
		last := len(r) - 1
		r[last] = append(r[last], p.candidates[c])
	}
	for _, tied := range r {
		slices.Sort(tied)
	}
	return r
}
