package reliability

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// apart returns the hearing with a voice of its own for every voter.
func (h *hearing) apart() *hearing {
	slow := *h
	slow.voices = nil
	for _, v := range h.voices {
		one := v
		one.n = whole
		slow.voices = append(slow.voices, slices.Repeat([]voice{one}, int(v.n/whole))...)
	}
	return &slow
}

func TestCountedNewcomersWeighAsIndividuals(t *testing.T) {
	for name, o := range kinds(3) {
		for _, every := range []int{-1, 0, 3} {
			m := newBook(o).Model()
			if every >= 0 {
				_, m = learnedFrom(o, 31, every)
			}
			within := 1e-9
			if every >= 0 {
				within = 1e-3 // a dozen sweeps come closer when they move many votes at once
			}
			t.Run(fmt.Sprint(name, every), rapid.MakeCheck(func(t *rapid.T) {
				for _, h := range m.hear(drawCrowd(t)) {
					got, want := m.answer(h).probabilities(0.2), m.answer(h.apart()).probabilities(0.2)
					for c := range got {
						if math.Abs(got[c]-want[c]) > within {
							t.Fatalf("probabilities %v, one by one %v", got, want)
						}
					}
				}
			}))
		}
	}
}

// drawCrowd draws ballots of a few voters known to models, and of many newcomers with one of two weights.
func drawCrowd(t *rapid.T) consensus.Ballots {
	var cast []consensus.Vote
	for j := range 30 {
		v := vote(j, rapid.SampledFrom(letters(3)).Draw(t, "proposal"))
		v.Stance = rapid.SampledFrom([]consensus.Stance{consensus.Agree, consensus.Agree, consensus.Disagree}).Draw(t, "stance")
		v.Weight = rapid.SampledFrom([]float64{0.5, 1}).Draw(t, "weight")
		cast = append(cast, v)
	}
	b, err := consensus.NewBallots(nil, letters(3), cast)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCountedEqualVotersWeighAsIndividuals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mu, rho := drawStrengths(t), rapid.Float64Range(0, 0.95).Draw(t, "rho")
		times, apart := make([]float64, len(mu)), []float64(nil)
		for i := range mu {
			n := rapid.IntRange(1, 5).Draw(t, "times")
			times[i] = float64(n)
			apart = append(apart, slices.Repeat(mu[i:i+1], n)...)
		}
		got, each, want := make([]float64, len(mu)), []float64(nil), make([]float64, len(apart))
		equal(mu, rho, times, got)
		equal(apart, rho, fill(len(apart), 1), want)
		for i, w := range got {
			each = append(each, slices.Repeat([]float64{w}, int(times[i]))...)
		}
		alike(t, each, want, 1e-9)
	})
}

func TestNewcomersWhoVoteAlikeAreOneVoice(t *testing.T) {
	m := new(Book).Model()
	var cast []consensus.Vote
	for j := range 1000 {
		cast = append(cast, vote(j, letters(5)[j%5]))
	}
	b, err := consensus.NewBallots(nil, letters(5), cast)
	if err != nil {
		t.Fatal(err)
	}
	h := m.hear(b)[0]
	n := 0
	for _, v := range h.voices {
		n += int(v.n / whole)
	}
	if len(h.voices) != 5 || n != 1000 {
		t.Errorf("%d voices of %d voters, want 5 of 1000", len(h.voices), n)
	}
}

func TestHearingsEqualQuestions(t *testing.T) {
	for name, o := range kinds(3) {
		_, m := learnedFrom(o, 32, 0)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			b := drawBallots(t, nil, letters(3))
			var got, want []string
			for i, h := range m.hear(b) {
				for _, v := range h.voices {
					s := h.said[v.said]
					got = append(got, slices.Repeat([]string{fmt.Sprint(i, h.field, h.own, v.voter, s.among, s.not, v.weight)}, int(v.n/whole))...)
				}
			}
			for i, q := range m.kind.questions(b) {
				for _, x := range q.ballots {
					if x.among != nil {
						slices.Sort(x.among)
						want = append(want, fmt.Sprint(i, q.field, q.own, m.voter(x.voter), x.among, x.not, x.weight))
					}
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("heard %q, want %q", got, want)
			}
		}))
	}
}

