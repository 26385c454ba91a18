package agents

import "math/rand/v2"

// A Chooser chooses between an agent's strategies, and learns which serves it.
// Package choice has one. It is used concurrently, by the agent's turns in all
// solves.
type Chooser interface {
	// Choose returns the name of a strategy. Its chance comes from r alone, so that
	// a turn repeats.
	Choose(r *rand.Rand) string
	// Learn says what a strategy was worth that was chosen, in [0,1].
	Learn(strategy string, reward float64) error
}
