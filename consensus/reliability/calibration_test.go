package reliability

import (
	"math"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// talkers returns a world whose voters are right in 0.7 of their votes; the stated confidence of some is informative.
func talkers(seed uint64, choices int) *world {
	w := newWorld(seed, choices, even(6, 0.7, 0.7)...)
	w.means = []float64{0, 0, 0, 1, 1, 2}
	return w
}

func stated(w *world, o *Options, n, every int) *Model {
	b := newBook(o)
	w.fill(b, n, every)
	return b.Learn()
}

func TestStatedConfidenceCountsAsFarAsItIsInformative(t *testing.T) {
	measures(t)
	for name, o := range kinds(3) {
		if o != nil && o.Stances {
			continue // a vote for one proposal says nothing about the others
		}
		for _, every := range []int{0, 3} {
			m := stated(talkers(3, 3), o, 1500, every)
			spread := make([]float64, 6)
			for j := range spread {
				low, ok := m.Calibrated("v"+string(rune('0'+j)), 0.55, 3)
				high, also := m.Calibrated("v"+string(rune('0'+j)), 0.9, 3)
				if !ok || !also {
					t.Fatal(name, "weights are not calibrated")
				}
				spread[j] = logit(high) - logit(low)
			}
			for j := range 3 {
				if spread[j] > 0.6 || spread[3+j] < spread[j]+0.5 {
					t.Errorf("%s, every %d: log-odds rise by %.2f with what is stated", name, every, spread)
				}
			}
		}
	}
}

func TestConfidenceOfNewcomersMeansWhatItDoesOnAverage(t *testing.T) {
	var spread [2]float64
	for i, meant := range []float64{0, 1} {
		w := talkers(4, 3)
		w.means = even(6, meant, meant)
		m := stated(w, &Options{Choices: w.choices}, 500, 0)
		low, _ := m.Calibrated("newcomer", 0.5, 3)
		high, _ := m.Calibrated("newcomer", 0.75, 3)
		spread[i] = logit(high) - logit(low)
	}
	if spread[0] > 0.3 || spread[1] < 0.7 {
		t.Errorf("log-odds of newcomers rise by %.2f among voters with uninformative and informative confidence", spread)
	}
}

func TestCalibratedReturnsHowOftenVotersAreRight(t *testing.T) {
	measures(t)
	w := talkers(5, 2)
	m := stated(w, &Options{Choices: w.choices}, 3000, 2)
	// When v5 states 0.9, that is 1.1 standard deviations above what it usually states.
	want := sigma(logit(0.7) + 2*(logit(0.9)-logit(0.75)))
	if got, _ := m.Calibrated("v5", 0.9, 2); math.Abs(got-want) > 0.05 {
		t.Errorf("at 0.9 the voter is right in %.3f, want %.3f", got, want)
	}
	if got, _ := m.Calibrated("v0", 0.9, 2); math.Abs(got-0.7) > 0.05 {
		t.Errorf("a voter with uninformative confidence is right in %.3f, want 0.7", got)
	}
	if r, _ := m.Reliability("v5", 2); math.Abs(r.Sensitivity-0.66) > 0.05 {
		t.Errorf("reliability %.3f, want how often the voter is right overall", r.Sensitivity)
	}
}

func TestStatedConfidenceImprovesDecisions(t *testing.T) {
	w := talkers(7, 2)
	o := &Options{Choices: w.choices}
	heard, deaf := newBook(o), newBook(o)
	for range 400 {
		b, _ := w.decision(nil)
		for book, ballots := range map[*Book]consensus.Ballots{heard: b, deaf: allSaying(b, 1)} {
			if err := book.Observe("", ballots); err != nil {
				t.Fatal(err)
			}
		}
	}
	h, d := heard.Learn(), deaf.Learn()
	var with, without float64
	for range 2000 {
		b, truth := w.decision(nil)
		p, _ := h.Probabilities(b)
		q, _ := d.Probabilities(allSaying(b, 1))
		place := int(truth[0] - 'a')
		with -= math.Log(p[place]) / 2000
		without -= math.Log(q[place]) / 2000
	}
	if with > without-0.05 {
		t.Errorf("log-loss %.3f, and %.3f without what was stated", with, without)
	}
}

// allSaying returns the same votes, all with the given weight.
func allSaying(b consensus.Ballots, weight float64) consensus.Ballots {
	var cast []consensus.Vote
	for v := range b.Votes() {
		v.Weight = weight
		cast = append(cast, v)
	}
	again, err := consensus.NewBallots(nil, b.Proposals(), cast)
	if err != nil {
		panic(err)
	}
	return again
}

func TestConstantStatedConfidenceHasNoEffect(t *testing.T) {
	for name, o := range kinds(3) {
		w := newWorld(11, 3, even(5, 0.9, 0.5)...)
		loud, quiet := newBook(o), newBook(o)
		for range 100 {
			b, _ := w.decision(nil)
			if err := loud.Observe("", b); err != nil {
				t.Fatal(err)
			}
			if err := quiet.Observe("", allSaying(b, 0.6)); err != nil {
				t.Fatal(err)
			}
		}
		b, _ := w.decision(nil)
		p, _ := loud.Learn().Probabilities(b)
		q, _ := quiet.Learn().Probabilities(allSaying(b, 0.6))
		for c := range p {
			if math.Abs(p[c]-q[c]) > 1e-9 {
				t.Errorf("%s: %v when all say 1, %v when all say 0.6", name, p, q)
			}
		}
	}
}

func TestConfidenceNeverReversesAVoteOrRaisesANewcomer(t *testing.T) {
	w := talkers(13, 2)
	w.means[0] = -1 // more confident when it is wrong
	m := stated(w, nil, 300, 0)
	probable := func(voter string, weight float64) float64 {
		v := vote(0, "a")
		v.Voter, v.Weight = voter, weight
		return firstOf(m, []consensus.Vote{v, vote(1, "b"), vote(2, "a")})
	}
	for _, voter := range []string{"v0", "v5", "newcomer"} {
		without := probable(voter, 0)
		for weight, was := 0.01, without; weight <= 1; weight += 0.01 {
			p := probable(voter, weight)
			if p < was-1e-9 {
				t.Errorf("%s for a at %.2f makes a %.4f probable, and %.4f when less sure", voter, weight, p, was)
			}
			was = p
		}
	}
	if p, q := probable("v0", 0), firstOf(m, []consensus.Vote{vote(1, "b"), vote(2, "a")}); p != q {
		t.Errorf("a vote of weight 0 changes the probability from %.4f to %.4f", q, p)
	}
	usual := sigma(m.params.Stated.Pool)
	if p, q := probable("newcomer", usual), probable("newcomer", 1); math.Abs(p-q) > 1e-9 {
		t.Errorf("with confidence 1 a newcomer raises the probability from %.4f to %.4f", p, q)
	}
	if p, q := probable("v5", usual), probable("v5", 1); q < p+0.02 {
		t.Errorf("with confidence 1 a voter with informative confidence raises the probability from %.4f only to %.4f", p, q)
	}
}

func TestLowConfidenceMovesVotersTowardsChanceFromEitherSide(t *testing.T) {
	for _, right := range []float64{0.2, 0.8} {
		m := equals(3)
		m.params.Coins = &coins{Modes: []coinMode{{Weight: 1, Right: []float64{right, 0.5, 0.5, 0.5}}}}
		says := func(weight float64) float64 {
			v, other := vote(0, "a"), vote(1, "b")
			v.Weight, other.Weight = weight, 0.7
			b, err := consensus.NewBallots(nil, letters(2), []consensus.Vote{v, other})
			if err != nil {
				t.Fatal(err)
			}
			p := m.read(b).questions[0].byCoins(0.2)
			return p[0] / (p[0] + p[1])
		}
		sure, unsure := says(0.7), says(0.05)
		if math.Abs(unsure-0.5) > 0.02 || math.Abs(sure-right) > 0.02 {
			t.Errorf("a voter right in %v gives its vote %.3f, and %.3f when it is unsure", right, sure, unsure)
		}
	}
}

func TestAnUnsureVoterHardlyCounts(t *testing.T) {
	m := equals(3)
	m.params.Corr.Pooled = 0.5
	m.params.Coins = &coins{Modes: []coinMode{{Weight: 1, Right: []float64{0.8, 0.8, 0.5, 0.5}}}}
	v, other := vote(0, "a"), vote(1, "b")
	v.Weight, other.Weight = 0.05, 0.7
	b, err := consensus.NewBallots(nil, letters(2), []consensus.Vote{v, other})
	if err != nil {
		t.Fatal(err)
	}
	p := m.read(b).questions[0].byCoins(0.2)
	if got := p[1] / (p[0] + p[1]); math.Abs(got-0.8) > 0.02 {
		t.Errorf("with an unsure voter, another is right with %.3f, want 0.8 as without it", got)
	}
}

// firstOf returns the probability that the votes give to a, of a and b.
func firstOf(m *Model, cast []consensus.Vote) float64 {
	b, err := consensus.NewBallots(nil, []string{"a", "b"}, cast)
	if err != nil {
		panic(err)
	}
	each, _ := m.Probabilities(b)
	return each[0]
}

func TestConfidenceCountsForEveryKindOfBallot(t *testing.T) {
	measures(t)
	shared := &Options{Choices: letters(3)}
	for _, c := range []struct {
		what           string
		o              *Options
		of, agree, not []string
	}{
		{"one of shared choices", shared, letters(3), []string{"a"}, nil},
		{"two of shared choices", shared, letters(3), []string{"a", "b"}, nil},
		{"against one of three", shared, letters(3), nil, []string{"c"}},
		{"proposals of its own", shared, []string{"x", "y", "z"}, []string{"x"}, nil},
		{"one", nil, letters(3), []string{"a"}, nil},
		{"two", nil, letters(3), []string{"a", "b"}, nil},
		{"against one", nil, letters(3), nil, []string{"c"}},
	} {
		m := stated(talkers(31, 3), c.o, 400, 2)
		wrong := func(weight float64) (p float64) {
			var cast []consensus.Vote
			for _, name := range c.agree {
				cast = append(cast, consensus.Vote{Voter: "v5", ProposalID: name, Stance: consensus.Agree, Weight: weight})
			}
			for _, name := range c.not {
				cast = append(cast, consensus.Vote{Voter: "v5", ProposalID: name, Stance: consensus.Disagree, Weight: weight})
			}
			cast = append(cast, consensus.Vote{Voter: "v4", ProposalID: c.of[2], Stance: consensus.Agree, Weight: 0.75})
			b, err := consensus.NewBallots(nil, c.of, cast)
			if err != nil {
				t.Fatal(err)
			}
			each, _ := m.Probabilities(b)
			return each[2]
		}
		if low, high := wrong(0.6), wrong(0.95); high > low-0.05 {
			t.Errorf("%s: what it is not for is %.3f probable when it is unsure, %.3f when it is sure", c.what, low, high)
		}
	}
}

func TestWeightsAreCalibratedOnceMostVotersStateThem(t *testing.T) {
	for _, unsure := range []int{1, 2, 3, 5} {
		w := newWorld(41, 2, even(5, 0.9, 0.6)...)
		b := newBook(&Options{Choices: w.choices, Window: 60})
		observe := func(n, unsure int) {
			for range n {
				ballots, _ := w.decision(nil)
				var cast []consensus.Vote
				for v := range ballots.Votes() {
					if int(v.Voter[1]-'0') < unsure {
						v.Weight = 0.9
					}
					cast = append(cast, v)
				}
				again, err := consensus.NewBallots(nil, w.choices, cast)
				if err != nil {
					t.Fatal(err)
				}
				if err := b.Observe("", again); err != nil {
					t.Fatal(err)
				}
			}
		}
		observe(1, unsure)
		observe(40, 0)
		if _, ok := b.Learn().Calibrated("v0", 0.7, 2); ok != (unsure >= 3) {
			t.Errorf("%d of 5 stated 0.9 once: calibrated is %v", unsure, ok)
		}
		observe(40, 0) // now those decisions have been dropped
		if _, ok := b.Learn().Calibrated("v0", 0.7, 2); ok {
			t.Error("weights are calibrated by decisions that were dropped")
		}
	}
}

func TestWorseThanChanceIsJudgedAtUsualConfidence(t *testing.T) {
	b := newBatch(2, true)
	b.add(votes{voter: []int32{0, 1}, said: []int32{0, 0}, stated: []float64{0.7, 0.7}, field: 2})
	p := equals(2).params
	p.Rate[0] = -0.5
	if got, one := p.below(&b, clearly); got != 0.5 || one != 0.5 {
		t.Errorf("%v of the votes are by voters worse than chance, want half", got)
	}
	p.Stated.Usual[0] = 1
	if got, _ := p.below(&b, clearly); got != 0 {
		t.Errorf("%v of the votes are by voters worse than chance below their usual confidence", got)
	}
}

// equals returns a model of n equal voters.
func equals(n int) *Model {
	o := defaults
	p := newcomers(newKind(&o), o).grow(n)
	p.Stated = &calibration{Mean: 1, Sd: 0.25, Pool: logit(0.7)}
	p = p.grow(n + 1)
	p.Corr = &correlation{Voters: n, Pair: make([]float64, n*n)}
	m := &Model{voters: map[string]int32{}, params: p, certificate: Certificate{OK: true}}
	for j := range n {
		m.voters["v"+string(rune('0'+j))] = int32(j)
	}
	return m
}