func TestABallotAgainstAllButOneIsForThatOne(t *testing.T) {
	for _, c := range []struct {
		among  []int32
		not    bool
		choice int32
		single bool
	}{
		{[]int32{1}, false, 1, true},
		{[]int32{0, 2}, false, 0, false},
		{[]int32{0, 2}, true, 1, true},
		{[]int32{0, 1}, true, 2, true},
		{[]int32{0}, true, 0, false},
		{nil, true, 0, false},
	} {
		s := said{among: c.among, not: c.not}
		if choice, single := s.single(3); choice != c.choice || single != c.single {
			t.Errorf("%v, not %v: %d, %v, want %d, %v", c.among, c.not, choice, single, c.choice, c.single)
		}
	}
}

func TestABallotForSeveralIsAsProbableAsAnyOfThem(t *testing.T) {
	w := newWorld(4600, 3, even(6, 0.9, 0.5)...)
	b := newBook(&Options{Choices: w.choices})
	w.fill(b, 100, 0)
	s := b.Learn().params.Subtypes
	for c := range 3 * subkinds {
		p := func(l int32) float64 { return math.Exp(s.says(2, l)[c]) }
		for _, x := range []struct {
			said
			want float64
		}{
			{said{among: []int32{1}}, p(1)},
			{said{among: []int32{0, 2}}, p(0) + p(2)},
			{said{among: []int32{1}, not: true}, p(0) + p(2)},
		} {
			if got := math.Exp(s.any(2, &x.said, c)); math.Abs(got-x.want) > 1e-9 {
				t.Errorf("%v in kind %d: %v, want %v", x.said, c, got, x.want)
			}
		}
	}
}

// against returns a voter's votes against all of the proposals.
func against(j int, proposals []string) (cast []consensus.Vote) {
	for _, p := range proposals {
		v := vote(j, p)
		v.Stance = consensus.Disagree
		cast = append(cast, v)
	}
	return cast
}

func TestAVoteAgainstAllSharedChoicesSaysNothing(t *testing.T) {
	for k := 2; k < 6; k++ {
		b := newBook(&Options{Choices: letters(k)})
		newWorld(5, k, even(5, 0.9, 0.5)...).fill(b, 60, 3)
		m := b.Learn()
		for j := range 6 {
			cast := []consensus.Vote{vote((j+1)%5, "b"), vote((j+2)%5, "b")}
			with, _ := m.Probabilities(between(t, letters(k), append(against(j, letters(k)), cast...)...))
			without, _ := m.Probabilities(between(t, letters(k), cast...))
			if apart := floats.Distance(with, without, math.Inf(1)); apart > 0.1 {
				t.Errorf("%d choices: v%d is against all, so they have %.3f, and without it %.3f", k, j, with, without)
			}
		}
	}
}

func TestOneVoterDoesNotVetoAllProposals(t *testing.T) {
	b := newBook(nil)
	newWorld(5, 4, even(6, 0.9, 0.5)...).fill(b, 60, 0)
	m := b.Learn()
	for k := 2; k < 8; k++ {
		own := letters(k)
		cast := append(against(5, own), vote(0, "a"), vote(1, "a"), vote(2, "a"), vote(3, own[k-1]))
		ballots := between(t, own, cast...)
		for _, s := range m.Structures(ballots) {
			if s.None > 0.3 {
				t.Errorf("one of five is against all %d proposals: by %s that has %.3f", k, s.Name, s.None)
			}
		}
		if d := (Strategy{m}).Decide(ballots); d.Leader() != "a" {
			t.Errorf("one of five is against all %d proposals: %v", k, d)
		}
	}
}
