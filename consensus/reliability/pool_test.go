package reliability

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/consensus"
)

// learnedFrom returns a small world and the model learned from it, with outcomes unless every is 0.
func learnedFrom(o *Options, seed uint64, every int) (*world, *Model) {
	w := newWorld(seed, 3, even(6, 0.9, 0.4)...)
	b := newBook(o)
	w.fill(b, 80, every)
	return w, b.Learn()
}

// slowAnswer multiplies probabilities, where the pool adds logarithms.
func slowAnswer(m *Model, v votes, rho float64) []float64 {
	p := m.params
	f, lift := make([]float64, len(v.voter)), make([]float64, len(v.voter))
	for i, j := range v.voter {
		lift[i] = slowLift(p, j, v.sure(i), p.Choices)
	}
	p.weights(cast{voter: v.voter, lift: lift}, p.Choices, f)
	n := 0.0
	for i, j := range v.voter {
		above := p.Base[j] + math.Log(float64(p.Choices-1))
		n += f[i] * min(1, max(0.01, math.Abs(above+lift[i]))/max(0.01, math.Abs(above)))
	}
	answer := make([]float64, p.Choices)
	for c := range answer {
		answer[c] = math.Exp(p.Prior[c])
		for i, j := range v.voter {
			at := int(j)*p.Choices + c
			right := 1 / (1 + math.Exp(-p.Rate[at]-lift[i]))
			says := right
			if l := int(v.said[i]); l != c {
				says = (1 - right) * math.Exp(p.Wrong[at*p.Choices+l])
			}
			answer[c] *= math.Pow(says, f[i])
		}
		if p.Stances {
			before := math.Exp(p.Prior[c])
			answer[c] = before * math.Pow(answer[c]/before, 1/(1+rho*max(0, n-1)))
			continue
		}
		answer[c] = math.Pow(answer[c], 1/(1+rho*max(0, n-1)))
	}
	normalise(answer)
	if p.Refit != nil {
		for c := range answer {
			answer[c] = math.Pow(answer[c], p.Refit.Scale)
		}
		for i, j := range v.voter {
			if int(j) < len(p.Refit.Bonus) {
				answer[v.said[i]] *= math.Exp(p.Refit.Bonus[j])
			}
		}
		normalise(answer)
		for c := range answer {
			answer[c] = answer[c]*(1-p.Refit.Lapse) + p.Refit.Lapse/float64(len(answer))
		}
	}
	return answer
}

// slowLift returns what a voter's stated confidence adds to its log-odds.
func slowLift(p *parameters, j int32, stated float64, k int) float64 {
	if p.Stated == nil {
		return 0
	}
	stated = math.Min(0.98, math.Max(0.02, stated))
	lift := p.Stated.Slope[j] * (math.Log(stated) - math.Log(1-stated) - p.Stated.Pool)
	if above := p.Base[j] + math.Log(float64(k-1)); above < 0 {
		return math.Max(lift, 0)
	} else {
		return math.Max(lift, -above)
	}
}

func normalise(p []float64) {
	s := 0.0
	for _, x := range p {
		s += x
	}
	for i := range p {
		p[i] /= s
	}
}

func TestPoolIsTheProductOfProbabilities(t *testing.T) {
	for _, every := range []int{0, 2, 3} {
		w := newWorld(21, 3, even(6, 0.9, 0.4)...)
		if every == 3 {
			w.means = even(6, 0, 1.5)
		}
		m := stated(w, &Options{Choices: letters(3)}, 80, every)
		m.params.Peers, m.params.Crowd = nil, 1 // only the rates structure
		if (m.params.Refit != nil) != (every > 0) {
			t.Fatalf("refit is %v", m.params.Refit)
		}
		for range 50 {
			b, _ := w.decision(nil)
			v := votes{field: 3}
			for x := range b.Votes() {
				v.voter, v.said = append(v.voter, m.voter(x.Voter)), append(v.said, m.kind.choices[x.ProposalID])
				v.stated = append(v.stated, x.Weight)
			}
			got, _ := m.Probabilities(b)
			want := slowAnswer(m, v, consensus.DefaultCorrelation)
			for c := range got {
				if math.Abs(got[c]-want[c]) > 1e-9 {
					t.Fatalf("probabilities %v, want %v", got, want)
				}
			}
			fast := make([]float64, 3)
			(&weigher{m: m.params}).evidence(v, fast)
			m.params.Refit.apply(v, fast)
			for c := range fast {
				if math.Abs(fast[c]-want[c]) > 1e-9 {
					t.Fatalf("while fitting %v, want %v", fast, want)
				}
			}
		}
	}
}

