package reliability

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// three is a fit of the votes of five voters, with two sources and rates at random.
func three(t *rapid.T) *following {
	b := newBatch(4, false)
	voted := 0
	for range rapid.IntRange(1, 12).Draw(t, "decisions") {
		var v votes
		for j := range int32(6) {
			if l := rapid.Int32Range(-1, 3).Draw(t, "said"); l >= 0 {
				v.voter, v.said = append(v.voter, j), append(v.said, l)
				voted++
			}
		}
		v.field = 4
		b.add(v)
		b.Known[b.size()-1] = rapid.Int32Range(-1, 3).Draw(t, "known")
	}
	b.Voters = 6
	of := newCoinFit(&b)
	of.others = rapid.Float64Range(1, 4).Draw(t, "others")
	f := fitted(of, [][]int32{{0, 2}, {1, 3, 4}})
	rate := rapid.Float64Range(0.05, 0.95)
	for j := range f.right {
		f.right[j] = rate.Draw(t, "right")
	}
	f.source[0], f.source[1], f.follow = rate.Draw(t, "source"), rate.Draw(t, "source"), rate.Draw(t, "follow")
	return f
}

// The likelihood is the sum over all that the sources may have said: one of the candidates, or something that nobody
// says, whose probability is what is left.
func TestLikelihoodOfVotesIsSummedOverWhatSourcesSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := three(t)
		n := newNamed(4)
		v := f.of.b.votes(0)
		n.only(v.said)
		for j := range f.says {
			f.says[j] = -1
		}
		for i, j := range v.voter {
			f.says[j] = v.said[i]
		}
		for c := range 4 {
			wrong := n.wrong(c, f.of.others)
			want := 1.0
			if l := f.says[5]; l >= 0 {
				want *= f.own(5, c, wrong)
			}
			for g, of := range f.groups {
				sum, rest := 0.0, 1.0
				for s := range int32(5) { // 4: what nobody says
					p := (1 - f.source[g]) / wrong
					if s == int32(c) {
						p = f.source[g]
					}
					switch {
					case s == 4:
						p = max(0, rest)
					case s != int32(c) && !slices.ContainsFunc(of, func(j int32) bool { return f.says[j] == s }):
						continue
					}
					rest -= p
					for _, j := range of {
						switch l := f.says[j]; {
						case l == s:
							p *= f.follow + (1-f.follow)*f.own(j, c, wrong)
						case l >= 0:
							p *= (1 - f.follow) * f.own(j, c, wrong)
						}
					}
					sum += p
				}
				want *= sum
			}
			if got := f.likelihood(f.alone(), c, wrong); !(math.Abs(got-want) <= 1e-9*want) {
				t.Fatalf("of %v if %d is right: %v, want %v", f.says, c, got, want)
			}
		}
	})
}

// A round of expectation maximisation never makes the posterior less probable.
func TestRoundsNeverFitSourcesWorse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := three(t)
		before := math.Inf(-1)
		for range 8 {
			source := slices.Clone(f.source)
			f.round()
			score := f.score // of the rates before the round
			for _, x := range source {
				score += 3*math.Log(x) + math.Log(1-x)
			}
			if !(score >= before-1e-9) {
				t.Fatalf("%v after %v", score, before)
			}
			before = score
		}
	})
}
