package mode

// check asks the members for answers, four at first and, unless they agree, the others;
// where answers differ, judges read an argument for each of them.
func (p *Plan) check(calls []Call) Step {
	drafts, distinct := only(calls, Answer), len(Distinct(calls))
	if len(drafts) < len(calls) {
		return Step{Over: "its judges have spoken"}
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
// or three arguments; they are fewer if there are more.
func (p *Plan) drafts() int { return max(1, p.Calls-judges*2+1) }

// verdicts returns which answers were accepted, of those that were given, and the number
// of judges.
func verdicts(calls []Call) (accepted []string, of int) {
	given := Distinct(calls)
	for _, c := range only(calls, Verdict) {
		of++
		for _, a := range given {
			if a == c.Answer {
				accepted = append(accepted, a)
			}
		}
	}
	return accepted, of
}

// most returns what occurs most often, the first of those, and how often.
func most(all []string) (best string, times int) {
	n := map[string]int{}
	for _, a := range all {
		n[a]++
	}
	for _, a := range all {
		if n[a] > times {
			best, times = a, n[a]
		}
	}
	return best, times
}
