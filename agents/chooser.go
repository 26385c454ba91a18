package agents

import "math/rand/v2"

// A Chooser chooses between an agent's strategies and learns which work best.
// Package choice has one. It is used concurrently, by the agent's turns in all
// solves.
type Chooser interface {
	// Choose returns the name of a strategy. Its only randomness is r, so that a
	// turn is reproducible.
	Choose(r *rand.Rand) string
	// Learn reports the reward of a chosen strategy, in [0,1].
	Learn(strategy string, reward float64) error
}
