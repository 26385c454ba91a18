// Package crowds measures the overhead of large teams, without the work of their agents: one
// solve of 1,000 agents, and 50 concurrent solves of 200, in which every agent hears every vote.
//
//	go test ./crowds -run xxx -bench . -benchtime 3x   # in benchmarks; half a minute
//
// The agents answer at once, so all processor time of a solve is ours. It is divided by
// the number of signals that were delivered to agents. Memory is the memory of a solve when
// every agent has heard all votes, divided by the number of agents.
package crowds
