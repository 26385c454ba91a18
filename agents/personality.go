package agents

import (
	"fmt"
	"math"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// Personality describes the tendencies of an agent. Each trait is in [0,1]; if
// all four are zero the agent is neutral, with 0.5 each. The traits affect what
// an agent hears first ([Agent.Attend]); the rest is up to its reactor.
type Personality struct {
	Curiosity  float64 // how far it looks: findings, facts and results come first
	Caution    float64 // how hard it is to convince: doubts, challenges and conflicts come first
	Conformity float64 // how much others' views influence it: proposals and votes come first
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
	low, high string // its effect on an agent, in words
}

func (p Personality) traits() []trait {
	return []trait{
		{"curiosity", p.Curiosity, "Stay with what is known.", "Look for what others have not seen."},
		{"caution", p.Caution, "Act on what is likely.", "Ask for evidence before you agree."},
		{"conformity", p.Conformity, "Judge for yourself, whatever others say.", "Give weight to what others agree on."},
		{"verbosity", p.Verbosity, "Be brief.", "Explain your reasons in full."},
	}
}

// leaning returns p, or the neutral traits for an agent without a personality.
func (p Personality) leaning() Personality {
	if p == (Personality{}) {
		return Personality{0.5, 0.5, 0.5, 0.5}
	}
	return p
}

// Words returns how many words an answer should have: from 30 for a verbosity of
// 0 to 300 for 1, growing exponentially.
func (p Personality) Words() int {
	return int(math.Round(30 * math.Pow(10, p.leaning().Verbosity)))
}

// Instructions returns the description of the personality for a model: a sentence
// for each trait at or below 0.3 or at or above 0.7, and the traits with their
// values; "" for the zero value, which is neutral. For the length of the answer
// see [Personality.Words].
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

// Sway returns how sure an agent is of a proposal, in [0,1], once it knows which
// share of the others supports it: the weighted mean of its own certainty and
// that share, with weight conformity/2 for the share, so that no agent gives up
// its own view altogether.
func (p Personality) Sway(own, others float64) float64 {
	w := p.leaning().Conformity / 2
	return min(1, max(0, (1-w)*own+w*others))
}

// Convinced reports whether an agent that is that sure of a proposal, in [0,1],
// agrees with it: the threshold is 0.5 for a caution of 0 and 0.9 for 1.
func (p Personality) Convinced(sure float64) bool { return sure >= 0.5+0.4*p.leaning().Caution }
