package swarm_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A process that is killed leaves a proposal without its conflict; the operator then takes
// something back in that log, and in one of which another solve is the last.
func TestARetractionInALogThatWasCutComesAfterWhatIsDerived(t *testing.T) {
	t.Parallel()
	options := func(j journal.Store) swarm.Options {
		return swarm.Options{Agents: torn(), Journal: j, Quorum: 1}
	}
	whole := new(journal.Memory)
	s := startOn(t, options(whole))
	first, second := ask(t, s, 1), ask(t, s, 2)
	shutdown(t, s)
	records, cuts := recordsOf(t, whole), 0
	for i, said := range append(first.Log, second.Log...) {
		if said.Kind() != signals.KindConflict {
			continue
		}
		cut := int(said.Head().Seq) - 1
		if records[cut].Seq != uint64(cut+1) {
			t.Fatalf("record %d is signal %d", cut, records[cut].Seq)
		}
		j := new(journal.Memory)
		if _, err := j.Append(records[:cut]...); err != nil {
			t.Fatal(err)
		}
		for _, r := range []*solves.Result{first, second}[:1+i/len(first.Log)] {
			cuts++
			if _, err := solves.Retract(t.Context(), j, r.Thread, r.Log[0+3].Head().ID, "ceo", "wrong"); err != nil {
				t.Fatalf("cut at %d, in %s: %v", cut, r.Thread, err)
			}
			if _, err := replayed(t, j); err != nil {
				t.Errorf("cut at %d, in %s: %v", cut, r.Thread, err)
			}
		}
		shutdown(t, startOn(t, options(j)))
	}
	if cuts < 3 {
		t.Errorf("%d retractions, want one after the first solve and two after the second", cuts)
	}
}
