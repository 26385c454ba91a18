package reliability

import "github.com/swarmbus/swarmbus/consensus"

// Structure is what one account of how votes come about says of a decision.
type Structure struct {
	Name   string    // rates or peers
	Weight float64   // in the mean over them
	Each   []float64 // probability of each proposal
}

// Structures returns what each account says that the model averages; how far apart they are shows how much the votes
// leave open. It returns nil with [Options.Stances], and if nobody has voted for or against anything.
func (m *Model) Structures(b consensus.Ballots) (all []Structure) {
	r := m.read(b)
	if m.kind.stances || !r.heard() {
		return nil
	}
	q := r.questions[0]
	for _, s := range m.fit.Structures(&q.Votes, b.Correlation()) {
		x := Structure{s.Name, s.Weight, make([]float64, len(r.proposals))}
		for c, p := range s.Each {
			if place := r.place(q, int32(c)); place >= 0 {
				x.Each[place] = p
			}
		}
		all = append(all, x)
	}
	return all
}
