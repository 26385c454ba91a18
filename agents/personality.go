package agents

import (
	"fmt"
	"math"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// Personality is how an agent leans. Each trait is in [0,1], and the zero value
// of all four is an agent that leans nowhere: 0.5 each. The traits weigh in what
// an agent hears first ([Agent.Attend]); a reactor asks for the rest.
type Personality struct {
	Curiosity  float64 // how far it looks: findings, facts and results come first
	Caution    float64 // how much it takes to convince it: doubts, challenges and conflicts come first
	Conformity float64 // how much others' views move it: proposals and votes come first
	Verbosity  float64 // how much it says
}

// Validate returns the first trait that is not in [0,1].
func (p Personality) Validate() error {
	for _, trait := range p.traits() {
		if err := signals.Unit("personality."+trait.name, trait.value); err != nil {
			return err
		}
	}
	return nil
}

type trait struct {
	name      string
	value     float64
	low, high string // what it makes an agent do, in words
}

func (p Personality) traits() []trait {
	return []trait{
		{"curiosity", p.Curiosity, "Stay with what is known.", "Look for what others have not seen."},
		{"caution", p.Caution, "Act on what is likely.", "Ask for evidence before you agree."},
		{"conformity", p.Conformity, "Judge for yourself, whatever others say.", "Give weight to what others agree on."},
		{"verbosity", p.Verbosity, "Be brief.", "Explain your reasons in full."},
	}
}

// leaning is p, with the middle for an agent that has no personality.
func (p Personality) leaning() Personality {
	if p == (Personality{}) {
		return Personality{0.5, 0.5, 0.5, 0.5}
	}
	return p
}

// Words returns how many words an answer should have: from 30 for a verbosity of
// 0, by equal factors, to 300 for 1.
func (p Personality) Words() int {
	return int(math.Round(30 * math.Pow(10, p.leaning().Verbosity)))
}

// Instructions returns what a model is told of the personality: a sentence for
// each trait at or below 0.3 or at or above 0.7, and the traits with their values.
// The zero value, which leans nowhere, needs none. How much the answer may have
// is [Personality.Words].
func (p Personality) Instructions() string {
	if p == (Personality{}) {
		return ""
	}
	var all, values []string
	for _, t := range p.traits() {
		switch {
		case t.value <= 0.3:
			all = append(all, t.low)
		case t.value >= 0.7:
			all = append(all, t.high)
		}
		values = append(values, fmt.Sprintf("%s %.1f", t.name, t.value))
	}
	all = append(all, fmt.Sprintf("Your traits, from 0 to 1: %s.", strings.Join(values, ", ")))
	return strings.Join(all, " ")
}

// Sway returns how sure an agent is of a proposal, in [0,1], that was so sure of
// it, once it knows which share of the others supports it: the two are averaged,
// with conformity/2 as the weight of the others', so that nobody gives up its own
// view altogether.
func (p Personality) Sway(own, others float64) float64 {
	w := p.leaning().Conformity / 2
	return min(1, max(0, (1-w)*own+w*others))
}

// Convinced reports whether an agent that is so sure of a proposal, in [0,1],
// agrees with it: from 0.5 on for a caution of 0, from 0.9 on for 1.
func (p Personality) Convinced(sure float64) bool { return sure >= 0.5+0.4*p.leaning().Caution }
