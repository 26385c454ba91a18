package reliability_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/consensus/reliability"
)

func TestTheOldestDecisionsLeaveTheWindow(t *testing.T) {
	l := ledger(t, &reliability.Options{Window: 40})
	for i := range 300 {
		b := said("ada", "x", "bo", "x", "cy", fmt.Sprint("y", i%2), fmt.Sprint("passing ", i), "x")
		observe(t, l, fmt.Sprint(i), b)
		if i%3 == 0 {
			l.Strategy()
		}
		if l.Len() > 40 {
			t.Fatalf("%d decisions in a window of 40", l.Len())
		}
	}
	if l.Holds("200") || !l.Holds("299") {
		t.Errorf("%d decisions, without the newest", l.Len())
	}
	several, _ := l.Models()
	if n := len(several.Voters()); n > 43 {
		t.Errorf("%d voters are known", n)
	}
	saved, err := json.Marshal(l)
	if err != nil || len(saved) > 20_000 {
		t.Errorf("%d bytes are saved, %v", len(saved), err)
	}
}

// A decision that leaves the window while another caller learns from it is forgotten, too: the saved form refers to the
// decisions that the ledger learned from, and these have to be there.
func TestADecisionThatLeavesTheWindowWhileItIsLearnedFromIsForgotten(t *testing.T) {
	const window = 40
	votes := []string{}
	for j := range 60 {
		votes = append(votes, fmt.Sprint("voter ", j), fmt.Sprint(min(1, j/40)))
	}
	b := said(votes...)
	for round := range 20 {
		l := ledger(t, &reliability.Options{Window: window})
		for range window {
			observe(t, l, "", b)
		}
		var learner sync.WaitGroup
		learner.Go(func() { l.Strategy() })
		for range 1 + round%8 {
			runtime.Gosched() // so that the other one begins to learn
		}
		observe(t, l, "", b)
		learner.Wait()
		saved, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		restored(t, saved)
	}
}
