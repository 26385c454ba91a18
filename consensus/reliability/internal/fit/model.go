package fit

// Model is what a batch taught. It is never modified.
type Model struct {
	Told  float64 // 0 if votes say no more of each other than each voter's habit does, which teaches nothing, to 1
	Doubt Doubt   // how far the votes leave open whether their consensus is right

	voters int
	first  []int32 // by voter, the first of those it copies; nil: no copies
	modes  *modes
	peers  *peers // nil before anything is learned
	known  *correction
	crowd  float64 // from 0.1 in a small team to 1
	voting float64 // voters learned from, of copies one
	stack  float64 // share of peers in what predicts votes best
	tells  float64 // how far that is told, from 0 in a small team or by a few decisions to 1
}

// Learn learns from a batch. It is deterministic, and the order of the decisions makes no difference.
func Learn(b *Batch) *Model {
	b = b.telling()
	m := &Model{voters: b.Voters, first: b.copies()}
	b = b.oneOfEach(m.first)
	for _, n := range b.Cast() {
		m.voting += min(1, n)
	}
	m.crowd = max(0.1, ramp(m.voting, 3, 23))
	m.modes = learnModes(b, m.crowd)
	m.peers = learnPeers(b, m.modes.all[0].errors, m.crowd)
	m.Told = 1
	if !b.Before {
		m.Told, m.stack = m.stacked(b)
		m.tells = ramp(m.crowd, smallTeam, 0.8) * ramp(float64(len(b.Votes)), 30, 100)
	}
	m.known = m.correct(b)
	m.Doubt = m.modes.doubts(b, m.crowd, float64(b.outcomes()))
	return m
}

// Newcomer returns the number that stands for voters who are not known.
func (m *Model) Newcomer() int32 { return int32(m.voters) }

// First returns the first of the voters that the voter copies or is copied by, or the voter itself.
func (m *Model) First(j int32) int32 {
	if int(j) < len(m.first) {
		return m.first[j]
	}
	return j
}

// Right returns how often the voter is right on a choice, or where decisions have their own candidates on any.
func (m *Model) Right(j int32, choice int) float64 {
	return m.modes.average(func(r *rates) float64 { return r.on(m.First(j), min(choice, r.choices-1)) })
}

// Strength returns a voter's log-odds above chance.
func (m *Model) Strength(j int32) float64 {
	return m.modes.average(func(r *rates) float64 { return r.strength(m.First(j)) })
}

// Errors returns the mean correlation of two voters' errors.
func (m *Model) Errors() float64 { return m.modes.all[0].errors }

// Probabilities returns the probability of each candidate, without the doubt, given the votes and the correlation of
// errors that votes cannot show. Without votes it returns nil.
func (m *Model) Probabilities(v *Votes, residual float64) []float64 {
	if len(v.Voter) == 0 {
		return nil
	}
	v = m.read(v)
	p := logs(m.mixed(v, residual))
	m.known.apply(v, p)
	return p
}

// read returns the votes with those of copies as of the first of them, who share one vote.
func (m *Model) read(v *Votes) *Votes {
	if m.first == nil {
		return v
	}
	r, n := *v, map[int32]float64{}
	r.Voter, r.Times = make([]int32, len(v.Voter)), make([]float64, len(v.Voter))
	for i, j := range v.Voter {
		r.Voter[i] = m.First(j)
		n[r.Voter[i]]++
	}
	for i, j := range r.Voter {
		r.Times[i] = v.times(i)
		if int(j) < m.voters {
			r.Times[i] /= n[j]
		}
	}
	return &r
}

// mixed returns the mean of what rates and peers say (linear opinion pool: Stone, 1961): votes do not show which of them
// holds, and the mean is sure only where both are.
func (m *Model) mixed(v *Votes, residual float64) []float64 {
	p, share := m.modes.probabilities(v, residual*m.crowd), make([]float64, v.Field)
	if m.peers == nil || !m.peers.shares(v, v.parts(), share) {
		return p
	}
	w := m.peersWeight()
	for c := range p {
		p[c] = (p[c] + w*share[c]) / (1 + w)
	}
	return p
}

// peersWeight is 0 for one voter and 2 in a crowd: one voter of three has only two peers. Once a crowd has decided often
// enough to tell, it is 1/2, and more as far as votes are better predicted by peers.
func (m *Model) peersWeight() float64 {
	w := ramp(m.voting, 1, 9)*min(1, m.crowd/0.3) + m.crowd
	return w + m.tells*((1+2*m.stack)/(1-m.stack)/2-w)
}

// probabilities returns the mean over the modes.
func (m *modes) probabilities(v *Votes, residual float64) []float64 {
	p, ev := make([]float64, v.Field), make([]float64, v.Field)
	for i, r := range m.all {
		f := r.factors(v, v.parts())
		r.joint(v, f, ev)
		discount := 1 / (1 + residual*max(0, sum(f)-1)) // Kish, 1965
		for c := range ev {
			ev[c] *= discount
		}
		softmax(ev)
		for c, x := range ev {
			p[c] += m.likely[i] * x
		}
	}
	return p
}
