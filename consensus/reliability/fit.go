package reliability

// em is the state of a fit by expectation maximisation (Dempster, Laird and Rubin, 1977).
type em struct {
	b    *batch
	one  *batch // with one vote of copies
	o    Options
	m    *parameters
	post [][]float64 // [decision][candidate]
	f    []float64   // weight of each vote; nil: 1
	lift []float64   // what each vote's stated confidence adds to the log-odds; nil without a calibration
	n, r []float64   // expected votes and right votes, [voter*columns]
	info []float64   // curvature at each rate
	rowN []float64   // expected wrong votes, [voter][truth][said]
}

// fit fits parameters to a batch, in which voters of the same group in copies share one vote. It starts from the shares
// of the votes, or from the parameters from. It is deterministic and takes about Rounds · votes · choices operations.
func fit(b *batch, o Options, copies []int32, from *parameters) *parameters {
	e := newEM(b, o, copies)
	e.start(e.shares)
	if from != nil {
		e.m = from.grow(b.Voters)
		e.lifts()
		e.weigh()
		e.expect()
	}
	e.run()
	return e.m
}

// shares fills p with the candidates' shares of the votes on decision t. Copies count as one voter.
func (e *em) shares(t int, p []float64) {
	v := e.b.votes(t)
	sum := 0.0
	for i, l := range v.said {
		w := 1.0
		if e.f != nil {
			w = e.f[int(e.b.Start[t])+i]
		}
		p[l] += w
		sum += w
	}
	for l := range p {
		p[l] /= max(sum, 1e-300)
	}
}

// run alternates M and E steps.
func (e *em) run() {
	for round := range e.o.Rounds {
		e.count()
		e.rows()
		e.rates()
		e.others()
		if round > 1 {
			e.spreads()
			e.listen()
		}
		e.m.tables()
		if round >= 3 && round%3 == 0 {
			e.weigh()
		}
		e.expect()
	}
}

func newEM(b *batch, o Options, copies []int32) *em {
	m := &parameters{
		Shared: copies,

		Choices: b.Choices, Voters: b.Voters, Own: b.Own, Stances: b.Stances, Mean: o.Right,
		SdVoter: o.Voter, SdClass: o.Class, SdPool: o.Pool, Rows: o.Rows, Residual: o.Residual,
	}
	c := m.cols()
	m.Stated = newCalibration(b, o.Right)
	m.Rate, m.Base, m.Shift = fill(b.Voters*c, o.Right), fill(b.Voters, o.Right), make([]float64, c)
	m.Prior = make([]float64, b.Choices)
	e := &em{
		b: b, one: b.oneOfEach(copies), o: o, m: m, post: b.each(),
		n: make([]float64, b.Voters*c), r: make([]float64, b.Voters*c), info: make([]float64, b.Voters*c),
	}
	if !b.Own {
		m.Wrong = make([]float64, b.Voters*c*c)
		m.PoolWrong = make([]float64, c*c)
		e.rowN = make([]float64, b.Voters*c*c)
	}
	m.Others = 1
	m.Voting = e.one.voting()
	m.Crowd = crowd(m.Voting)
	e.lifts()
	if copies != nil {
		e.share(copies)
	}
	return e
}

// start sets the posteriors that the fit starts from. guess fills p for a decision whose outcome is not known.
func (e *em) start(guess func(t int, p []float64)) {
	for t, p := range e.post {
		if y := e.b.Known[t]; y >= 0 {
			p[y] = 1
		} else {
			guess(t, p)
		}
	}
}

// expect is the E step.
func (e *em) expect() {
	for t, p := range e.post {
		var f []float64
		if e.f != nil {
			f = e.f[e.b.Start[t]:e.b.Start[t+1]]
		}
		e.m.joint(e.votes(t), f, e.b.Known[t], p)
		softmax(p)
	}
}

// votes returns the votes on decision t with their lifts.
func (e *em) votes(t int) votes {
	v := e.b.votes(t)
	if e.lift != nil {
		v.lift = e.lift[e.b.Start[t]:e.b.Start[t+1]]
	}
	return v
}

// weigh recomputes the correlations and the weight of every vote.
func (e *em) weigh() {
	e.m.Corr = e.correlate()
	if e.f == nil {
		e.f = make([]float64, len(e.b.Voter))
	}
	w := weigher{m: e.m}
	for t := range e.b.size() {
		f, _ := w.of(e.votes(t))
		copy(e.f[e.b.Start[t]:], f)
	}
}
