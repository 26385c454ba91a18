package mode

import "slices"

// check asks the members for answers, four at first and, unless they agree, the others;
// where answers differ, judges read an argument for each of them: three, and others as long
// as answers are tied.
func (p *Plan) check(calls []Call, tied bool) Step {
	drafts, distinct := only(calls, Answer), len(Distinct(calls))
	if spoke := len(calls) - len(drafts); spoke > 0 {
		switch {
		case !tied:
			return Step{Over: "its judges have spoken"}
		case Price(calls)+priceOf(distinct) > float64(p.Calls):
			return Step{}
		}
		return p.ask(Verdict, spoke, 1, len(p.Members))
	}
	if len(drafts) >= agreed && distinct == 1 {
		return Step{Over: "all answers agree"}
	}
	if n := min(p.drafts(), len(p.Members)); len(drafts) < n {
		first := max(agreed, n)
		if len(drafts) == 0 {
			first = agreed
		}
		return p.ask(Answer, len(drafts), first, n)
	}
	n := min(judges, int((float64(p.Calls)-Price(calls))/priceOf(distinct)))
	if distinct < 2 || n < 1 {
		return Step{}
	}
	return p.ask(Verdict, 0, n, len(p.Members))
}

// drafts returns how many members answer, so that three judges can be paid who read two
// arguments. Of more arguments, which cost more to read, fewer judges are paid.
func (p *Plan) drafts() int { return max(1, p.Calls-judges*2+1) }

// verdicts are what judges say of the answers that were given.
type verdicts struct {
	of                 int // judges
	accepted, rejected []string
}

func judged(calls []Call) (v verdicts) {
	given := Distinct(calls)
	for _, c := range only(calls, Verdict) {
		v.of++
		for _, a := range given {
			if a == c.Answer {
				v.accepted = append(v.accepted, a)
			}
			if slices.Contains(c.Rejects, a) {
				v.rejected = append(v.rejected, a)
			}
		}
	}
	return v
}

// best returns those of tied answers that the most judges accept, of those that not most of
// them reject, if there are any.
func (v *verdicts) best(tied []string) []string {
	left := slices.DeleteFunc(slices.Clone(tied), v.rejects)
	if len(left) == 0 {
		left = tied
	}
	n := 0
	for _, a := range left {
		n = max(n, times(v.accepted, a))
	}
	return slices.DeleteFunc(slices.Clone(left), func(a string) bool { return times(v.accepted, a) < n })
}

// rejects reports whether most judges reject an answer.
func (v *verdicts) rejects(answer string) bool { return 2*times(v.rejected, answer) > v.of }

// times returns how often an answer occurs.
func times(all []string, answer string) (n int) {
	for _, a := range all {
		if a == answer {
			n++
		}
	}
	return n
}

// most returns what occurs most often, the first of those, and how often.
func most(all []string) (best string, n int) {
	for _, a := range all {
		if of := times(all, a); of > n {
			best, n = a, of
		}
	}
	return best, n
}
