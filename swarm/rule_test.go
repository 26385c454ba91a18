package swarm_test

import "testing"

// The first journal was written by the first rule: a conflict that a majority settled, of whose loser the
// voters abstained; a vote that 60 % decided; and the answer of one agent. All three were a consensus. In the
// second, of the second rule, a vote without evidence made one. In the third, decisions on recorded votes, what was learned
// of agreement was believed as far as it went. In the fourth, of rule 4, a second text confirmed what moved a vote.
func TestAJournalOfBeforeIsCountedByItsOwnRule(t *testing.T) {
	for name, want := range map[string]int{"settled-by-yielding": 3, "moved-by-talk": 1, "learned-of-agreement": 14, "confirmed-by-text": 1} {
		r, err := replayedFile(t, "testdata/journals/"+name+".journal")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if n := r.Decisions; n != want {
			t.Errorf("%s: %d decisions", name, n)
		}
	}
}
