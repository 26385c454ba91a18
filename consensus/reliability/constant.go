package reliability

const (
	constantShare = 0.1 // share of the votes for other choices expected in its place below which a voter is constant
	constantPrior = 0.5 // votes that are added to those expected and those counted
	specialist    = 0.5 // share of the usual below which the plurality is unusually seldom for another choice
)

// constant returns for each voter the choice that it names whatever the question, or -1: one in whose place, in the same
// decisions, it names others less than a tenth as often as the plurality of the other voters does. Such votes say nothing,
// and to learn from them does harm: voters who always name the same choice agree with each other, and by one explanation
// of the votes they are always right. A specialist, who only votes where the plurality names its choice unusually often,
// is not constant. With stances, a voter's sensitivity and specificity say as much. Where decisions have their own
// proposals, names mean nothing: every agent may name its proposals after itself, and vote for them. constant returns nil
// in both cases, and if there are no such voters.
func (b *batch) constant() []int32 {
	if b.Own || b.Stances {
		return nil
	}
	k := b.Choices
	by, count, all := make([]float64, b.Voters*k), make([]float64, k), make([]float64, k)
	for i, j := range b.Voter {
		by[int(j)*k+int(b.Said[i])]++
	}
	places := make([]place, b.Voters)
	for j := range places {
		places[j].choice = best(by[j*k:][:k])
	}
	for t := range b.size() {
		v := b.votes(t)
		clear(count)
		for _, l := range v.said {
			count[l]++
		}
		for c := range all {
			all[c] += elsewhere(count, c) / float64(b.size())
		}
		if len(v.voter) == 1 {
			continue // there is nobody to compare it with
		}
		for i, j := range v.voter {
			count[v.said[i]]--
			places[j].add(count, int(v.said[i]))
			count[v.said[i]]++
		}
	}
	constant, found := make([]int32, b.Voters), false
	for j, p := range places {
		constant[j] = -1
		if p.constant(all[p.choice]) {
			constant[j], found = int32(p.choice), true
		}
	}
	if !found {
		return nil
	}
	return constant
}

// place is what is counted in a voter's place, about the choice that it names most often: its votes, those for other
// choices, and how often the plurality of the other voters is for another.
type place struct {
	choice                 int
	votes, others, expects float64
}

// add adds a decision, given the votes of the others and what the voter says.
func (p *place) add(count []float64, said int) {
	p.votes++
	if said != p.choice {
		p.others++
	}
	p.expects += elsewhere(count, p.choice)
}

// constant reports whether the voter is, given how often the plurality is for another choice in all decisions.
func (p *place) constant(usual float64) bool {
	return p.others+constantPrior < constantShare*(p.expects+constantPrior) && p.expects >= specialist*usual*p.votes
}

// elsewhere returns 1 if the plurality is for another choice, 0 if it is for this one, and 1/2 for a tie.
func elsewhere(count []float64, choice int) float64 {
	most := 0.0
	for l, n := range count {
		if l != choice {
			most = max(most, n)
		}
	}
	switch {
	case most > count[choice]:
		return 1
	case most == count[choice]:
		return 0.5
	}
	return 0
}

// varied returns the batch without the votes of constant voters for the choice that they always name.
func (b *batch) varied(constant []int32) *batch {
	if constant == nil {
		return b
	}
	return b.only(b.Voters, func(v votes, i int) int32 {
		if constant[v.voter[i]] == v.said[i] {
			return -1
		}
		return v.voter[i]
	})
}

// constant returns the choice that voter j names whatever the question, or -1.
func (m *parameters) constant(j int32) int32 {
	if int(j) >= len(m.Constant) {
		return -1
	}
	return m.Constant[j]
}

// constant reports whether voice i names the choice that its voter names whatever the question.
func (a *answering) constant(i int) bool {
	v := a.voices[i]
	c, ok := a.said[v.said].single(a.field)
	return ok && !a.own && c == a.m.params.constant(v.voter)
}

// unasked returns the strength of a vote that voter j has yet to cast: none if it is known beforehand.
func (m *parameters) unasked(j int32, k int, lift float64) float64 {
	if m.constant(j) >= 0 {
		return 0
	}
	return m.strength(j, k, lift)
}
