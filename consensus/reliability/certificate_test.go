package reliability

import (
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestNoCertificateWhereTwoCampsFitAlike(t *testing.T) {
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

func TestNoCertificateWhereManyWouldBeWorseThanChance(t *testing.T) {
	w := newWorld(52, 2, even(10, 0.85, 0.85)...)
	w.liars = 4
	b := newBook(nil)
	w.fill(b, 300, 0)
	c := b.Model().Certificate()
	if c.OK || c.Below < 0.15 {
		t.Errorf("four liars of ten have %+v", c)
	}
}

func TestDoubtWithholdsWhatItLeavesBelowTheThreshold(t *testing.T) {
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
