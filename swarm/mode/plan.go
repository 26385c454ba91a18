package mode

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
)

// The parts of a plan are what agents are asked for.
const (
	Answer  = agents.AskAnswer
	Facts   = agents.AskFacts
	Verdict = agents.AskVerdict
)

// Reading is the price of reading a message of another agent, in calls.
const Reading = 0.25

// The numbers of agents of a kind.
const (
	fewest  = 3 // answers before a lead counts
	agreed  = 4 // answers that all agree, so that nothing is to be checked
	readers = 3
	judges  = 3
)

// A Plan is what a solve does.
type Plan struct {
	Mode    Mode     `json:"mode"`
	Reason  string   `json:"reason"`         // why this mode
	Members []Member `json:"members"`        // best known first
	Calls   int      `json:"calls"`          // the budget: what all calls may cost, with what they read
	Lead    float64  `json:"lead,omitempty"` // at which a vote stops, in votes of mean weight
}

// A Call is a turn that a plan has asked for.
type Call struct {
	Part   agents.Ask
	Agent  string
	Answer string // what it answered, or the answer that it accepts; "": nothing
	Stated bool   // it stated a fact
}

// A Step is what a plan does next.
type Step struct {
	Part agents.Ask
	Ask  []string // agents, whose turns do not see each other; empty: the plan is over
	Over string   // why it is over; "": the budget or the team is used up
}

// Next returns the step after those calls, in the order in which they were asked for.
func (p *Plan) Next(calls []Call) Step {
	switch p.Mode {
	case Single:
		return p.single(calls)
	case FactsFirst:
		return p.factsFirst(calls)
	case Check:
		return p.check(calls)
	}
	return p.vote(calls)
}

// A Choice is what a plan has chosen.
type Choice struct {
	Answer string  // "": nothing
	Share  float64 // of the weight that is for it, or of the judges
	// Sure is the probability that it is right, by Laplace's rule of succession from its
	// share; for the answer of a single agent it is how often that one is right.
	Sure float64
	Why  string
}

// succession returns Laplace's estimate from a share of so many.
func succession(share float64, of int) float64 { return (share*float64(of) + 1) / float64(of+2) }

// Choice returns what the calls have chosen so far.
func (p *Plan) Choice(calls []Call) Choice {
	if accepted, of := verdicts(calls); of > 0 {
		if best, n := most(accepted); 2*n > of {
			share := float64(n) / float64(of)
			return Choice{best, share, succession(share, of), fmt.Sprintf("%d of %d judges accept it", n, of)}
		}
	}
	t := count(p.Members, only(calls, Answer))
	if len(t.order) == 0 {
		return Choice{}
	}
	c := Choice{t.order[0].answer, t.share(), succession(t.share(), t.votes), fmt.Sprintf("%d of %s", votesFor(calls, t.order[0].answer), plural(t.votes, "answer"))}
	if p.Mode == Single {
		c.Sure = p.rightOf(c.Answer, calls)
	}
	return c
}

// rightOf returns how often the agent that gave an answer is right.
func (p *Plan) rightOf(answer string, calls []Call) float64 {
	for _, c := range calls {
		for _, m := range p.Members {
			if c.Answer == answer && c.Agent == m.ID {
				return m.Right
			}
		}
	}
	return 0
}

// Price returns what the calls cost: one each, and what they read of others.
func Price(calls []Call) (price float64) {
	stated, told := map[string]bool{}, len(Distinct(calls))
	for _, c := range calls {
		price++
		switch {
		case c.Part == Facts && c.Stated:
			stated[c.Agent] = true
		case c.Part == Verdict:
			price += Reading * float64(told)
		case c.Part == Answer:
			for agent := range stated {
				if agent != c.Agent {
					price += Reading
				}
			}
		}
	}
	return price
}

// Distinct returns the different answers, in the order in which they were first given.
func Distinct(calls []Call) (all []string) {
	for _, c := range only(calls, Answer) {
		if c.Answer != "" && !slices.Contains(all, c.Answer) {
			all = append(all, c.Answer)
		}
	}
	return all
}

// vote asks as many members as it takes at least until one answer leads by enough, if all
// of them give that one.
func (p *Plan) vote(calls []Call) Step {
	t := count(p.Members, calls)
	if t.votes >= fewest && t.lead >= p.Lead {
		return Step{Over: fmt.Sprintf("it leads by %.3g votes of mean weight", t.lead)}
	}
	if t.votes == 0 && len(calls) >= len(p.Members) {
		return Step{Over: "nobody has an answer"}
	}
	return Step{Part: Answer, Ask: p.next(calls, t)}
}

// next returns the members to ask next: as many as it takes until one of the answers
// leads by enough, if all of them give that one.
func (p *Plan) next(calls []Call, t tally) (ask []string) {
	leaders := []string{"\x00"}                            // an answer that nobody has given
	for _, given := range t.order[:min(8, len(t.order))] { // those far behind need more
		leaders = append(leaders, given.answer)
	}
	again := len(p.Members) - len(calls)%len(p.Members) // nobody is asked twice at once
	for n := 1; n <= again && len(calls)+n <= p.Calls; n++ {
		ask = append(ask, p.Members[(len(calls)+n-1)%len(p.Members)].ID)
		for _, leader := range leaders {
			if t := count(p.Members, supposed(calls, ask, leader)); t.votes >= fewest && t.lead >= p.Lead {
				return ask
			}
		}
	}
	return ask
}

// supposed returns the calls if those who are asked next all give that answer.
func supposed(calls []Call, ask []string, answer string) []Call {
	calls = slices.Clip(calls)
	for _, agent := range ask {
		calls = append(calls, Call{Part: Answer, Agent: agent, Answer: answer})
	}
	return calls
}

// single asks the best member, or the next one if it has no answer.
func (p *Plan) single(calls []Call) Step {
	if len(Distinct(calls)) > 0 {
		return Step{Over: "it has answered"}
	}
	return p.ask(Answer, len(calls), 1, min(p.Calls, len(p.Members)))
}

// ask returns a step that asks the next members, n of them and up to a number in all.
func (p *Plan) ask(part agents.Ask, from, n, most int) Step {
	s := Step{Part: part}
	for at := from; at < most && len(s.Ask) < n; at++ {
		s.Ask = append(s.Ask, p.Members[at%len(p.Members)].ID)
	}
	return s
}

// only returns the calls of a part.
func only(calls []Call, part agents.Ask) []Call {
	return slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Part != part })
}

func votesFor(calls []Call, answer string) (n int) {
	for _, c := range calls {
		if c.Part == Answer && c.Answer == answer {
			n++
		}
	}
	return n
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// String describes the plan in words.
func (p *Plan) String() string { return fmt.Sprintf("%v: %s", p.Mode, p.Reason) }

// Note says what the calls were, what they cost, and what decided.
func (p *Plan) Note(calls []Call) string {
	note := fmt.Sprintf("%v: %s, at the price of %.4g of %d", p.Mode, plural(len(calls), "call"), Price(calls), p.Calls)
	if chosen := p.Choice(calls); chosen.Why != "" {
		note += "; " + chosen.Why
	}
	if over := p.Next(calls).Over; over != "" {
		note += "; " + over
	}
	return note
}
