package consensus

// Voting gives every voter one vote: a proposal's support is the share of the voters who did not abstain
// that agrees with it. Weights play no part in the outcome.
type Voting struct{}

// Name returns "voting".
func (Voting) Name() string { return "voting" }

// Decide decides by the share of voters.
func (Voting) Decide(b Ballots) Decision { return Decision{} }

// ConfidenceWeighted weighs votes by how sure the voters say they are: a proposal's support is the weight
// that agrees with it over the sum of each voter's largest weight.
type ConfidenceWeighted struct{}

// Name returns "confidence-weighted".
func (ConfidenceWeighted) Name() string { return "confidence-weighted" }

// Decide decides by the share of weight.
func (ConfidenceWeighted) Decide(b Ballots) Decision { return Decision{} }

// Bayesian treats votes as evidence: a proposal's support is its posterior probability.
type Bayesian struct{}

// Name returns "bayesian".
func (Bayesian) Name() string { return "bayesian" }

// Decide decides by posterior probability.
func (Bayesian) Decide(b Ballots) Decision { return Decision{} }

// Entropy decides when the swarm's weight is no longer spread: the leader's support is one minus the
// normalised entropy of the distribution of weight.
type Entropy struct{}

// Name returns "entropy".
func (Entropy) Name() string { return "entropy" }

// Decide decides by normalised entropy.
func (Entropy) Decide(b Ballots) Decision { return Decision{} }

// Hierarchical lets the highest rank decide in which somebody did not abstain, as [ConfidenceWeighted]
// does, and asks the next when it settles nothing.
type Hierarchical struct{}

// Name returns "hierarchical".
func (Hierarchical) Name() string { return "hierarchical" }

// Decide decides rank by rank.
func (Hierarchical) Decide(b Ballots) Decision { return Decision{} }
