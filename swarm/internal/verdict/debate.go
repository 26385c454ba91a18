package verdict

import (
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// The ends of debates that are not held.
const (
	noAdvocates settle.End = "nobody argues for both sides"
	noRoom      settle.End = "the rounds or signals that are left do not suffice"
)

// probability returns the probability of the older side of a pair, as the votes are.
func (t *Table) probability(pair settle.Pair) float64 {
	by, options := t.Thread.Votes.Terms()
	return pair.Probability(t.Thread.Votes.Round().Ballots(), by, options)
}

func isCertain(p float64) bool { return max(p, 1-p) >= settle.Certain }

// debate returns the next step of the debate about a conflict, or why there is none.
func (t *Table) debate(p conflict.Pair) (settle.Debate, settle.End) {
	pair, held := t.Thread.Pair(p), &t.Thread.Debates
	last, unpaid := held.Step, held.IsUnpaid(pair.A.ID(), pair.B.ID())
	if !held.Held(pair.A.ID(), pair.B.ID()) {
		d, ok := pair.Open(t.CanArgue)
		switch {
		case !ok:
			return d, noAdvocates
		case isCertain(t.probability(pair)):
			return d, settle.Decided
		case t.Rounds < settle.Takes:
			return d, noRoom
		case unpaid:
			return d, settle.OutOfFunds
		}
		return d, ""
	}
	if last.A != pair.A.ID() || last.B != pair.B.ID() || !t.IsFree(last.ForA) && !t.IsFree(last.ForB) {
		return last, settle.NothingNew
	}
	next, end := last.Next(held.Fresh, t.probability(pair), t.Rounds)
	if unpaid && end == "" && next.Part == settle.Attack {
		end = settle.OutOfFunds
	}
	return next, end
}

// Answers returns the step in which the advocates answer the attacks of the last round;
// the zero Debate if there were none.
func (t *Table) Answers(round int) settle.Debate {
	held := &t.Thread.Debates
	if held.Step.Part != settle.Attack || held.Round != round {
		return settle.Debate{}
	}
	for _, p := range t.Thread.Conflicts.Open() {
		if pair := t.Thread.Pair(p); pair.A.ID() == held.Step.A && pair.B.ID() == held.Step.B {
			if next, end := t.debate(p); end == "" {
				return next
			}
		}
	}
	return settle.Debate{}
}

// Asked returns what an agent is asked in a turn of a debate; nil in an ordinary turn.
func (t *Table) Asked(turn *agents.Turn) *agents.Debate {
	d := &t.Thread.Debates
	if d.Round != turn.Round {
		return nil
	}
	return Ask(d.Step, turn)
}

// Ask returns what an agent is asked in a step of a debate; nil if it does not argue.
func Ask(step settle.Debate, turn *agents.Turn) *agents.Debate {
	over, against, argues := step.Side(turn.Agent)
	if !argues {
		return nil
	}
	own, known := turn.Standing(over)
	other, too := turn.Standing(against)
	if !known || !too {
		return nil // not for its eyes
	}
	return &agents.Debate{For: own, Against: other, Round: step.Round, Answers: step.Part == settle.Answer}
}

// A move is the next thing to do about a conflict when no agent has anything left to hear:
// one of its fields.
type move struct {
	Resolve *Resolution
	Debate  settle.Debate
	Ask     *conflict.Pair // somebody outside
}

// Next returns the next move, and whether there is one. asked says that somebody outside
// has been asked already.
func (t *Table) Next(asked bool) (move, bool) {
	if lost := t.Lost(); lost != nil {
		return move{Resolve: lost}, true
	}
	for _, p := range t.Thread.Conflicts.Open() {
		if t.Policy != settle.ByEscalation {
			if m, ok := t.byDebate(p); ok {
				return m, true
			}
		}
		if t.Policy != settle.ByDebate && !asked {
			return move{Ask: &p}, true
		}
	}
	return move{}, false
}

// byDebate returns the next step of the debate about a conflict, or its outcome; false if
// there is no debate, or nobody won.
func (t *Table) byDebate(p conflict.Pair) (move, bool) {
	step, end := t.debate(p)
	pair := t.Thread.Pair(p)
	winner := t.SideOf(p, step.Outcome(t.probability(pair)))
	notHeld := !t.Thread.Debates.Held(pair.A.ID(), pair.B.ID()) && end != settle.Decided
	switch {
	case end == "":
		return move{Debate: step}, true
	case notHeld, winner.IsZero():
		return move{}, false
	}
	return move{Resolve: &Resolution{p, conflict.ByDebate, winner, t.outcome(p, end)}}, true
}

// Chosen returns the resolution of the conflict that is being debated, if votes have
// chosen one side meanwhile; else nil.
func (t *Table) Chosen(choice string) *Resolution {
	step := t.Thread.Debates.Step
	for _, p := range t.Thread.Conflicts.Open() {
		pair := t.Thread.Pair(p)
		if choice != "" && pair.A.ID() == step.A && pair.B.ID() == step.B && (pair.A.Is(choice) || pair.B.Is(choice)) {
			return &Resolution{p, conflict.ByDebate, t.SideOf(p, choice), t.outcome(p, settle.Decided)}
		}
	}
	return nil
}

// outcome describes how a debate ended.
func (t *Table) outcome(p conflict.Pair, end settle.End) string {
	pair, rounds := t.Thread.Pair(p), 0
	if d := t.Thread.Debates.Step; d.A == pair.A.ID() && d.B == pair.B.ID() {
		rounds = d.Round
	}
	leader, probability := p.A.ProposalID, t.probability(pair)
	if probability < 0.5 {
		leader, probability = p.B.ProposalID, 1-probability
	}
	return fmt.Sprintf("%s after %s of debate: of the two, %s is right with probability %.2f",
		end, text.Plural(rounds, "round"), leader, probability)
}

// Unsettled says why conflicts that are still open were not settled, unless only somebody
// outside settles them, or a plan, under which nobody debates.
func (t *Table) Unsettled() (all []string) {
	if t.Policy == settle.ByEscalation || t.Thread.Calls.Plan() != nil {
		return nil
	}
	for _, p := range t.Thread.Conflicts.Open() {
		pair := t.Thread.Pair(p)
		_, able := pair.Open(t.CanArgue)
		switch {
		case t.Thread.Debates.Held(pair.A.ID(), pair.B.ID()):
			all = append(all, fmt.Sprintf("the debate about %s and %s ended even", p.A.ProposalID, p.B.ProposalID))
		case able && !t.Thread.Debates.IsUnpaid(pair.A.ID(), pair.B.ID()):
			all = append(all, fmt.Sprintf("no debate about %s and %s: %s", p.A.ProposalID, p.B.ProposalID, noRoom))
		}
	}
	return all
}
