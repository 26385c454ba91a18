// Package choice chooses between an agent's strategies by Thompson sampling: each
// is chosen with the probability that it is the best, given the rewards so far.
//
//	strategies, err := choice.New("search first", "ask for evidence", "propose at once")
//	agent := &agents.Agent{ID: "ada", Strategies: strategies, Reactor: …}
//
// # Model
//
// For each strategy it keeps a beta distribution of its success rate, initially
// uniform. A reward in [0,1] adds that much to the successes and the rest to the
// failures (Agrawal and Goyal, 2012, for rewards between 0 and 1, with the
// expected update in place of a coin toss). So a strategy that did badly is still
// tried, but ever more rarely.
//
// # Reproducibility
//
// The choice depends only on what was learned and on the random numbers passed
// in. A swarm passes those of the turn, and reports rewards only when it learns
// which answer was right, so runs are reproducible. A [Sampler] can be saved as
// JSON.
package choice
