package swarmtest_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/swarmtest"
)

func TestSwarmsKeepTheLaws(t *testing.T) {
	for _, m := range mode.All() {
		t.Run(m.String(), func(t *testing.T) {
			t.Parallel()
			swarmtest.TestDecisions(t, swarm.Options{Mode: m})
		})
	}
	for _, s := range append(consensus.Builtin(), consensus.Grouped{}) {
		t.Run(s.Name(), func(t *testing.T) {
			t.Parallel()
			swarmtest.TestDecisions(t, swarm.Options{Strategy: s})
		})
	}
}

// recorder notes which laws were broken.
type recorder struct{ broken map[string]int }

func (*recorder) Helper() {}

func (r *recorder) Errorf(format string, args ...any) {
	name, _, _ := strings.Cut(fmt.Sprintf(format, args...), ":")
	r.broken[name]++
}

func TestTheSuiteRejectsPlantedBugs(t *testing.T) {
	bent := func(bend func(consensus.Ballots, *consensus.Decision)) consensus.Strategy {
		return consensus.Func("mutant", func(b consensus.Ballots) consensus.Decision {
			d := consensus.ConfidenceWeighted{}.Decide(b)
			bend(b, &d)
			return d
		})
	}
	choose := func(d *consensus.Decision) {
		if d.Leader() != "" {
			d.Outcome, d.Choice = consensus.Reached, d.Leader()
		}
	}
	undo := func(d *consensus.Decision) { d.Outcome, d.Choice = consensus.Deadlocked, "" }
	for name, c := range map[string]struct {
		law string
		by  consensus.Strategy
	}{
		"the most weight wins": {"even", bent(func(_ consensus.Ballots, d *consensus.Decision) { choose(d) })},
		"two suffice": {"quorum", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if b.Voters() >= 2 && d.Support >= b.Threshold() {
				choose(d)
			}
		})},
		"never fewer than three": {"unanimity", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if b.Voters() < 3 {
				undo(d)
			}
		})},
		"an even team decides nothing": {"more support", bent(func(b consensus.Ballots, d *consensus.Decision) {
			if b.Electorate()%2 == 0 {
				undo(d)
			}
		})},
	} {
		r := &recorder{broken: map[string]int{}}
		swarmtest.CheckDecisions(r, swarm.Options{Strategy: c.by})
		if r.broken[c.law] == 0 {
			t.Errorf("%s: law %q does not find it; broken are %v", name, c.law, slices.Sorted(maps.Keys(r.broken)))
		}
	}
}
