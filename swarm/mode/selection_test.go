package mode_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/swarm/mode"
)

func speak(all []mode.Speaker) string {
	var names []string
	for _, c := range all {
		if c.Speaks {
			names = append(names, c.Agent)
		}
	}
	return strings.Join(names, " ")
}

func TestWhoSpeaksGoesByBlockersNewsRecordAndWaiting(t *testing.T) {
	t.Parallel()
	all := []mode.Candidate{
		{Agent: "broke", Relevance: 1, Record: 1, Level: 1, Broke: true},
		{Agent: "good", Relevance: .9, Record: .9},
		{Agent: "called", Addressed: true},
		{Agent: "causal", Relevance: .9, Record: .6, Level: 1},
		{Agent: "dull"},
		{Agent: "patient", Waited: 4},
	}
	for most, want := range map[int]string{
		1: "called", 2: "called patient", 3: "called causal patient", 4: "good called causal patient",
		5: "good called causal dull patient", 0: "broke good called causal dull patient", 9: "broke good called causal dull patient",
	} {
		if got := speak(mode.Speakers(most, all)); got != want {
			t.Errorf("%d: %s, want %s", most, got, want)
		}
	}
	if got := mode.Speakers(1, all)[2].String(); got != "called speaks (0.00: relevance 0.00, record 0.00, causal level 0.00, waited 0, something open is addressed to it)" {
		t.Error(got)
	}
}

func TestAmongEqualsTheEarlierAgentSpeaks(t *testing.T) {
	t.Parallel()
	all := []mode.Candidate{{Agent: "a", Relevance: .5}, {Agent: "b", Relevance: .5}, {Agent: "c", Addressed: true}, {Agent: "d", Addressed: true}}
	for most, want := range map[int]string{1: "c", 3: "a c d"} {
		if got := speak(mode.Speakers(most, all)); got != want {
			t.Errorf("%d: %s, want %s", most, got, want)
		}
	}
}

// Whoever waits for four rounds more than the others is not passed over.
func TestEveryAgentIsEventuallySelected(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 9).Draw(t, "agents")
		most := rapid.IntRange(1, n-1).Draw(t, "most")
		all := make([]mode.Candidate, n)
		for i := range all {
			all[i] = mode.Candidate{Agent: fmt.Sprint("a", i)}
		}
		for range 40 {
			for i := range all {
				all[i].Relevance, all[i].Record = rapid.Float64Range(0, 1).Draw(t, "relevance"), float64(i)/float64(n)
			}
			spoke := 0
			for i, c := range mode.Speakers(most, all) {
				if all[i].Waited++; c.Speaks {
					all[i].Waited, spoke = 0, spoke+1
				}
				if all[i].Waited > 4+2*n {
					t.Fatalf("%s has waited for %d rounds", c.Agent, all[i].Waited)
				}
			}
			if spoke != most {
				t.Fatalf("%d speak, want %d", spoke, most)
			}
		}
	})
}
