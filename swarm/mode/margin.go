package mode

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
)

// Margin returns the smallest set of those who answered, the most reliable first, who could have made what the plan
// decides by the calls fall by answering something else: see [consensus.Margin].
func (p *Plan) Margin(b consensus.Ballots, calls []Call) (least []string) {
	b = b.Close()
	choice := p.Decide(b, calls).Choice
	if choice == "" {
		return nil
	}
	var voters []string
	right := map[string]float64{}
	for _, m := range p.Members {
		right[m.ID] = m.Right
	}
	for _, c := range calls {
		if c.Part != Facts && c.Answer != "" && !slices.Contains(voters, c.Agent) {
			voters = append(voters, c.Agent)
		}
	}
	slices.SortFunc(voters, func(x, y string) int { return cmp.Or(cmp.Compare(right[y], right[x]), cmp.Compare(x, y)) })
	for _, rival := range append(Distinct(calls), "another answer") {
		if rival == choice {
			continue
		}
		least = consensus.Coalition(voters, least, func(who []string) bool {
			changed := slices.Clone(calls)
			for i, c := range changed {
				if c.Part != Facts && c.Answer != "" && slices.Contains(who, c.Agent) {
					changed[i].Answer = rival
				}
			}
			return p.Decide(b, changed).Choice != choice
		})
	}
	return least
}
