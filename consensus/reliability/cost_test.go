package reliability

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"gonum.org/v1/gonum/mathext"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestVotersWhoVotedOnceAreForgotten(t *testing.T) {
	w := newWorld(2, 2, even(10, 0.9, 0.6)...)
	b, alone := newBook(nil), newBook(nil)
	const decisions, passers = 300, 20
	for i := range decisions {
		ballots, truth := w.decision(nil)
		cast := slices.Collect(ballots.Votes())
		for j := range passers {
			cast = append(cast, vote(1000+i*passers+j, letters(2)[j%2]))
		}
		more, err := consensus.NewBallots(nil, letters(2), cast)
		if err != nil {
			t.Fatal(err)
		}
		for book, x := range map[*Book]consensus.Ballots{b: more, alone: ballots} {
			if err := observe(book, fmt.Sprint(i), x, truth, true); err != nil {
				t.Fatal(err)
			}
		}
	}
	m, n := b.Learn(), alone.Learn()
	if got := m.Voters(); !slices.Equal(got, n.Voters()) {
		t.Fatalf("%d voters are known of %d names, want the ten who vote again", len(got), decisions*passers+10)
	}
	for _, name := range m.Voters() {
		got, _ := m.Reliability(name, 2)
		if want, _ := n.Reliability(name, 2); math.Abs(got.Sensitivity-want.Sensitivity) > 0.001 {
			t.Errorf("%s is %+v, and %+v without voters who vote once", name, got, want)
		}
	}
	if _, again := restored(t, b); !again.Model().params.equal(m.params) {
		t.Error("forgetting voters changed what is saved")
	}
}

func (m *parameters) equal(o *parameters) bool {
	return m.Voters == o.Voters && slices.Equal(m.Rate, o.Rate) && slices.Equal(m.Base, o.Base)
}

func TestTheMostActiveOfTooManyVotersAreKept(t *testing.T) {
	b := newBook(nil)
	const often = 30 // voters who vote more often; all others vote twice
	for i := range 2 * (mostVoters + often) / 10 {
		var cast []consensus.Vote
		for j := range 10 {
			cast = append(cast, vote((10*i+j)%(mostVoters+often), "a"))
		}
		for j := range often {
			cast = append(cast, consensus.Vote{Voter: fmt.Sprint("often", j), ProposalID: "a", Stance: consensus.Agree, Weight: 1})
		}
		ballots, err := consensus.NewBallots(nil, letters(2), cast)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Observe("", ballots); err != nil {
			t.Fatal(err)
		}
	}
	b.prune()
	if len(b.names) != mostVoters || len(b.voters) != mostVoters || b.batch.Voters != mostVoters {
		t.Errorf("%d names, %d voters, %d in the votes, want %d", len(b.names), len(b.voters), b.batch.Voters, mostVoters)
	}
	for j := range often {
		if _, ok := b.voters[fmt.Sprint("often", j)]; !ok {
			t.Errorf("often%d is forgotten", j)
		}
	}
	for i, name := range b.names {
		if at, ok := b.voters[name]; !ok || at != int32(i) {
			t.Fatalf("%s is at %d, want %d", name, at, i)
		}
	}
	if _, ok := b.voters["v0"]; ok {
		t.Error("of equally active voters the first is known, not the last")
	}
}

func TestNamesLeaveWithTheirVotes(t *testing.T) {
	b := newBook(&Options{Window: 40})
	for i := range 100 {
		cast := []consensus.Vote{vote(i/40, "a"), vote(1000, "a"), vote(1001, "b")}
		ballots, err := consensus.NewBallots(nil, letters(2), cast)
		if err != nil {
			t.Fatal(err)
		}
		if err := b.Observe("", ballots); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := b.Learn().Voters(), []string{"v1", "v1000", "v1001", "v2"}; !slices.Equal(got, want) {
		t.Errorf("%v are known, want %v", got, want)
	}
}

func TestALessonIsASnapshot(t *testing.T) {
	b := newBook(&Options{Window: 40})
	w := newWorld(5, 2, even(5, 0.9, 0.6)...)
	ballots, truth := w.decision(nil)
	if err := b.Observe("first", ballots); err != nil {
		t.Fatal(err)
	}
	w.fill(b, 30, 3)
	l := b.lesson()
	want := slices.Clone(l.batch.Known)
	if err := b.Resolve("first", truth); err != nil {
		t.Fatal(err)
	}
	w.fill(b, 30, 1) // until the first decisions leave the window
	if !slices.Equal(l.batch.Known, want) || l.batch.size() != 31 || len(l.batch.Voter) != 5*31 || b.Len() >= 61 {
		t.Errorf("a lesson of 31 decisions has %d, outcomes %v, were %v", l.batch.size(), l.batch.Known, want)
	}
}

func TestReadersOfALedgerDoNotWaitForLearning(t *testing.T) {
	for attempt := 0; ; attempt++ {
		l := newLedger(t, nil)
		w := newWorld(3, 3, even(20, 0.9, 0.5)...)
		w.show(t, l, 200, 2)
		done := make(chan consensus.Strategy)
		go func() { done <- l.Strategy() }()
		for l.learning.TryLock() { // until it starts to learn
			l.learning.Unlock()
			time.Sleep(time.Microsecond)
		}
		s := l.Strategy()
		several, _ := l.Models()
		w.show(t, l, 1, 1)
		during := !l.learning.TryLock()
		if !during {
			l.learning.Unlock()
		}
		after := <-done
		if !during && attempt < 10 {
			continue // the machine was busy
		}
		if s.Name() != consensus.Default().Name() || len(several.Voters()) > 0 || !during {
			t.Errorf("while one caller learns, another gets %v, %d voters", s.Name(), len(several.Voters()))
		}
		if after.Name() != "default" || l.Strategy().Name() != "default" || l.Len() != 402 {
			t.Errorf("the caller that learned gets %v, then %v, of %d", after.Name(), l.Strategy().Name(), l.Len())
		}
		return
	}
}

func TestSavingALedgerWaitsForLearning(t *testing.T) {
	l := newLedger(t, nil)
	w := newWorld(4, 3, even(20, 0.9, 0.5)...)
	w.show(t, l, 100, 2)
	done := make(chan consensus.Strategy)
	go func() { done <- l.Strategy() }()
	for l.learning.TryLock() {
		l.learning.Unlock()
		time.Sleep(time.Microsecond)
	}
	saved, err := l.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	again := new(Ledger)
	if err := again.UnmarshalJSON(saved); err != nil {
		t.Fatal(err)
	}
	ballots, _ := w.decision(nil)
	want := (<-done).Decide(ballots)
	if got := again.Strategy().Decide(ballots); got.Confidence != want.Confidence || got.Strategy != want.Strategy {
		t.Errorf("restored %v, saved while it learned %v", got, want)
	}
}

func TestTheDigammaOfPriorCountsIsLookedUp(t *testing.T) {
	for _, x := range []float64{rowRight, rowWrong, 2.5} {
		if got, want := digamma(x), mathext.Digamma(x); got != want {
			t.Errorf("digamma of %v is %v, want %v", x, got, want)
		}
	}
}
