// Package choice chooses between an agent's strategies by Thompson sampling: each
// is chosen as often as it is likely to be the best, given what came of all of
// them so far.
//
//	strategies, err := choice.New("search first", "ask for evidence", "propose at once")
//	agent := &agents.Agent{ID: "ada", Strategies: strategies, Reactor: …}
//
// # What it knows
//
// Of each strategy it holds a beta distribution over how often it pays, which
// begins uniform. A reward in [0,1] adds that much to the successes and the rest
// to the failures (Agrawal and Goyal, 2012, for rewards between 0 and 1, with the
// expected update in place of a coin). So a strategy that did badly is still
// tried, ever more rarely.
//
// # Repeating
//
// What is chosen depends on what was learned and on the random numbers handed in
// alone. A swarm hands in those of the turn, and tells rewards only when somebody
// says which answer was right, so a run repeats. [Sampler] is saved as JSON.
package choice
