package mode

// factsFirst asks the members for facts, and then the best of them, who read them, for
// answers: three, or one if the budget does not suffice. Another one answers if none of
// these did, and as long as their answers are tied.
func (p *Plan) factsFirst(calls []Call, tied bool) Step {
	told := len(only(calls, Facts))
	switch {
	case p.holders() == 0:
		return p.single(calls)
	case told == 0:
		return p.ask(Facts, 0, len(p.Members), p.holders())
	}
	answered := len(only(calls, Answer))
	switch {
	case len(Distinct(calls)) > 0 && !tied:
		return Step{Over: "its readers have answered"}
	case answered == 0:
		return p.ask(Answer, 0, p.readers(told), len(p.Members))
	case Price(calls)+priceOf(told) > float64(p.Calls):
		return Step{}
	}
	return p.ask(Answer, answered, 1, len(p.Members))
}

// priceOf returns the price of a call that reads so many messages.
func priceOf(messages int) float64 { return 1 + Reading*float64(messages) }

// holders returns how many members are asked for facts, so that one reader can be paid; 0
// if none can.
func (p *Plan) holders() int {
	n := len(p.Members)
	for n > 0 && float64(n)+priceOf(n) > float64(p.Calls) {
		n--
	}
	return n
}

// readers returns how many members read the facts of so many.
func (p *Plan) readers(holders int) int {
	if float64(holders)+readers*priceOf(holders) > float64(p.Calls) {
		return 1
	}
	return readers
}