func drawBallots(t *rapid.T, o *consensus.Options, names []string) consensus.Ballots {
	var cast []consensus.Vote
	for j := range rapid.IntRange(0, 9).Draw(t, "voters") {
		for _, name := range names {
			if stance := rapid.SampledFrom([]int{0, 0, 1, 1, 2, 3}).Draw(t, "stance"); stance > 0 {
				cast = append(cast, consensus.Vote{
					Voter: fmt.Sprint("v", j), ProposalID: name, Stance: consensus.Stance(stance),
					Weight: float64(rapid.IntRange(0, 4).Draw(t, "weight")) / 4,
				})
			}
		}
	}
	b, err := consensus.NewBallots(o, names, cast)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestProbabilitiesAddUp(t *testing.T) {
	for name, o := range kinds(3) {
		for _, every := range []int{0, 3} {
			_, m := learnedFrom(o, 22, every)
			t.Run(fmt.Sprint(name, every), rapid.MakeCheck(func(t *rapid.T) {
				names := letters(3)[:rapid.IntRange(1, 3).Draw(t, "proposals")]
				b := drawBallots(t, nil, names)
				each, none := m.Probabilities(b)
				sum := none
				for _, p := range append(each, none) {
					if !(p >= 0 && p <= 1) {
						t.Fatalf("probabilities %v and %v", each, none)
					}
				}
				for _, p := range each {
					sum += p
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Errorf("%v and %v add up to %v", each, none, sum)
				}
			}))
		}
	}
}

func TestOrderOfProposalsAndVotesDoesNotMatter(t *testing.T) {
	for name, o := range kinds(3) {
		_, m := learnedFrom(o, 23, 3)
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			b := drawBallots(t, nil, letters(3))
			cast := slices.Collect(b.Votes())
			slices.Reverse(cast)
			turned, err := consensus.NewBallots(nil, []string{"c", "b", "a"}, cast)
			if err != nil {
				t.Fatal(err)
			}
			x, xn := m.Probabilities(b)
			y, yn := m.Probabilities(turned)
			slices.Reverse(y)
			if !slices.Equal(x, y) || xn != yn {
				t.Errorf("%v and %v, turned round %v and %v", x, xn, y, yn)
			}
		}))
	}
}

func TestNamesAreOnlyIdentity(t *testing.T) {
	learn := func(name func(int) string, choices []string) []float64 {
		w := newWorld(24, 3, even(6, 0.9, 0.4)...)
		b := newBook(&Options{Choices: choices})
		var last consensus.Ballots
		for range 150 {
			x, _ := w.decision(nil)
			var cast []consensus.Vote
			for v := range x.Votes() {
				var j int
				fmt.Sscanf(v.Voter, "v%d", &j)
				v.Voter, v.ProposalID = name(j), choices[v.ProposalID[0]-'a']
				cast = append(cast, v)
			}
			last, _ = consensus.NewBallots(nil, choices, cast)
			if err := b.Observe("", last); err != nil {
				t.Fatal(err)
			}
		}
		each, _ := b.Model().Probabilities(last)
		return each
	}
	x := learn(func(j int) string { return fmt.Sprint("v", j) }, []string{"a", "b", "c"})
	y := learn(func(j int) string { return fmt.Sprint("w", 9-j) }, []string{"z", "y", "x"})
	for c := range x {
		if math.Abs(x[c]-y[c]) > 1e-3 {
			t.Errorf("probabilities %v under other names, before %v", y, x)
		}
	}
}

