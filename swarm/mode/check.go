package mode

import "slices"

// check asks the members for answers, four at first and, unless they agree, the others. Where answers differ, those who
// stand for what leads judge an argument for each answer, three at once, and a leader falls only if its own supporters
// leave it. It is over once all of them have judged, or the first three have and none has left.
func (p *Plan) check(calls []Call) Step {
	drafts, distinct := only(calls, Answer), len(Distinct(calls))
	judged, before := only(calls, Verdict), map[string]string{}
	for _, s := range sitting(drafts) {
		before[s.Agent] = s.Answer
	}
	if len(judged) == 0 {
		if step := p.draft(drafts, distinct); len(step.Ask) > 0 || step.Over != "" {
			return step
		}
	}
	now := sitting(calls)
	moved := slices.ContainsFunc(now, func(s Call) bool { return s.Answer != before[s.Agent] })
	t, n := count(p.Members, now), min(judges, int((float64(p.Calls)-Price(calls))/priceOf(distinct)))
	if distinct < 2 || n < 1 || len(t.order) == 0 {
		return Step{}
	}
	if len(judged) >= judges && !moved {
		return Step{Over: "none of its supporters leaves it"}
	}
	step, leaders := Step{Part: Verdict}, t.leaders()
	for _, m := range p.Members {
		stands := slices.ContainsFunc(now, func(s Call) bool { return s.Agent == m.ID && slices.Contains(leaders, s.Answer) })
		if stands && len(step.Ask) < n && !slices.ContainsFunc(judged, func(c Call) bool { return c.Agent == m.ID }) {
			step.Ask = append(step.Ask, m.ID)
		}
	}
	if len(step.Ask) == 0 {
		step.Over = "all of its supporters have judged"
	}
	return step
}

// draft asks for answers until they agree, or as many are given as leave calls for judges.
func (p *Plan) draft(drafts []Call, distinct int) Step {
	if len(drafts) >= agreed && distinct == 1 {
		return Step{Over: "all answers agree"}
	}
	n := min(p.drafts(), len(p.Members))
	switch {
	case len(drafts) >= n:
		return Step{}
	case len(drafts) == 0:
		return p.ask(Answer, 0, agreed, n)
	}
	return p.ask(Answer, len(drafts), max(agreed, n), n)
}

// sitting returns the first answer of each agent or, if it has judged, the answer that it accepted, as long as that stands.
func sitting(calls []Call) (all []Call) {
	at, given := map[string]int{}, Distinct(calls)
	for _, c := range calls {
		i, sits := at[c.Agent]
		switch {
		case c.Answer == "" || c.Part == Facts || c.Part == Verdict && !slices.Contains(given, c.Answer):
		case !sits:
			at[c.Agent] = len(all)
			all = append(all, Call{Part: Answer, Agent: c.Agent, Answer: c.Answer})
		case c.Part == Verdict:
			all[i].Answer = c.Answer
		}
	}
	return all
}

// bench is check by the rule before, which old plans have: three judges, and others as long as answers are tied, decide
// whoever they are.
func (p *Plan) bench(calls []Call, tied bool) Step {
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
	if step := p.draft(drafts, distinct); len(step.Ask) > 0 || step.Over != "" {
		return step
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
