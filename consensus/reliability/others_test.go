package reliability

import (
	"fmt"
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// ownAnswers returns the same decision between answers of its own, of which only those with votes are proposed.
func ownAnswers(t *testing.T, n int, b consensus.Ballots) consensus.Ballots {
	t.Helper()
	var proposals []string
	var cast []consensus.Vote
	seen := map[string]bool{}
	for v := range b.Votes() {
		v.ProposalID = fmt.Sprint(n, v.ProposalID)
		if !seen[v.ProposalID] {
			seen[v.ProposalID] = true
			proposals = append(proposals, v.ProposalID)
		}
		cast = append(cast, v)
	}
	own, err := consensus.NewBallots(nil, proposals, cast)
	if err != nil {
		t.Fatal(err)
	}
	return own
}

func TestVotersWhoAgreeAmongManyAnswersPrevail(t *testing.T) {
	measures(t)
	for _, c := range []struct {
		answers int
		own     bool
		right   []float64
	}{
		{21, true, even(5, 0.7, 0.3)},
		{21, true, even(3, 0.75, 0.45)},
		{6, false, even(5, 0.5, 0.5)},
		{4, false, even(7, 0.6, 0.4)},
	} {
		leads, plurality, confidence, n := 0.0, 0.0, 0.0, 0.0
		for seed := range uint64(4) {
			w := newWorld(1200+seed, c.answers, c.right...)
			l := newLedger(t, nil)
			for i := range 200 {
				b, right := w.decision(nil)
				if c.own {
					b, right = ownAnswers(t, i, b), fmt.Sprint(i, right)
				}
				if b = b.Close(); i >= 100 {
					d := l.Strategy().Decide(b)
					leads += leadsIn(d, right)
					plurality += leadsIn(consensus.ConfidenceWeighted{}.Decide(b), right)
					confidence += d.Confidence
					n++
				}
				if err := l.Observe("", b); err != nil {
					t.Fatal(err)
				}
			}
		}
		if leads < plurality-0.02*n || confidence > leads+0.05*n {
			t.Errorf("%d answers, voters of %.2f: right in %.2f with a confidence of %.2f, by weight in %.2f",
				c.answers, c.right, leads/n, confidence/n, plurality/n)
		}
	}
}

// leadsIn returns 1 if the right proposal leads, divided by the number of leaders that tie.
func leadsIn(d consensus.Decision, right string) float64 {
	for _, x := range d.Leaders {
		if x == right {
			return 1 / float64(len(d.Leaders))
		}
	}
	return 0
}

func TestTheNumberOfWrongAnswersIsLearned(t *testing.T) {
	for _, c := range []struct {
		answers  int
		own      bool
		lo, most float64
	}{{21, true, 10, 30}, {6, true, 3, 7}, {6, false, 3.5, 5}, {2, false, 1, 1}, {2, true, 1, 1.1}} {
		w := newWorld(1210, c.answers, even(5, 0.7, 0.5)...)
		b := newBook(nil)
		for i := range 200 {
			x, _ := w.decision(nil)
			if c.own {
				x = ownAnswers(t, i, x)
			}
			if err := b.Observe("", x); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.Learn().params.Others; got < c.lo || got > c.most {
			t.Errorf("%d answers, own %v: %.2f wrong ones, want %v to %v", c.answers, c.own, got, c.lo, c.most)
		}
	}
	w := newWorld(1211, 8, even(6, 0.8, 0.5)...)
	b := newBook(&Options{Choices: w.choices})
	for range 200 {
		x, _ := lured(w)
		if err := b.Observe("", x); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.Learn().params.Others; got > 1.2 {
		t.Errorf("%.2f wrong answers, although all wrong voters say the same", got)
	}
}

func TestThereAreNoMoreWrongAnswersThanWereNamed(t *testing.T) {
	b := newBatch(3, false)
	for t := range 100 { // the two who are wrong never say the same
		b.add(votes{voter: []int32{0, 1, 2}, said: []int32{0, 1, 2}, field: 3})
		b.Known[t] = 0
	}
	for answers, want := range map[int]float64{0: 11, 2: 1, 3: 2, 12: 11, 13: 11} {
		b.Answers = answers
		e := newEM(&b, (*Options)(nil).withDefaults(), nil)
		e.start(e.shares)
		if e.others(); math.Abs(e.m.Others-want) > 1e-9 {
			t.Errorf("%d answers: %v wrong ones, want %v", answers, e.m.Others, want)
		}
	}
}
