package reliability

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

// slowWeights tries every set of voters that may have a weight above 0, and keeps the best feasible one.
func slowWeights(r *mat.SymDense, mu []float64) []float64 {
	n := len(mu)
	var best []float64
	least := math.Inf(1)
	for set := range 1 << n {
		var in []int
		for i := range n {
			if set>>i&1 == 1 {
				in = append(in, i)
			}
		}
		w := make([]float64, n)
		if len(in) > 0 {
			a, b, x := mat.NewDense(len(in), len(in), nil), mat.NewVecDense(len(in), nil), mat.NewVecDense(len(in), nil)
			for p, i := range in {
				b.SetVec(p, mu[i])
				for q, j := range in {
					a.Set(p, q, r.At(i, j))
				}
			}
			if x.SolveVec(a, b) != nil {
				continue
			}
			for p, i := range in {
				w[i] = x.AtVec(p)
			}
		}
		if slices.Min(w) < -1e-12 {
			continue
		}
		v := mat.NewVecDense(n, w)
		if cost := mat.Inner(v, r, v)/2 - mat.Dot(mat.NewVecDense(n, mu), v); cost < least {
			least, best = cost, w
		}
	}
	return best
}

func drawStrengths(t *rapid.T) []float64 {
	return rapid.SliceOfN(rapid.Float64Range(0.01, 3), 1, 6).Draw(t, "strengths")
}

func TestEqualCorrelationsAreSolvedExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu, rho := drawStrengths(t), rapid.Float64Range(0, 0.95).Draw(t, "rho")
		n := len(mu)
		r := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				r.SetSym(i, j, rho)
			}
			r.SetSym(i, i, 1)
		}
		got, want := make([]float64, n), slowWeights(r, mu)
		equal(mu, rho, fill(n, 1), got)
		alike(t, got, want, 1e-9)
	})
}

func TestPairsAreSolvedWell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu := drawStrengths(t)
		n := len(mu)
		c := &correlation{Pooled: rapid.Float64Range(0, 0.3).Draw(t, "pooled"), Voters: n, Pair: make([]float64, n*n)}
		r := mat.NewSymDense(n, nil)
		voter := make([]int32, n)
		for i := range n {
			voter[i] = int32(i)
			r.SetSym(i, i, 1)
			for j := range i {
				// Small enough for the matrix to be positive definite.
				x := rapid.Float64Range(0, 0.9/float64(n)).Draw(t, "pair")
				r.SetSym(i, j, x)
				c.Pair[i*n+j], c.Pair[j*n+i] = x, x
			}
		}
		got := make([]float64, n)
		c.descend(voter, mu, fill(n, 1), got)
		alike(t, got, slowWeights(r, mu), 1e-3)
	})
}

func alike(t *rapid.T, got, want []float64, within float64) {
	t.Helper()
	for i := range got {
		if math.Abs(got[i]-want[i]) > within {
			t.Fatalf("weights %v, want %v", got, want)
		}
	}
}

func TestCopiesShareOneVote(t *testing.T) {
	m := newcomers(kind{}, defaults).grow(3)
	m.Corr = &correlation{Voters: 3, Pair: []float64{0, .98, 0, .98, 0, 0, 0, 0, 0}}
	f := make([]float64, 3)
	m.weights(cast{voter: []int32{0, 1, 2}}, 2, f)
	if s := f[0] + f[1]; math.Abs(s-1) > 0.05 || f[2] < 0.99 {
		t.Errorf("weights %v, want the first two to share about one vote", f)
	}
}

func TestClonesAreFound(t *testing.T) {
	w := newWorld(11, 3, even(12, 0.75, 0.65)...)
	w.clones = 3
	b := newBook(&Options{Choices: letters(3)})
	w.fill(b, 400, 0)
	m := b.Model()
	if a, c := m.Correlation("v10", "v11"), m.Correlation("v0", "v1"); a < 0.5 || c > 0.2 {
		t.Errorf("clones have a correlation of %.2f, others of %.2f", a, c)
	}
	right, confidence := w.score(Strategy{m}, 500)
	w.clones = 0 // independent opinions must be worth more than clones
	if better, _ := w.score(Strategy{m}, 500); better < right {
		t.Errorf("right in %.3f with clones, in %.3f without", right, better)
	}
	if confidence > right+0.05 {
		t.Errorf("right in %.3f with clones, confidence %.3f", right, confidence)
	}
}

func TestReusedWeightsEqualComputedOnes(t *testing.T) {
	m := newcomers(kind{}, defaults).grow(4)
	copy(m.Base, []float64{0.1, 1, 2})
	m.Corr = &correlation{Pooled: 0.4}
	w := weigher{m: m}
	for _, v := range []votes{
		{voter: []int32{0, 1, 2}, said: []int32{0, 0, 1}, field: 3},
		{voter: []int32{0, 1, 2}, said: []int32{1, 0, 1}, field: 3},
		{voter: []int32{0, 1, 2}, said: []int32{1, 0, 1}, field: 6},
		{voter: []int32{0, 1, 2}, said: []int32{1, 0, 1}, field: 6, lift: []float64{0.5, 0, -0.5}},
		{voter: []int32{0, 2, 1}, said: []int32{1, 0, 1}, field: 6, lift: []float64{0.5, 0, -0.5}},
	} {
		want := make([]float64, 3)
		n := m.weights(cast{voter: v.voter, lift: v.lift}, int(v.field), want)
		if got, votes := w.of(v); !slices.Equal(got, want) || votes != n {
			t.Errorf("%+v weigh %.3f, %.3f in all, want %.3f and %.3f", v, got, votes, want, n)
		}
	}
}
