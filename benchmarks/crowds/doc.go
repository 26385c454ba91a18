// Package crowds measures what large teams cost beside what their agents do: one solve of
// 1,000 agents, and 50 solves of 200 at once, in which every agent hears every vote.
//
//	go test ./crowds -run xxx -bench . -benchtime 3x   # in benchmarks; half a minute
//
// The agents answer at once, so all processor time of a solve is ours. It is divided by
// the number of signals that were delivered to agents. Memory is what a solve holds when
// every agent has heard everything, divided by the number of agents.
package crowds
