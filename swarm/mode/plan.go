package mode

import (
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/text"
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
	Reason  string   `json:"reason"`          // why this mode
	Members []Member `json:"members"`         // best known first
	Calls   int      `json:"calls"`           // the budget: what all calls may cost, with what they read
	Lead    float64  `json:"lead,omitempty"`  // at which a vote stops, in votes of mean weight
	Share   float64  `json:"share,omitempty"` // of the weight that it needs then; 0: any
	Rule    int      `json:"rule,omitempty"`  // by which it decides: that of [Choose], or an older one
}

// The rules of plans. By the first, none is recorded.
const (
	ruleOfSeats      = 1 // a choice needs answers and seats for a consensus; before, whatever led was one
	ruleOfSupporters = 2 // in [Check] the leader's own supporters judge; before, any three
	rule             = ruleOfSupporters
)

// seated returns what counts: in a check, one answer for each agent.
func (p *Plan) seated(calls []Call) []Call {
	if p.Mode == Check && p.Rule >= ruleOfSupporters {
		return sitting(calls)
	}
	return calls
}

// Has reports whether the plan may ask an agent.
func (p *Plan) Has(agent string) bool {
	return slices.ContainsFunc(p.Members, func(m Member) bool { return m.ID == agent })
}

// A Call is a turn that a plan has asked for, or a vote of somebody outside the team.
type Call struct {
	Part    agents.Ask // 0: from outside
	Agent   string
	Answer  string   // what it answered, or the answer that it accepts; "": nothing
	Rejects []string // answers
	Stated  bool     // it stated a fact
	Failed  bool     // its turn failed, or was late
	Reads   int      // messages of others that there were when it was asked for
}

// A Step is what a plan does next.
type Step struct {
	Part agents.Ask
	Ask  []string // agents, whose turns do not see each other; empty: the plan is over
	Over string   // why it is over; "": the budget or the team is used up
}

// Calls returns the calls that the step asks for after those.
func (s Step) Calls(after []Call) []Call {
	all, distinct, stated := make([]Call, len(s.Ask)), len(Distinct(after)), map[string]bool{}
	for _, c := range after {
		if c.Part == Facts && c.Stated {
			stated[c.Agent] = true
		}
	}
	for i, agent := range s.Ask {
		all[i] = Call{Part: s.Part, Agent: agent}
		switch s.Part {
		case Verdict:
			all[i].Reads = distinct
		case Answer:
			all[i].Reads = len(stated)
			if stated[agent] {
				all[i].Reads--
			}
		}
	}
	return all
}

// Next returns the step after those calls, in the order in which they were asked for.
// What others than agents say changes it only where answers are tied.
func (p *Plan) Next(calls []Call) Step { return p.step(calls, p.next) }

// step returns the next step, in which a vote that goes on asks those that next returns.
func (p *Plan) step(calls []Call, next func([]Call, tally) []string) Step {
	asked := asked(calls)
	switch p.Mode {
	case Single:
		return p.single(asked)
	case FactsFirst:
		return p.factsFirst(asked, p.tied(calls))
	case Check:
		if p.Rule < ruleOfSupporters {
			return p.bench(asked, p.tied(calls))
		}
		return p.check(asked)
	}
	return p.vote(asked, next)
}

// tied reports whether answers are tied, so that nothing is chosen.
func (p *Plan) tied(calls []Call) bool { return len(p.Choice(calls).Leaders) > 1 }

// A Choice is what a plan has chosen.
type Choice struct {
	Answer  string   // "": nothing, as where answers are tied or most judges reject what leads
	Leaders []string // what leads, in the order in which it was first given; several are tied
	Share   float64  // of the weight that is for each, or of the judges
	Judged  bool     // most judges accept it
	// Sure is the probability that it is right, by Laplace's rule of succession from its
	// share; for the answer of a single agent it is how often that one is right.
	Sure float64
	Why  string
}

// succession returns Laplace's estimate from a share of so many.
func succession(share float64, of int) float64 { return (share*float64(of) + 1) / float64(of+2) }

// Choice returns what the calls have chosen so far.
func (p *Plan) Choice(calls []Call) Choice {
	calls = p.seated(calls)
	v := judged(calls)
	if best, n := most(v.accepted); 2*n > v.of {
		share := float64(n) / float64(v.of)
		return Choice{best, []string{best}, share, true, succession(share, v.of), fmt.Sprintf("%d of %d judges accept it", n, v.of)}
	}
	t := count(p.Members, slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Part == Verdict }))
	if len(t.order) == 0 {
		return Choice{}
	}
	c := Choice{Leaders: v.best(t.leaders()), Share: t.share(), Sure: succession(t.share(), t.votes)}
	c.Why = fmt.Sprintf("%d of %s", votesFor(calls, c.Leaders[0]), text.Plural(t.votes, "answer"))
	switch {
	case len(c.Leaders) > 1:
		c.Why = fmt.Sprintf("%d are tied, %s each", len(c.Leaders), c.Why)
	case v.rejects(c.Leaders[0]):
		c.Why += ", which most judges reject"
	default:
		c.Answer = c.Leaders[0]
	}
	if p.Mode == Single {
		c.Sure = p.rightOf(c.Leaders[0], calls)
	}
	return c
}

