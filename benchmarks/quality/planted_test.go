package main

import (
	"fmt"
	"math"
	"strconv"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// kinds are planted where agreement misleads: what learns from votes alone was worse than the votes on recorded sets
// of these kinds. Each draw is another set.
var kinds = []struct {
	name string
	draw func(r *random) *set
}{
	{"dense crowds with a lean", leaning},
	{"near-copies wrong together", nearCopies},
	{"shared choices, one said too often", sharedChoices},
	{"rules that abstain and say one thing", rules},
	{"agreeing models beside few experts", besideExperts},
}

// planted returns a set of so many labels with the votes that say returns by voter, -1 for an abstention.
func planted(r *random, tasks, labels, voters int, say func(truth int) []int) *set {
	s := &set{place: map[string]int{}, start: []int32{0}}
	for l := range labels {
		s.labels = append(s.labels, strconv.Itoa(l))
		s.place[s.labels[l]] = l
	}
	for j := range voters {
		s.names = append(s.names, fmt.Sprint("voter ", j))
	}
	for s.tasks() < tasks {
		truth := r.below(labels)
		for j, l := range say(truth) {
			if l >= 0 {
				s.voter, s.label, s.weight = append(s.voter, int32(j)), append(s.label, int32(l)), append(s.weight, 1)
			}
		}
		if len(s.voter) == int(s.start[s.tasks()]) {
			continue // nobody has voted
		}
		s.start, s.truth = append(s.start, int32(len(s.voter))), append(s.truth, int32(truth))
	}
	return s
}

// normal is a standard normal number (Box and Muller, 1958).
func (r *random) normal() float64 {
	return math.Sqrt(-2*math.Log(1-r.float())) * math.Cos(2*math.Pi*r.float())
}

func (r *random) between(low, high float64) float64 { return low + (high-low)*r.float() }

// other returns a label that is not l.
func (r *random) other(l, labels int) int { return (l + 1 + r.below(labels-1)) % labels }

// leaning has 30 voters on every task, who see the same misleading part of it and say 1 too often.
func leaning(r *random) *set {
	const voters = 30
	lean, shared := r.between(0.1, 0.5), r.between(0.3, 0.9)
	skill, bias := make([]float64, voters), make([]float64, voters)
	for j := range voters {
		skill[j], bias[j] = r.between(0, 1.2), lean+0.5*r.normal()
	}
	return planted(r, 300, 2, voters, func(truth int) []int {
		said, task := make([]int, voters), float64(2*truth-1)*0.6+shared*r.normal()
		for j := range said {
			if skill[j]*task+bias[j]+r.normal() > 0 {
				said[j] = 1
			}
		}
		return said
	})
}

// nearCopies has ten prompts of each of six models, four of which are near chance and err together.
func nearCopies(r *random) *set {
	const models, prompts = 6, 10
	right, same := make([]float64, models), r.between(0.6, 0.9)
	for m := range right {
		right[m] = r.between(0.48, 0.6)
		if m < 2 {
			right[m] = r.between(0.75, 0.95)
		}
	}
	return planted(r, 300, 2, models*prompts, func(truth int) []int {
		said, luck := make([]int, models*prompts), r.float() // of the models near chance
		for j := range said {
			m := j / prompts
			x := r.float()
			if m >= 2 && j%prompts == 0 {
				x = luck
			}
			said[j] = truth
			if x >= right[m] {
				said[j] = 1 - truth
			}
			if j%prompts > 0 && r.float() < same {
				said[j] = said[m*prompts]
			}
		}
		return said
	})
}

// sharedChoices has five votes a task of a crowd, on three choices of which one is said instead of the others.
func sharedChoices(r *random) *set {
	const voters, labels = 40, 3
	right, often := make([]float64, voters), make([]float64, voters)
	for j := range voters {
		right[j], often[j] = r.between(0.45, 0.85), r.between(0.3, 0.9)
	}
	return planted(r, 400, labels, voters, func(truth int) []int {
		said, order := make([]int, voters), r.permutation(voters)
		for i, j := range order {
			switch said[j] = truth; {
			case i >= 5:
				said[j] = -1
			case r.float() >= right[j] && truth != 0 && r.float() < often[j]:
				said[j] = 0
			case r.float() >= right[j]:
				said[j] = r.other(truth, labels)
			}
		}
		return said
	})
}

// rules each say one label, where they say anything.
func rules(r *random) *set {
	const each = 6
	fires, false_ := make([]float64, 2*each), make([]float64, 2*each)
	for j := range fires {
		fires[j] = r.between(0.05, 0.5)
		false_[j] = fires[j] * r.between(0.05, 0.7)
	}
	return planted(r, 600, 2, 2*each, func(truth int) []int {
		said := make([]int, 2*each)
		for j := range said {
			p := fires[j]
			if j/each != truth {
				p = false_[j]
			}
			if said[j] = j / each; r.float() >= p {
				said[j] = -1
			}
		}
		return said
	})
}

// besideExperts has twelve models that share most of their errors and three experts, who err by themselves.
func besideExperts(r *random) *set {
	const models, experts = 12, 3
	model, expert, same := r.between(0.6, 0.8), r.between(0.8, 0.95), r.between(0.6, 0.95)
	return planted(r, 300, 3, models+experts, func(truth int) []int {
		shared := truth
		if r.float() >= model {
			shared = r.other(truth, 3)
		}
		said := make([]int, models+experts)
		for j := range said {
			p := model
			if j >= models {
				p = expert
			}
			if said[j] = truth; r.float() >= p {
				said[j] = r.other(truth, 3)
			}
			if j < models && r.float() < same {
				said[j] = shared
			}
		}
		return said
	})
}

// Without outcomes, agreement does no harm, and what it makes sure is right; with more outcomes no more is wrong.
func TestPlantedKindsDoNoHarmAndAreSureWhereRight(t *testing.T) {
	if testing.Short() || racing {
		t.Skip("takes seconds, and minutes under the race detector")
	}
	const draws = 20
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			before := 0.0
			for _, known := range []float64{0, 0.1, 0.5, 0.9} {
				var ours, plain []measures
				for seed := range uint64(draws) {
					s := kind.draw(newRandom(seed))
					gold := s.known(known, seed)
					for f, to := range map[*[]measures]method{
						&ours: {run: byLedger}, &plain: {run: byStrategy(consensus.ConfidenceWeighted{})},
					} {
						*f = append(*f, measure(s.score(to.run(s, gold), gold), s.k() == 2))
					}
				}
				got, want := mean(ours), mean(plain)
				t.Logf("%3.0f %% known: right %.1f, by weight %.1f; ECE %.1f, by weight %.1f; sure %.1f, right there %.1f", 100*known,
					100*got.Accuracy, 100*want.Accuracy, 100*got.ECE, 100*want.ECE, 100*got.Sure, 100*got.RightThere)
				noise := 2 * math.Sqrt(got.Accuracy*(1-got.Accuracy)/float64(got.Tasks))
				if known == 0 && got.Accuracy < want.Accuracy-0.02 {
					t.Errorf("no outcome: right in %.1f %%, by weight in %.1f %%", 100*got.Accuracy, 100*want.Accuracy)
				}
				if known == 0 && got.Sure > 0.02 && got.RightThere < sureAt {
					t.Errorf("no outcome: right in %.1f %% where sure", 100*got.RightThere)
				}
				if got.Accuracy < before-noise {
					t.Errorf("%v known: right in %.1f %%, %.1f %% with fewer", known, 100*got.Accuracy, 100*before)
				}
				before = got.Accuracy
			}
		})
	}
}
