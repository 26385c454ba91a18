package runlog_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
)

// After a log the same votes count as when all of them are looked at anew, which a
// retraction of something else makes necessary.
func TestVotesFallOneByOneAsTheyDoTogether(t *testing.T) {
	t.Parallel()
	fell, waited := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		l := newTalk(t)
		l.say("zed", signals.ID{}, signals.Discovery{Finding: "aside", Relevance: 1})
		var found []signals.ID
		made := map[string]bool{}
		for i := range rapid.IntRange(3, 30).Draw(t, "signals") {
			who := rapid.SampledFrom(sources).Draw(t, "who")
			on := rapid.SampledFrom(append(found, signals.ID{})).Draw(t, "on")
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				found = append(found, l.say(who, on, signals.Discovery{Finding: fmt.Sprint("finding ", i), Relevance: 1}))
			case 1:
				id := fmt.Sprint("p", rapid.IntRange(0, 4).Draw(t, "p"))
				made[id] = made[id] || l.say(who, on, signals.Proposal{ProposalID: id, Content: fmt.Sprint("do ", id)}) != signals.ID{}
			case 2:
				if s := rapid.SampledFrom(l.Log).Draw(t, "back"); s.Head().Source != "zed" && s.Kind() != signals.KindRetraction {
					l.takeBack(s.Head().Source, s.Head().ID)
				}
			default:
				id := fmt.Sprint("p", rapid.IntRange(0, 4).Draw(t, "p"))
				l.say(who, on, signals.Vote{ProposalID: id, Stance: rapid.SampledFrom([]signals.Stance{signals.Agree, signals.Disagree}).Draw(t, "stance"), Weight: 1})
				if !made[id] {
					waited++
				}
			}
		}
		votes := l.tallies()
		fell += len(l.Withdrawn.Fallen)
		if l.takeBack("zed", l.Log[0].Head().ID); l.tallies() != votes {
			t.Fatalf("%s became %s", votes, l.tallies())
		}
	})
	if fell == 0 || waited == 0 {
		t.Errorf("%d votes fell, %d waited", fell, waited)
	}
}

// BenchmarkRatioRetraction casts votes without a retraction and after one, which takes one to
// four times as long; 380 times was measured with a graph of the whole log for each.
func BenchmarkRatioRetraction(b *testing.B) {
	const votes = 2000
	talked := func(back bool) func() time.Duration {
		return func() time.Duration {
			l := newTalk(b)
			f := l.say("ann", signals.ID{}, signals.Discovery{Finding: "slow", Relevance: 1})
			g := l.say("ann", signals.ID{}, signals.Discovery{Finding: "fast", Relevance: 1})
			l.say("ann", signals.ID{}, signals.Proposal{ProposalID: "a", Content: "do it"})
			if back {
				l.takeBack("ann", f)
			}
			return timetest.Took(func() {
				for i := range votes {
					l.say(fmt.Sprint("a", i%100), g, signals.Vote{ProposalID: "a", Stance: signals.Agree, Weight: float64(1+i/100) / 100})
				}
			})
		}
	}
	timetest.Ratio(b, 20, talked(false), talked(true))
}
