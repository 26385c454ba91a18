package reliability

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

func TestPeersAgreeByWeightAndWithOutcomes(t *testing.T) {
	b := newBatch(3, false)
	for _, known := range []int32{-1, 1, 2} {
		b.add(votes{voter: []int32{0, 1, 2}, said: []int32{0, 0, 1}, field: 3})
		b.Known[b.size()-1] = known
	}
	b.add(votes{voter: []int32{3}, said: []int32{0}, field: 3}) // without peers
	b.Voters = 4
	usual := []float64{0.7, 0.3, 0}
	observed := func(said int, above ...float64) (a agreement) {
		for _, x := range above {
			x -= usual[said]
			a = agreement{a.n + 1, a.sum + x, a.squares + x*x}
		}
		return a
	}
	got := (&peers{[]float64{1, 3, 2, 1}}).agreements(&b, nil)
	want := []agreement{
		observed(0, 3.0/5, 0, 0), // with 3 of 5, then wrong twice
		observed(0, 1.0/3, 0, 0),
		observed(1, 0, 1, 0), // alone, then right, then wrong
		{},
	}
	for j := range want {
		if !floats.EqualApprox([]float64{got[j].n, got[j].sum, got[j].squares}, []float64{want[j].n, want[j].sum, want[j].squares}, 1e-12) {
			t.Errorf("voter %d: agreement %+v, want %+v", j, got[j], want[j])
		}
	}
}

// The weights are computed from all observations as textbooks do.
func TestPeersAreWeightedByAnAnalysisOfVariance(t *testing.T) {
	for name, best := range map[string]float64{"one far above the others": 0.6, "one far below": -0.6, "a few above": 0.1} {
		var seen [][]float64 // by voter
		var of []agreement
		for j := range 20 {
			mean, n := 0.5, 10+3*(j%7)
			if j == 0 || best == 0.1 && j%3 == 0 {
				mean += best
			}
			var mine []float64
			a := agreement{}
			for i := range n {
				x := mean + 0.2*math.Sin(float64(7*i+j))
				mine = append(mine, x)
				a = agreement{a.n + 1, a.sum + x, a.squares + x*x}
			}
			seen, of = append(seen, mine), append(of, a)
		}
		seen, of = append(seen, nil), append(of, agreement{}) // has no votes

		grand, n, squares := stat.Mean(slices.Concat(seen...), nil), 0.0, 0.0
		within, between, groups := 0.0, 0.0, 20.0
		for _, mine := range seen[:20] {
			m, k := stat.Mean(mine, nil), float64(len(mine))
			for _, x := range mine {
				within += (x - m) * (x - m)
			}
			between += k * (m - grand) * (m - grand)
			n, squares = n+k, squares+k*k
		}
		noise := within / (n - groups)
		spread := (between/(groups-1) - noise) * (groups - 1) / (n - squares/n)
		z, reliable := make([]float64, len(seen)), 0.0
		for j, mine := range seen[:20] {
			r := spread / (spread + noise/float64(len(mine)))
			reliable += r * float64(len(mine)) / n
			z[j] = max(-3, min(3, r*(stat.Mean(mine, nil)-grand)/math.Sqrt(spread)))
		}
		want := make([]float64, len(z))
		for j := range z {
			want[j] = math.Exp(1.5 * reliable * z[j])
		}
		floats.Scale(float64(len(want))/floats.Sum(want), want)

		p := &peers{fill(len(of), 1)}
		if p.fit(of, 1.5); !floats.EqualApprox(p.Weight, want, 1e-9) {
			t.Errorf("%s: weights %.4f, want %.4f", name, p.Weight, want)
		}
		if far := math.Abs(z[0]) == 3; far != (best != 0.1) {
			t.Errorf("%s: it is %.2f deviations from the mean", name, z[0])
		}
	}
}

func TestPeersOfEqualVotersAreEqual(t *testing.T) {
	p := &peers{[]float64{2, 1, 0}}
	p.fit([]agreement{{4, 2, 2}, {4, 2, 2}, {}}, 5)
	if !slices.Equal(p.Weight, []float64{1, 1, 1}) || p.weight(7) != 1 {
		t.Errorf("weights %v, of a newcomer %v, want 1", p.Weight, p.weight(7))
	}
}

func TestAPeerWithoutVotesIsBetweenTheOthers(t *testing.T) {
	p := &peers{[]float64{1, 1, 1}}
	p.fit([]agreement{{4, 4, 4}, {4, 0, 0}, {}}, 1) // always and never
	if w := p.Weight; !(w[0] > w[2] && w[2] > w[1] && w[1] > 0) {
		t.Errorf("weights %v", w)
	}
}

func TestPeersSettleWhateverTheTilt(t *testing.T) {
	for voters, tilt := range map[int]float64{3: 0.5, 7: 1, 40: 5} {
		b := newBook(&Options{Choices: letters(3), First: 1 << 20})
		newWorld(31, 3, even(voters, 0.9, 0.4)...).fill(b, 200, 0)
		p := newPeers(&b.batch, nil, tilt)
		again := &peers{slices.Clone(p.Weight)}
		if again.fit(again.agreements(&b.batch, nil), tilt); !floats.EqualApprox(p.Weight, again.Weight, 0.01) {
			t.Errorf("%d voters: weights %.3f, and %.3f after one more round", voters, p.Weight, again.Weight)
		}
	}
}

func TestTheTiltIsTheDesignEffectWithinABound(t *testing.T) {
	for _, c := range []struct{ crowd, correlation, density, want float64 }{
		{1, 0, 40, 1}, {1, 0.05, 21, 2}, {1, 0.1, 61, 5}, {0.1, 0, 5, 0.5}, {0.3, 0.02, 9, 1.16},
	} {
		m := &parameters{Crowd: c.crowd, Density: c.density, Corr: &correlation{Pooled: c.correlation}}
		if got := m.tilt(); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: tilt %v", c, got)
		}
	}
}

func TestPeersWhoErrTogetherCountLessInACrowd(t *testing.T) {
	for voters, slope := range map[int]float64{5: 0.2, 30: 2} {
		b := newBatch(2, false)
		v := votes{field: 2}
		for j := range int32(voters) {
			v.voter, v.said = append(v.voter, j), append(v.said, min(j/2, 1)) // the first two against all others
		}
		b.add(v)
		corr := &correlation{Voters: voters, Pair: make([]float64, voters*voters)}
		corr.Pair[1], corr.Pair[voters] = 0.3, 0.3
		peer, all := 1-0.3*slope, float64(voters-2)+1-0.3*slope
		usual := 2 / float64(voters)
		got := (&peers{fill(voters, 1)}).agreements(&b, corr)[0]
		if want := peer/all - usual; math.Abs(got.sum-want) > 1e-9 {
			t.Errorf("%d voters: agreement %.4f, want %.4f", voters, got.sum, want)
		}
	}
}

func TestOwnProposalsHaveNoUsualShare(t *testing.T) {
	b := newBatch(2, true)
	b.add(votes{voter: []int32{0, 1}, said: []int32{0, 0}, field: 3})
	if got := b.usual(); !slices.Equal(got, make([]float64, len(got))) {
		t.Errorf("usual shares %v", got)
	}
}
