package consensus

// Borda orders the candidates by their mean place (Borda, 1781): in a ranking, a candidate gains a point
// for each one below it and loses one for each one above it, so that tied candidates share their points.
// It takes time linear in the pairs.
func (p *Profile) Borda() Ranking {
	score := make([]int64, len(p.candidates))
	for a := range score {
		for b := range score {
			score[a] += int64(p.margin(a, b))
		}
	}
	return p.tiers(score)
}
