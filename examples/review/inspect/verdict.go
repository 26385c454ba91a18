package inspect

import "fmt"

// Temper is what of an agent's personality bears on its judgement, each in
// [0,1]. How much it says of it (verbosity) does not.
type Temper struct {
	Caution    float64
	Curiosity  float64
	Conformity float64
}

// A Verdict is one agent's stance with what it rests on.
type Verdict struct {
	Stance    Stance
	Concern   float64 // what the agent holds against the package, in [0,1]
	Tolerance float64 // what it would put up with
	Claims    []Claim // what it counted, weightiest first
	Scores    []Score // of what it counted
}

// Judge follows one rule: request changes if concern exceeds tolerance.
//
// Tolerance is 0.85 - 0.4·caution: even the boldest agent does not put up with
// a high finding that is certain, touches everything and stands undisputed; the
// most cautious one puts up with one medium finding, not with two.
//
// Concern is 1 - Π(1 - weight·risk) over all claims. High findings, and those
// of the agent's own inspector, have weight 1; another's has (1+conformity)/2,
// for a conforming agent takes others' word. Low findings weigh (1+curiosity)/2
// of that, for an incurious agent does not care for details.
//
// So another finding, a more severe one, a more relevant or a more certain one
// can turn approval into a request for changes, and never the reverse; and the
// same claims sway a more cautious agent at least as much.
func (t Temper) Judge(inspector string, claims []Claim) Verdict {
	v := Verdict{Tolerance: round(0.85 - 0.4*t.Caution), Claims: byRisk(claims), Scores: Scorecard(claims)}
	calm := 1.0
	for _, c := range v.Claims {
		calm *= 1 - t.weight(inspector, c.Finding)*c.Risk()
	}
	v.Concern = round(1 - calm)
	v.Stance = Approve
	if v.Concern > v.Tolerance {
		v.Stance = RequestChanges
	}
	return v
}

func (t Temper) weight(inspector string, f Finding) float64 {
	w := 1.0
	if f.Inspector != inspector && f.Severity != High {
		w = (1 + t.Conformity) / 2
	}
	if f.Severity == Low {
		w *= (1 + t.Curiosity) / 2
	}
	return w
}

// Conviction is how far the verdict is from tipping over, from 0.5 to 1: the
// weight of the agent's vote.
func (v Verdict) Conviction() float64 {
	if v.Stance == RequestChanges {
		return round(0.5 + 0.5*(v.Concern-v.Tolerance)/(1-v.Tolerance))
	}
	return round(0.5 + 0.5*(v.Tolerance-v.Concern)/v.Tolerance)
}

// Reason says in one sentence what the stance rests on.
func (v Verdict) Reason() string {
	rule := fmt.Sprintf("concern %.2f against a tolerance of %.2f", v.Concern, v.Tolerance)
	if len(v.Claims) == 0 {
		return rule + ": nothing was found"
	}
	f := v.Claims[0].Finding
	return fmt.Sprintf("%s; weightiest: %s (%s)", rule, f.Message, f.Places[0])
}