func TestVotesForSeveralOrAgainstSome(t *testing.T) {
	m := new(Book).Model()
	decide := func(votes ...consensus.Vote) ([]float64, float64) {
		b, err := consensus.NewBallots(nil, letters(3), votes)
		if err != nil {
			t.Fatal(err)
		}
		return m.Probabilities(b)
	}
	against := func(j int, p string) consensus.Vote {
		v := vote(j, p)
		v.Stance = consensus.Disagree
		return v
	}
	if each, none := decide(); none != 0.25 || slices.Max(each) != 0.25 || slices.Min(each) != 0.25 {
		t.Errorf("without a vote: %v and %v", each, none)
	}
	if each, _ := decide(vote(0, "a"), against(1, "a"), vote(1, "b")); each[0] != each[1] {
		t.Errorf("one vote each: %v", each)
	}
	one, _ := decide(vote(0, "a"), vote(1, "b"))
	both, _ := decide(vote(0, "a"), vote(0, "b"), vote(1, "b"))
	if both[1] <= one[1] || both[0] <= 0.05 {
		t.Errorf("a voter for a or b: %v, for a alone: %v", both, one)
	}
	not, none := decide(vote(0, "a"), vote(1, "b"), against(2, "a"))
	if not[1] <= not[0] || none <= 0 {
		t.Errorf("a voter against a: %v and %v", not, none)
	}
}

func TestLessWeightIsLessEvidence(t *testing.T) {
	for name, o := range kinds(3) {
		_, m := learnedFrom(o, 25, 0)
		before, first := 0.0, 0.0
		for _, weight := range []float64{0, 0.25, 0.5, 1} {
			v := vote(0, "a")
			v.Weight = weight
			b, _ := consensus.NewBallots(nil, letters(3), []consensus.Vote{vote(1, "b"), v})
			each, _ := m.Probabilities(b)
			if each[0] < before {
				t.Errorf("%s: probability %v at weight %v, %v at less", name, each[0], weight, before)
			}
			if weight == 1 && each[0] <= first {
				t.Errorf("%s: probability %v at weight 1, %v at 0", name, each[0], first)
			}
			if weight == 0 {
				first = each[0]
			}
			before = each[0]
		}
	}
}

func TestAVotersVotesAreOneBallot(t *testing.T) {
	m := new(Book).Model()
	of := func(seqs ...uint64) []float64 {
		cast := []consensus.Vote{vote(0, "a"), vote(0, "b"), vote(1, "a"), vote(1, "b"), vote(2, "c")}
		for i := range cast {
			cast[i].Seq = seqs[i]
		}
		b, err := consensus.NewBallots(nil, letters(3), cast)
		if err != nil {
			t.Fatal(err)
		}
		each, _ := m.Probabilities(b)
		return each
	}
	if x, y := of(1, 2, 3, 4, 5), of(1, 4, 2, 5, 3); !slices.Equal(x, y) {
		t.Errorf("probabilities %v, with votes in between %v", x, y)
	}
}

