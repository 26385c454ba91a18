package reliability

import (
	"math"
	"slices"
)

// A Trust is how far a ledger trusts a voter, and what that rests on.
type Trust struct {
	Voter string  `json:"voter"`
	Rate  float64 `json:"rate"`  // learned probability of being right between two proposals; 0: nothing was learned
	Right int     `json:"right"` // known outcomes in which it was right
	Told  int     `json:"told"`  // known outcomes of decisions in which it voted
	Low   float64 `json:"low"`   // 95 % interval of its share of right votes
	High  float64 `json:"high"`
	More  int     `json:"more"` // further outcomes, of the same share, from which on the interval is at most 0.2 wide
}

// knownWell is the width of an interval from which on further outcomes matter little.
const knownWell = 0.2

// Trust returns what the ledger knows of each voter whose vote it has, by name. A rate without known outcomes rests on
// agreement alone.
func (l *Ledger) Trust() []Trust {
	several, single := l.Models()
	voters := slices.Concat(several.names, single.names)
	told, right := map[string]int{}, map[string]int{}
	for _, d := range l.Resolved(math.MaxInt) {
		for voter, said := range d.Said {
			voters = append(voters, voter)
			told[voter]++
			if said == d.Right {
				right[voter]++
			}
		}
	}
	slices.Sort(voters)
	var all []Trust
	for _, voter := range slices.Compact(voters) {
		t := Trust{Voter: voter, Right: right[voter], Told: told[voter]}
		rate, known := several.Reliability(voter, 2)
		if !known {
			rate, _ = single.Reliability(voter, 1)
		}
		t.Rate = rate.Sensitivity
		t.Low, t.High = Interval(t.Right, t.Told)
		share := float64(t.Right) / float64(max(1, t.Told))
		if t.Told == 0 {
			share = 0.5
		}
		for n := t.Told; ; n++ {
			if low, high := Interval(int(math.Round(share*float64(n))), n); high-low <= knownWell {
				t.More = n - t.Told
				break
			}
		}
		all = append(all, t)
	}
	return all
}

// Interval returns the 95 % interval of the share of right answers, of which so many are known (Wilson, 1927); 0 to 1 if
// none are.
func Interval(right, told int) (low, high float64) {
	if told == 0 {
		return 0, 1
	}
	const z = 1.959964
	n, p := float64(told), float64(right)/float64(told)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return max(0, (middle-half)/(1+z*z/n)), min(1, (middle+half)/(1+z*z/n))
}
