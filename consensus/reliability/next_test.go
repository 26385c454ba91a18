package reliability

import (
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

func TestNextConsidersStatedConfidence(t *testing.T) {
	m := equals(4)
	voted := func(weight float64) consensus.Ballots {
		v := vote(0, "a")
		v.Weight = weight
		b, err := consensus.NewBallots(nil, []string{"a", "b"}, []consensus.Vote{v})
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if got := m.Next(voted(0.7), []string{"v1", "v2"}, nil); got != "v1" {
		t.Errorf("of two equal voters %s is asked", got)
	}
	m.params.Stated.Usual[2] = 1
	if got := m.Next(voted(0.7), []string{"v1", "v2"}, nil); got != "v2" {
		t.Errorf("%s is asked, not the voter who is usually surer", got)
	}
	m.params.Stated.Usual[2], m.params.Base[2] = 0, 0.9
	pair := m.params.Corr.Pair
	pair[1], pair[4] = 0.2, 0.2 // between v0 and v1
	if got := m.Next(voted(0.1), []string{"v1", "v2"}, nil); got != "v1" {
		t.Errorf("%s is asked after an unsure vote of a voter who errs with v1, the better one", got)
	}
	if got := m.Next(voted(0.98), []string{"v1", "v2"}, nil); got != "v2" {
		t.Errorf("%s is asked after a sure vote of a voter who errs with v1", got)
	}
	one := voted(0.7)
	price := func() (price float64) {
		for price = 0.001; !m.Enough(one, []string{"v3"}, Stop{Sure: 1, Worth: price}); price *= 1.1 {
		}
		return price
	}
	usual := price()
	m.params.Stated.Usual[3] = 1
	if sure := price(); sure < 1.2*usual {
		t.Errorf("asking the voter who is usually surer is worth %.4f, asking another %.4f", sure, usual)
	}
}

func TestNewsIsWorthLessTheMoreItCosts(t *testing.T) {
	dear := func(string) float64 { return 4 }
	for news, want := range map[float64]float64{2: 0.5, 0: 0, -2: -8} {
		if got := worth(news, "v0", dear); got != want {
			t.Errorf("news of %v at a cost of 4 is worth %v, want %v", news, got, want)
		}
	}
}