func TestWrongAnswersAreLearned(t *testing.T) {
	w := newWorld(26, 3, even(5, 0.9, 0.9)...)
	b := newBook(&Options{Choices: letters(3)})
	for i := range 300 {
		truth := w.IntN(3)
		var cast []consensus.Vote
		for j := range 5 {
			said := truth
			if w.IntN(5) < 2 {
				said = []int{1, 1, 0}[truth] // a is mistaken for b and c for a; b is never mistaken
			}
			cast = append(cast, vote(j, w.choices[said]))
		}
		ballots, _ := consensus.NewBallots(nil, w.choices, cast)
		if err := observe(b, fmt.Sprint(i), ballots, w.choices[truth], true); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	ballots, _ := consensus.NewBallots(nil, w.choices, []consensus.Vote{vote(0, "b")})
	if each, _ := m.Probabilities(ballots); each[0] < 4*each[2] {
		t.Errorf("one voter for b: %v, though only a is taken for it", each)
	}
}

func TestFrequentAnswersNeedLessEvidence(t *testing.T) {
	w := newWorld(27, 2, even(5, 0.75, 0.75)...)
	b := newBook(&Options{Choices: letters(2)})
	for i := range 300 {
		ballots, right := w.decision(nil)
		for right != "a" && i%5 > 0 { // a is right in nine of ten
			ballots, right = w.decision(nil)
		}
		if err := b.Observe("", ballots); err != nil {
			t.Fatal(err)
		}
	}
	m := b.Learn()
	ballots, _ := consensus.NewBallots(nil, letters(2), []consensus.Vote{vote(0, "a"), vote(1, "b")})
	if each, _ := m.Probabilities(ballots); each[0] < 0.65 {
		t.Errorf("one vote each: %v, although a is nearly always right", each)
	}
}

func TestNoneOfTheseIsPossibleWithAVoteForItOrFewVotes(t *testing.T) {
	m := newcomers(kind{}, defaults)
	for _, c := range []struct {
		said     []int32
		possible bool
	}{{[]int32{0, 0, 1}, false}, {[]int32{1, 1, 1}, false}, {[]int32{0, 2, 1}, true}, {[]int32{0, 0}, true}, {[]int32{1}, true}} {
		lp := make([]float64, 3)
		m.prior(votes{said: c.said, field: 3}, -1, lp)
		if got := !math.IsInf(lp[2], -1); got != c.possible || lp[0] != 0 || lp[1] != 0 {
			t.Errorf("votes for %d give %v", c.said, lp)
		}
	}
}

// Candidate 3 is "none of these": a voter that says so is right, or wrong with a probability of its own.
func TestVotesOnOwnProposalsMeanTheSameInLearningAndPooling(t *testing.T) {
	_, m := learnedFrom(nil, 4, 0)
	p := m.params
	v := votes{voter: []int32{0, 2, 4, 5}, said: []int32{1, 3, 1, 0}, field: 4, lift: []float64{0, 0.3, 0, -0.2}}
	f := []float64{1, 0.5, 0, 0.25}
	got := make([]float64, 4)
	p.joint(v, f, -1, got)
	for c := range got {
		want := 0.0
		for i, j := range v.voter {
			said := sigma(p.Rate[j] + v.lift[i])
			if l := int(v.said[i]); l != c {
				said = (1 - said) * p.instead(4, c, l)
			}
			want += f[i] * math.Log(said)
		}
		if math.Abs(got[c]-want) > 1e-9 {
			t.Errorf("candidate %d has %v, want %v", c, got[c], want)
		}
	}
}

func TestWithoutVotesNothingIsSure(t *testing.T) {
	for name, o := range kinds(2) {
		w := newWorld(77, 2, even(5, 0.9, 0.6)...)
		b := newBook(o)
		w.fill(b, 40, 0)
		m := b.Learn()
		for _, doubt := range []float64{0, 0.3} {
			m.certificate.Doubt = doubt
			abstains := vote(0, "a")
			abstains.Stance = consensus.Abstain
			for _, cast := range [][]consensus.Vote{nil, {abstains, vote(1, "elsewhere")}} {
				ballots, err := consensus.NewBallots(nil, letters(2), cast)
				if err != nil {
					t.Fatal(err)
				}
				want := consensus.Bayesian{}.Decide(ballots.Close())
				got := Strategy{m}.Decide(ballots.Close())
				if got.Confidence != want.Confidence || got.None != want.None || got.Outcome != want.Outcome || len(got.Leaders) > 0 {
					t.Errorf("%s, doubt %v: %v, none %v; want %v, none %v", name, doubt, got, got.None, want, want.None)
				}
			}
		}
	}
}

func TestVotesOfVanishingConfidenceLeaveProbabilitiesThatSumToOne(t *testing.T) {
	_, m := learnedFrom(nil, 4, 0)
	var cast []consensus.Vote
	for _, p := range letters(9) {
		for _, v := range []consensus.Vote{vote(0, p), vote(1, p)} {
			v.Weight = math.SmallestNonzeroFloat64
			cast = append(cast, v)
		}
	}
	b, err := consensus.NewBallots(nil, letters(9), cast)
	if err != nil {
		t.Fatal(err)
	}
	each, none := m.Probabilities(b)
	sum := none
	for _, x := range each {
		sum += x
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("%v and %v for none sum to %v", each, none, sum)
	}
}
