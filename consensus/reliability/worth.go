package reliability

import (
	"math"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability/internal/fit"
)

const (
	worthLeast  = 10  // decisions from which something is said
	worthSpread = 3.0 // of the interval, the greatest over the least, up to which it is
	worthParts  = 100 // decisions are left out in so many parts
	worthMost   = 64  // voters of whom answers are kept
)

// Worth returns how many independent voters those who spoke in the ballots are worth, by the errors that the ledger's
// known outcomes show or, while these cannot tell, by how often they agreed.
func (l *Ledger) Worth(b consensus.Ballots) consensus.Worth {
	m := l.configuration().model(b)
	var voters []string
	for who := range b.ByVoter() {
		if who.Name != "" {
			voters = append(voters, who.Name)
		}
	}
	slices.Sort(voters)
	return m.worth(voters)
}

// worth returns what voters, sorted by name, are worth.
func (m *Model) worth(voters []string) consensus.Worth {
	if w := m.worthBy(m.past.known, true, voters); !w.Unknown {
		return w
	}
	return m.worthBy(m.past.all, false, voters)
}

func (m *Model) worthBy(past []fit.Votes, errors bool, voters []string) consensus.Worth {
	w := consensus.Worth{Voters: len(voters), Errors: errors, Unknown: true}
	at := map[int32]int{}
	for i, name := range voters {
		if j, ok := m.voters[name]; ok {
			at[j] = i
		}
	}
	var all []answers
	for _, v := range past {
		if a := answersOf(v, at, errors); len(a.who) > 1 {
			all = append(all, a)
		}
	}
	if w.Of = len(all); w.Of < worthLeast || len(voters) < 2 {
		return w
	}
	extra := func(rho float64) float64 { return math.Log(max(0.05, 1+float64(len(voters)-1)*rho)) }
	parts := min(worthParts, len(all))
	rho, pairs, known := correlation(all, len(voters), -1, parts)
	if !known {
		return w
	}
	var each []float64
	mean := 0.0
	for k := range parts {
		if r, _, ok := correlation(all, len(voters), k, parts); ok {
			each = append(each, extra(r))
			mean += extra(r)
		}
	}
	mean /= float64(len(each))
	spread := 0.0
	for _, x := range each {
		spread += (x - mean) * (x - mean)
	}
	spread = 2.05 * math.Sqrt(spread*float64(len(each)-1)/float64(len(each)))
	n := float64(len(voters))
	number := func(x float64) float64 { return math.Round(1000*min(n, max(1, n/math.Exp(x)))) / 1000 }
	w.Number, w.Low, w.High = number(extra(rho)), number(extra(rho)+spread), number(extra(rho)-spread)
	if w.Unknown = w.High > worthSpread*w.Low; w.Unknown {
		w.Number, w.Low, w.High = 0, 0, 0
	}
	if x, y := closest(pairs, len(voters)); errors && x != y {
		w.Together = []string{voters[x], voters[y]}
	}
	return w
}

// answers are what voters answered in a decision.
type answers struct {
	who   []int
	said  []int32 // 1 for an error, where the outcome is known
	field int     // of how many; 0 for errors
}

func answersOf(v fit.Votes, at map[int32]int, errors bool) (a answers) {
	for i, j := range v.Voter {
		who, ok := at[j]
		if !ok {
			continue
		}
		said := v.Said[i]
		if errors {
			said = 0
			if v.Said[i] != v.Known {
				said = 1
			}
		}
		a.who, a.said = append(a.who, who), append(a.said, said)
	}
	if !errors {
		a.field = max(2, v.Field)
	}
	return a
}

// pair is how much two voters answer together, of how much they could at most, in so many decisions.
type pair struct{ together, most, of float64 }

// closest returns the two voters who answer together most, or the same one twice if nobody does by more than chance:
// three times the standard error.
func closest(pairs []pair, n int) (x, y int) {
	best := 0.0
	for i, p := range pairs {
		if rho := p.together / max(p.most, 1e-12); rho > best && rho*math.Sqrt(p.of) > 3 {
			best, x, y = rho, i%n, i/n
		}
	}
	return x, y
}

// correlation returns the mean correlation between two voters and that of each pair, without the decisions of a part, and
// false if nobody erred.
func correlation(all []answers, n, without, parts int) (rho float64, pairs []pair, known bool) {
	pairs = make([]pair, n*n)
	wrong, cast, used := make([]float64, n), make([]float64, n), 0.0
	for t, a := range all {
		if t%parts == without {
			continue
		}
		used++
		for i, who := range a.who {
			wrong[who] += float64(a.said[i])
			cast[who]++
		}
	}
	together, most := 0.0, 0.0
	for t, a := range all {
		if t%parts == without {
			continue
		}
		for i, x := range a.who {
			for k, y := range a.who[:i] {
				of := &pairs[min(x, y)+n*max(x, y)]
				of.of++
				if a.field > 0 {
					chance := 1 / float64(a.field)
					of.most += 1 - chance
					if of.together -= chance; a.said[i] == a.said[k] {
						of.together++
					}
					continue
				}
				p, q := wrong[x]/cast[x], wrong[y]/cast[y]
				of.together += (float64(a.said[i]) - p) * (float64(a.said[k]) - q) * used / (used - 1)
				of.most += math.Sqrt(p * (1 - p) * q * (1 - q))
			}
		}
	}
	for _, p := range pairs {
		together, most = together+p.together, most+p.most
	}
	return together / max(most, 1e-12), pairs, most > 0
}