// Shares returns the share of each answer, counted as [Choice] counts that of what leads, so that
// they are at most 1 together: of the judges if most of them accept one, else of the weight.
func (p *Plan) Shares(calls []Call) map[string]float64 {
	calls = p.seated(calls)
	all, v := map[string]float64{}, judged(calls)
	if _, n := most(v.accepted); 2*n > v.of {
		for _, a := range v.accepted {
			all[a] += 1 / float64(v.of)
		}
		return all
	}
	t := count(p.Members, slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Part == Verdict }))
	for _, c := range t.order {
		all[c.answer] = c.weight / t.all
	}
	return all
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

// Price returns what the calls cost: one each, and what they read of others. What is taken back
// later was read all the same.
func Price(calls []Call) (price float64) {
	for _, c := range asked(calls) {
		price += priceOf(c.Reads)
	}
	return price
}

// Distinct returns the different answers, in the order in which they were first given.
func Distinct(calls []Call) (all []string) {
	given := map[string]bool{"": true}
	for _, c := range calls {
		if c.Part == Answer && !given[c.Answer] {
			given[c.Answer], all = true, append(all, c.Answer)
		}
	}
	return all
}

// vote asks as many members as it takes at least until one answer leads by enough, if all
// of them give that one.
func (p *Plan) vote(calls []Call, next func([]Call, tally) []string) Step {
	t := count(p.Members, calls)
	if t.votes >= fewest && t.lead >= p.Lead && t.share() >= p.Share {
		return Step{Over: fmt.Sprintf("it leads by %.3g votes of mean weight", t.lead)}
	}
	if t.votes == 0 && len(calls) >= len(p.Members) {
		return Step{Over: "nobody has an answer"}
	}
	if who := answerers(calls); len(who) == 1 && len(calls) >= len(p.Members) {
		return p.others(calls, who[0])
	}
	return Step{Part: Answer, Ask: next(calls, t)}
}

// others asks those once more who have no answer while one agent has: its answers again would
// not be independent ones.
func (p *Plan) others(calls []Call, one string) Step {
	s, often := Step{Part: Answer}, asks(calls)
	for _, m := range p.Members {
		if m.ID != one && often[m.ID] < 2 {
			s.Ask = append(s.Ask, m.ID)
		}
	}
	if len(s.Ask) == 0 {
		s.Over = "nobody but " + one + " has an answer"
	}
	s.Ask = s.Ask[:min(len(s.Ask), max(0, p.Calls-len(calls)))]
	return s
}

// asks returns how often each agent has been asked.
func asks(calls []Call) map[string]int {
	n := map[string]int{}
	for _, c := range calls {
		n[c.Agent]++
	}
	return n
}

// next returns the members to ask next: as many as it takes until one of the answers
// leads by enough, if all of them give that one.
func (p *Plan) next(calls []Call, t tally) (ask []string) {
	poll, often, least := newPoll(p.Members, calls), asks(calls), len(calls)
	leaders := []int{len(poll.answers)}                    // an answer that nobody has given
	for _, given := range t.order[:min(8, len(t.order))] { // those far behind need more
		leaders = append(leaders, poll.numbers[given.answer])
	}
	for _, m := range p.Members {
		least = min(least, often[m.ID])
	}
	for _, m := range p.Members {
		if often[m.ID] > least || len(calls)+len(ask) == p.Calls {
			continue
		}
		ask = append(ask, m.ID)
		poll.add(m.ID, 0)
		if slices.ContainsFunc(leaders, func(leader int) bool { return p.suffices(poll, len(ask), leader) }) {
			return ask
		}
	}
	return ask
}

// suffices reports whether the lead is enough if the last votes are for one answer.
func (p *Plan) suffices(poll *poll, last, answer int) bool {
	if len(poll.votes) < fewest {
		return false
	}
	for i := range last {
		poll.votes[len(poll.votes)-1-i].answer = answer
	}
	weights, all := poll.weigh(max(len(poll.answers), answer+1))
	return poll.lead(weights, all) >= p.Lead && slices.Max(weights) >= p.Share*all
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

// asked returns the calls without what others than agents say.
func asked(calls []Call) []Call {
	return slices.DeleteFunc(slices.Clone(calls), func(c Call) bool { return c.Part == 0 })
}

// answerers returns who has an answer.
func answerers(calls []Call) (all []string) {
	have := map[string]bool{}
	for _, c := range calls {
		if c.Answer != "" && !have[c.Agent] {
			have[c.Agent], all = true, append(all, c.Agent)
		}
	}
	return all
}

func votesFor(calls []Call, answer string) (n int) {
	for _, c := range calls {
		if c.Part != Verdict && c.Answer == answer {
			n++
		}
	}
	return n
}

// String describes the plan in words.
func (p *Plan) String() string { return fmt.Sprintf("%v: %s", p.Mode, p.Reason) }

// Note says what the calls were, what they cost, and what decided.
func (p *Plan) Note(calls []Call) string { return p.note(calls, p.Choice(calls)) }

func (p *Plan) note(calls []Call, chosen Choice) string {
	note := fmt.Sprintf("%v: %s, at the price of %.4g of %d", p.Mode, text.Plural(len(asked(calls)), "call"), Price(calls), p.Calls)
	if chosen.Why != "" {
		note += "; " + chosen.Why
	}
	nobody := func([]Call, tally) []string { return nil } // whom a vote would ask is no matter here
	if over := p.step(calls, nobody).Over; over != "" {
		note += "; " + over
	}
	return note
}
