// Package demo has the content of swarmbus serve --demo: a team of scripted agents that gets
// a task every few seconds, and an office with rooms.
//
// The agents' words are scripted (scenes.go), and each turn calls a scripted model, so that
// prices, times and recordings are those of a real run. The swarm's behaviour is not
// scripted: conflicts, debates and decisions are its own.
package demo
