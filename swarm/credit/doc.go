// Package credit says who moved the result of a solve.
//
//	by, err := result.Credit(nil)
//	for _, s := range by.Shares {
//		fmt.Println(s.Agent, s.Credit, s.Error)
//	}
//
// The credit of an agent is its Shapley value: what it adds to a coalition of the others,
// on average over all orders in which they may come together,
//
//	φ(i) = Σ over S without i of |S|! (n − |S| − 1)! / n! · (v(S ∪ i) − v(S))
//
// (Shapley, A value for n-person games, 1953). Credits add up to what the whole team is
// worth. A coalition is worth 1 if the choice leads by its members' votes alone, 1/k if it
// leads with k − 1 others, and 0 else. A vote counts in a coalition only if it stands
// there: if it rests on findings ([claims.Graph]), one of them must be of a member. So a
// finder shares the credit of a vote that names its finding, whoever votes against the
// choice has a negative credit, and whoever repeats what decides without it has little.
//
// For few agents the value is exact. For more it is the mean over orders that are drawn by
// a seed, without bias, and comes with its standard error s/√m (Castro, Gómez and Tejada,
// Polynomial calculation of the Shapley value based on sampling, 2009).
//
// It is a measure of votes and of what they name, and not of quality: who convinced others
// without being cited gets nothing for it.
package credit
