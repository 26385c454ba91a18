package swarm_test

import "testing"

// The journal was written by the rule before runlog.Rule: a conflict that a majority settled, of whose loser
// the voters abstained; a vote that 60 % decided; and the answer of one agent. All three were a consensus.
func TestAJournalOfBeforeIsCountedByItsOwnRule(t *testing.T) {
	r, err := replayedFile(t, "testdata/journals/settled-by-yielding.journal")
	if err != nil {
		t.Fatal(err)
	}
	if n := r.Decisions; n != 3 {
		t.Errorf("%d decisions", n)
	}
}
