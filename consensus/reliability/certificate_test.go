package reliability

import (
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestNoCertificateIfTwoCampsFitEquallyWell(t *testing.T) {
	for name, o := range map[string]*Options{"own": nil, "choices": {Choices: letters(4)}} {
		w := newWorld(51, 4, even(10, 0.8, 0.7)...)
		honest := newBook(o)
		w.fill(honest, 200, 0)
		if c := honest.Model().Certificate(); !c.OK || c.Reason() != "" {
			t.Errorf("%s: honest voters have %+v: %s", name, c, c.Reason())
		}
		w.liars = 5
		camps := newBook(o)
		w.fill(camps, 200, 0)
		m := camps.Model()
		c := m.Certificate()
		if c.OK || c.Reason() == "" {
			t.Fatalf("%s: a camp of half the voters has %+v", name, c)
		}
		for range 100 {
			b, _ := w.decision(nil)
			for _, b := range []consensus.Ballots{b, b.Close()} {
				d := Strategy{m}.Decide(b)
				if d.Confidence >= 0.95 || d.Support >= 0.95 {
					t.Fatalf("%s: %v is sure without a certificate", name, d)
				}
			}
		}
	}
}

func TestNoCertificateIfManyWouldBeWorseThanChance(t *testing.T) {
	w := newWorld(52, 2, even(10, 0.85, 0.85)...)
	w.liars = 4
	b := newBook(nil)
	w.fill(b, 300, 0)
	c := b.Model().Certificate()
	if c.OK || c.Below < 0.15 {
		t.Errorf("four liars of ten have %+v", c)
	}
	w.liars, w.sleeps = 7, 0.1
	all := newBook(nil)
	w.fill(all, 300, 0)
	if c := all.Model().Certificate(); c.Block < 0.5 {
		t.Errorf("seven liars of ten, nine times of ten, have %+v", c)
	}
}

func TestNoCertificateIfDecisionsRestOnVotersWhoAlwaysAgree(t *testing.T) {
	for _, x := range []struct {
		block float64
		told  int
		ok    bool
	}{{0.05, 0, true}, {0.38, 0, false}, {0.38, 100, true}} {
		c := Certificate{Block: x.block}
		c.weigh(100, x.told)
		if c.OK != x.ok || strings.Contains(c.Reason(), "38 % of the decisions rest on") == x.ok {
			t.Errorf("%+v with %d outcomes told: %q", c, x.told, c.Reason())
		}
	}
}

func TestABlockHasTheVotersWhoAgreeWithNearlyEveryAnswer(t *testing.T) {
	vote := func(said ...int32) votes { return votes{voter: []int32{0, 1, 2, 3, 4}, said: said, field: 3} }
	b := newBatch(3, false)
	for range 20 {
		b.add(vote(0, 0, 0, 1, 1))
	}
	lead := make([]int, 20)
	if got := b.block(lead); got != 1 {
		t.Errorf("three who always agree against two turn %v of the decisions, want all", got)
	}
	b.Said[0], b.Said[1] = 1, 2 // voters 0 and 1 say something else once
	if got := b.block(lead); got != 0.95 {
		t.Errorf("once they are a minority: %v, want 19 of 20", got)
	}
	b.Said[5] = 1 // voter 0 now agrees in 18 of 20
	if got := b.block(lead); got != 0 {
		t.Errorf("with one of them outside the block: %v, want none", got)
	}
	few := newBatch(3, false)
	for range 9 {
		few.add(vote(0, 0, 0, 1, 1))
	}
	if got := few.block(lead[:9]); got != 0 {
		t.Errorf("in nine decisions: %v, want none", got)
	}
}

func TestDoubtWithholdsDecisionsBelowTheThreshold(t *testing.T) {
	m := *stranger
	m.certificate = Certificate{Below: 0.4, Doubt: 0.6}
	b, _ := consensus.NewBallots(nil, []string{"a"}, []consensus.Vote{vote(0, "a"), vote(1, "a"), vote(2, "a")})
	d := Strategy{&m}.Decide(b)
	if d.Outcome != consensus.Uncertified || d.Choice != "" || d.Leader() != "a" || d.Confidence <= 0 {
		t.Errorf("%v, want it uncertified with a leader", d)
	}
	if e := (Strategy{}).Decide(b); e.Outcome != consensus.Reached {
		t.Errorf("%v, want it reached with a certificate", e)
	}
}
