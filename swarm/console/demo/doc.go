// Package demo is what swarmbus serve --demo shows: a team of scripted agents that is given
// a task every few seconds, and an office with rooms.
//
// The agents' words are written down (scenes.go), and each turn asks a scripted model, so
// that prices, times and recordings are those of a real run. What the swarm does with the
// words is not written down: conflicts, debates and decisions are its own.
package demo
