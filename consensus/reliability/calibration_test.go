package reliability

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/consensus"
)

// talkers are voters right in 0.7 of their votes, of whom some mean what they say and some do not.
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

func TestCertaintyIsHeardAsFarAsItMeansSomething(t *testing.T) {
	measures(t)
	for name, o := range kinds(3) {
		if o != nil && o.Stances {
			continue // a vote for one proposal leaves the others unsaid
		}
		for _, every := range []int{0, 3} {
			m := stated(talkers(3, 3), o, 1500, every)
			spread := make([]float64, 6)
			for j := range spread {
				low, ok := m.Calibrated("v"+string(rune('0'+j)), 0.55, 3)
				high, also := m.Calibrated("v"+string(rune('0'+j)), 0.9, 3)
				if !ok || !also {
					t.Fatal(name, "nothing is known of what weights mean")
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

func TestNewcomersAreHeardAsTheOthersAre(t *testing.T) {
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
		t.Errorf("log-odds of newcomers rise by %.2f among those who do not mean it and those who do", spread)
	}
}

func TestCalibratedIsHowOftenVotersAreRight(t *testing.T) {
	measures(t)
	w := talkers(5, 2)
	m := stated(w, &Options{Choices: w.choices}, 3000, 2)
	// What v5 says at 0.9 is 1.1 of its standard deviations above what it usually says.
	want := sigma(logit(0.7) + 2*(logit(0.9)-logit(0.75)))
	if got, _ := m.Calibrated("v5", 0.9, 2); math.Abs(got-want) > 0.05 {
		t.Errorf("at 0.9 the voter is right in %.3f, want %.3f", got, want)
	}
	if got, _ := m.Calibrated("v0", 0.9, 2); math.Abs(got-0.7) > 0.05 {
		t.Errorf("who does not mean it is right in %.3f, want 0.7", got)
	}
	if r, _ := m.Reliability("v5", 2); math.Abs(r.Sensitivity-0.66) > 0.05 {
		t.Errorf("reliability %.3f, want how often it is right in all", r.Sensitivity)
	}
}

func TestSlopesOfPlantedVotersAreFound(t *testing.T) {
	measures(t)
	for _, every := range []int{0, 2, 1} {
		w := talkers(5, 2)
		m := stated(w, &Options{Choices: w.choices}, 2000, every)
		for j, want := range w.means {
			if got := m.params.Stated.Slope[j]; math.Abs(got-want) > 0.3 {
				t.Errorf("an outcome in %d: voter %d has the slope %.2f, want %v", every, j, got, want)
			}
		}
		t.Logf("an outcome in %d: %.2f", every, m.params.Stated.Slope[:6])
	}
}

func TestHearingCertaintyDecidesBetter(t *testing.T) {
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

// allSaying is the same votes of one weight.
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

func TestWhoAlwaysSaysTheSameIsTakenForWhatItIsWorth(t *testing.T) {
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

func TestCertaintyNeverTurnsAVoteOrRaisesANewcomer(t *testing.T) {
	w := talkers(13, 2)
	w.means[0] = -1 // surer where it is wrong
	m := stated(w, nil, 300, 0)
	probable := func(voter string, weight float64) float64 {
		v := vote(0, "a")
		v.Voter, v.Weight = voter, weight
		return firstOf(m, []consensus.Vote{v, vote(1, "b"), vote(2, "a")})
	}
	for _, voter := range []string{"v0", "v5", "newcomer"} {
		without := probable(voter, 0)
		const reading = 0.002 // that counts a voter as worse than chance may weigh so much
		for weight, was := 0.01, without-reading; weight <= 1; weight += 0.01 {
			p := probable(voter, weight)
			if p < was-1e-9 {
				t.Errorf("%s for a at %.2f makes a %.4f probable, and %.4f when less sure", voter, weight, p, was)
			}
			was = p
		}
	}
	if p, q := probable("v0", 0), firstOf(m, []consensus.Vote{vote(1, "b"), vote(2, "a")}); p != q {
		t.Errorf("a vote of weight 0 makes %.4f of %.4f", p, q)
	}
	usual := sigma(m.params.Stated.Pool)
	if p, q := probable("newcomer", usual), probable("newcomer", 1); math.Abs(p-q) > 1e-9 {
		t.Errorf("a newcomer that is sure of all it says makes %.4f of %.4f", q, p)
	}
	if p, q := probable("v5", usual), probable("v5", 1); q < p+0.02 {
		t.Errorf("who means what it says makes %.4f of %.4f", q, p)
	}
}

// firstOf is how probable votes make a, of a and b.
func firstOf(m *Model, cast []consensus.Vote) float64 {
	b, err := consensus.NewBallots(nil, []string{"a", "b"}, cast)
	if err != nil {
		panic(err)
	}
	each, _ := m.Probabilities(b)
	return each[0]
}

func TestCertaintyOfAnyBallotIsHeard(t *testing.T) {
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

func TestSlopesFollowTheLikelihood(t *testing.T) {
	for name, o := range kinds(3) {
		w := talkers(17, 3)
		b := newBook(o)
		w.fill(b, 40, 4)
		e := newEM(&b.batch, b.o)
		e.start(e.shares)
		e.count()
		e.rows(0)
		e.rates()
		e.m.tables()
		g, h := make([]float64, 6), make([]float64, 6)
		e.slopes(g, h)
		const step = 1e-4
		for j := range g {
			at := e.m.Stated.Slope[j]
			var l [3]float64
			for i := range l {
				e.m.Stated.Slope[j] = at + step*float64(i-1)
				l[i] = expectedLikelihood(e, int32(j))
			}
			e.m.Stated.Slope[j] = at
			if want := (l[2] - l[0]) / (2 * step); math.Abs(g[j]-want) > 1e-3 {
				t.Errorf("%s, voter %d: gradient %.5f, differences say %.5f", name, j, g[j], want)
			}
			if want := -(l[2] - 2*l[1] + l[0]) / (step * step); math.Abs(h[j]-want) > 0.01*want {
				t.Errorf("%s, voter %d: curvature %.4f, differences say %.4f", name, j, h[j], want)
			}
		}
	}
}

// expectedLikelihood is the part of the expected log-likelihood that depends on voter j's slope, term by term.
func expectedLikelihood(e *em, j int32) (sum float64) {
	for t := range e.b.size() {
		v := e.b.votes(t)
		for i, voter := range v.voter {
			if voter != j {
				continue
			}
			for at, p := range e.resp[t*e.b.Choices*levels:][:e.b.Choices*levels] {
				z := e.m.Rate[int(j)*e.m.cols()+at/levels%e.m.cols()] + e.m.x[at%levels] + slowLift(e.m, j, v.stated[i], int(v.field))
				if at/levels == int(v.said[i]) {
					sum += p * math.Log(sigma(z))
				} else {
					sum += p * math.Log(sigma(-z))
				}
			}
		}
	}
	return sum
}

func TestATeamIsAsSureAsItsSurest(t *testing.T) {
	b := newBatch(3, true)
	b.add(votes{voter: []int32{0, 1, 2, 3}, said: []int32{0, 0, 1, 0}, stated: []float64{0.6, 0.9, 0.7, 1}, field: 3})
	one := b.asTeams([]int32{0, 0, -1, -1})
	if v := one.votes(0); len(v.voter) != 3 || v.stated[0] != 0.9 || v.stated[1] != 0.7 || v.stated[2] != 1 {
		t.Errorf("%+v, want the two as sure as the surer", v)
	}
}

func TestStatedWeightsAreKeptWithTheirVotes(t *testing.T) {
	w := talkers(19, 2)
	b := newBook(&Options{Choices: w.choices, Window: 80})
	plain := *w
	plain.means = nil
	plain.fill(b, 40, 0)
	w.fill(b, 50, 0)
	for i, x := range b.batch.Stated {
		if early := i < 6*(b.Len()-50); early != (x == 1) {
			t.Fatalf("vote %d of %d decisions states %v", i, b.Len(), x)
		}
	}
	saved, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	for _, damage := range [][2]string{
		{`"stated":[1,`, `"stated":[`},
		{`"stated":[1,`, `"stated":[0,`},
		{`"stated":[1,`, `"stated":[2,`},
	} {
		if err := json.Unmarshal([]byte(strings.Replace(string(saved), damage[0], damage[1], 1)), new(Book)); err == nil {
			t.Errorf("restored with %s", damage[1])
		}
	}
}

func TestDamagedCalibrationIsRefused(t *testing.T) {
	for i, damage := range []func(*calibration){
		func(c *calibration) { c.Slope = c.Slope[1:] },
		func(c *calibration) { c.Usual = c.Usual[1:] },
		func(c *calibration) { c.Slope[0] = -1 },
		func(c *calibration) { c.Usual[0] = 100 },
		func(c *calibration) { c.Pool = -100 },
		func(c *calibration) { c.Mean = -1 },
		func(c *calibration) { c.Sd = -1 },
	} {
		w := talkers(23, 2)
		b := newBook(nil)
		w.fill(b, 30, 0)
		b.Learn()
		damage(b.model.params.Stated)
		saved, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(saved, new(Book)); err == nil {
			t.Errorf("restored with damage %d", i)
		}
	}
}

// Who always says little is taken for what it is worth: were it thought worse than its votes by so much that it is
// heard as chance, it would be learned to be better, and better, until it decides alone.
func TestWhoSaysLittleOrMuchDoesNotTakeOver(t *testing.T) {
	measures(t)
	for name, o := range kinds(2) {
		for _, weight := range []float64{1, 0.5, 0.2, 0.1, 0.02} {
			w := newWorld(37, 2, append(even(10, 0.85, 0.75), 0.5)...)
			b := newBook(o)
			ask := func() (consensus.Ballots, string) {
				ballots, truth := w.decision(nil)
				var cast []consensus.Vote
				for v := range ballots.Votes() {
					v.Weight = []float64{0.7, 0.9}[w.IntN(2)]
					if v.Voter == "v10" {
						v.Weight = weight
					}
					cast = append(cast, v)
					if o != nil && o.Stances {
						v.ProposalID, v.Stance = w.choices['b'-v.ProposalID[0]], consensus.Disagree
						cast = append(cast, v)
					}
				}
				again, err := consensus.NewBallots(nil, w.choices, cast)
				if err != nil {
					t.Fatal(err)
				}
				return again, truth
			}
			for range 150 {
				ballots, _ := ask()
				if err := b.Observe("", ballots); err != nil {
					t.Fatal(err)
				}
			}
			m, right := b.Learn(), 0
			for range 200 {
				ballots, truth := ask()
				each, _ := m.Probabilities(ballots)
				if w.choices[best(each)] == truth {
					right++
				}
			}
			if right < 180 {
				t.Errorf("%s: %d of 200 right when who tosses coins says %v", name, right, weight)
			}
			if r, _ := m.Reliability("v10", 1); r.Sensitivity > 0.7 {
				t.Errorf("%s: who tosses coins and says %v is held to be right in %.2f", name, weight, r.Sensitivity)
			}
		}
	}
}

func TestWeightsMeanWhatTheyDidUntilMostVotersStateThem(t *testing.T) {
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
			t.Errorf("%d of 5 said 0.9 once: what weights mean is known: %v", unsure, ok)
		}
		observe(40, 0) // and now that has left
		if _, ok := b.Learn().Calibrated("v0", 0.7, 2); ok {
			t.Error("what weights mean is known from decisions that left")
		}
	}
}

func TestAskingHearsCertainty(t *testing.T) {
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
		t.Errorf("of two alike %s is asked", got)
	}
	m.params.Stated.Usual[2] = 1
	if got := m.Next(voted(0.7), []string{"v1", "v2"}, nil); got != "v2" {
		t.Errorf("%s is asked, and not who is usually surer", got)
	}
	m.params.Stated.Usual[2], m.params.Base[2] = 0, 0.9
	pair := m.params.Corr.Pair
	pair[1], pair[4] = 0.2, 0.2 // of v0 and v1
	if got := m.Next(voted(0.1), []string{"v1", "v2"}, nil); got != "v1" {
		t.Errorf("%s is asked after an unsure vote of who errs with v1, who is the better", got)
	}
	if got := m.Next(voted(0.98), []string{"v1", "v2"}, nil); got != "v2" {
		t.Errorf("%s is asked after a sure vote of who errs with v1", got)
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
		t.Errorf("asking who is usually surer is worth %.4f, asking another %.4f", sure, usual)
	}
}

func TestWhoIsWorseThanChanceIsJudgedAsSureAsItUsuallyIs(t *testing.T) {
	b := newBatch(2, true)
	b.add(votes{voter: []int32{0, 1}, said: []int32{0, 0}, stated: []float64{0.7, 0.7}, field: 2})
	p := equals(2).params
	p.Rate[0] = -0.5
	if got, one := p.below(&b, clearly); got != 0.5 || one != 0.5 {
		t.Errorf("%v of the votes are by who is worse than chance, want half", got)
	}
	p.Stated.Usual[0] = 1
	if got, _ := p.below(&b, clearly); got != 0 {
		t.Errorf("%v of the votes are by who is worse than chance when it says less than it does", got)
	}
}

// equals is a model of voters who are alike.
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
