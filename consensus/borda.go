package consensus

// Borda orders the candidates by their mean place (Borda, 1781): a ranking gives a candidate a point for
// each one below it and takes one for each one above it, so that ties share what they stand for. It costs
// a pass over the pairs.
func (p *Profile) Borda() Ranking {
	score := make([]int64, len(p.candidates))
	for a := range score {
		for b := range score {
			score[a] += int64(p.margin(a, b))
		}
	}
	return p.tiers(score)
}
