package settle

import (
	"fmt"
	"math"
)

// Groupthink compares how many agents challenged something with how many would have if
// each had done so independently.
//
// The model is the volunteer's dilemma (Diekmann, Journal of Conflict Resolution 29,
// 1985): all gain if anybody challenges what is wrong, and whoever does bears the cost.
// In its symmetric equilibrium each of N agents challenges with probability
//
//	p = 1 − (cost/gain)^(1/(N−1))
//
// so that N·p challengers are expected, and each agent relies the more on the others the
// more they are. Cost/gain is taken to be 1/2. It says nothing about who is right, and
// nothing that decides reads it.
type Groupthink struct {
	Able     int     `json:"able"`     // agents that could challenge
	Actual   int     `json:"actual"`   // agents that did
	Expected float64 `json:"expected"` // N·p
	// Risk is the probability that more of them would have challenged: that of more
	// than Actual successes in N draws with p. 0 if fewer than two agents could.
	Risk float64 `json:"risk"`
}

// GroupthinkOf returns the comparison for agents of which able could challenge and actual did.
func GroupthinkOf(able, actual int) Groupthink {
	g := Groupthink{Able: able, Actual: actual}
	if able < 2 {
		return g
	}
	const costOfGain = 0.5
	n := float64(able)
	p := 1 - math.Pow(costOfGain, 1/(n-1))
	g.Expected = n * p
	below := 0.0 // P(X ≤ actual)
	term := math.Pow(1-p, n)
	for k := range min(actual, able) + 1 {
		below += term
		term *= (n - float64(k)) / float64(k+1) * p / (1 - p)
	}
	g.Risk = max(0, 1-below)
	return g
}

// String describes g in words.
func (g Groupthink) String() string {
	return fmt.Sprintf("%d of %d challenged, %.2g expected, risk of groupthink %.2f", g.Actual, g.Able, g.Expected, g.Risk)
}
