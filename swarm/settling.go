package swarm

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// resolve ends a conflict.
func (r *solve) resolve(ctx context.Context, p conflict.Pair, how conflict.How, winner signals.ID, why string) {
	r.announce(ctx, signals.New(
		signals.Header{Confidence: 1, ReplyTo: p.B.Signal},
		conflict.Resolution{SignalA: p.A.Signal, SignalB: p.B.Signal, How: how, Winner: winner, Reason: why},
	))
}

// sideOf returns the signal of the side of a conflict that goes by that id.
func (r *solve) sideOf(p conflict.Pair, id string) signals.ID {
	switch side := r.thread.Votes.Of(id); {
	case side == nil:
	case side.Is(p.A.ProposalID):
		return p.A.Signal
	case side.Is(p.B.ProposalID):
		return p.B.Signal
	}
	return signals.ID{}
}

// resolveLost ends the conflicts one side of which has already lost to another
// proposal, and reports whether there were any.
func (r *solve) resolveLost(ctx context.Context) (some bool) {
	for _, p := range r.thread.Conflicts.Open() {
		if r.result.Stop != 0 || !slices.Contains(r.thread.Conflicts.Open(), p) {
			continue
		}
		switch pair := r.thread.Pair(p); {
		case pair.A.Lost && pair.B.Lost:
			r.resolve(ctx, p, conflict.BySameness, signals.ID{}, "both have lost already")
		case pair.A.Lost:
			r.resolve(ctx, p, conflict.BySameness, p.B.Signal, p.A.ProposalID+" proposes what has lost already")
		case pair.B.Lost:
			r.resolve(ctx, p, conflict.BySameness, p.A.Signal, p.B.ProposalID+" proposes what has lost already")
		default:
			continue
		}
		some = true
	}
	return some
}

// settleByMajority settles the conflicts that a majority decides, of those that were
// open when the round began: all who were asked have had them before them.
func (r *solve) settleByMajority(ctx context.Context) (some bool) {
	began := r.thread.Turns.Began
	if r.opts.Conflicts != MajorityOnConflicts || began == nil {
		return false
	}
	decided := func(p conflict.Pair) bool {
		_, _, ok := r.thread.Pair(p).Majority(r.options().Electorate)
		return ok && p.B.Seq < began.Seq
	}
	for r.result.Stop == 0 { // whoever was in conflict with the loser has another rival
		open := r.thread.Conflicts.Open()
		i := slices.IndexFunc(open, decided)
		if i < 0 {
			break
		}
		some = true
		winner, n, _ := r.thread.Pair(open[i]).Majority(r.options().Electorate)
		r.resolve(ctx, open[i], conflict.ByMajority, r.sideOf(open[i], winner.ID()),
			fmt.Sprintf("%d for %s, %d for %s", n.A, open[i].A.ProposalID, n.B, open[i].B.ProposalID))
	}
	return some
}

// disputed reports whether an open conflict withholds the decision: one that a majority
// still has to settle, or one whose debate may still change the choice. left are the
// turns of the round that may still propose.
func (r *solve) disputed(d consensus.Decision, left []*turn) bool {
	open := r.thread.Conflicts.Open()
	if r.opts.Conflicts == MajorityOnConflicts {
		return len(open) > 0 || slices.ContainsFunc(left, func(t *turn) bool { return t.seat.agent.May(signals.KindProposal) })
	}
	return r.opts.Conflicts == DebateConflicts && d.Outcome == consensus.Reached && slices.ContainsFunc(open, func(p conflict.Pair) bool {
		pair := r.thread.Pair(p)
		if !pair.A.Is(d.Choice) && !pair.B.Is(d.Choice) || isCertain(r.probability(pair)) {
			return false
		}
		_, end := r.debate(p)
		return end == ""
	})
}

// probability returns the probability of the older side of a pair, as the votes are.
func (r *solve) probability(pair settle.Pair) float64 {
	by, options := r.thread.Votes.Terms()
	return pair.Probability(r.votes().Ballots(), by, options)
}

func isCertain(p float64) bool { return max(p, 1-p) >= settle.Certain }

// The ends of debates that are not held.
const (
	noAdvocates settle.End = "nobody argues for both sides"
	noRoom      settle.End = "the rounds or signals that are left do not suffice"
)

// debate returns the next step of the debate about a conflict, or why there is none.
func (r *solve) debate(p conflict.Pair) (settle.Debate, settle.End) {
	pair, held := r.thread.Pair(p), &r.thread.Debates
	last := held.Step
	if !held.Held(pair.A.ID(), pair.B.ID()) {
		d, ok := pair.Open(r.canArgue)
		switch {
		case !ok:
			return d, noAdvocates
		case isCertain(r.probability(pair)):
			return d, settle.Decided
		case r.roundsLeft() < settle.Takes:
			return d, noRoom
		}
		return d, ""
	}
	if last.A != pair.A.ID() || last.B != pair.B.ID() || !r.isFree(last.ForA) && !r.isFree(last.ForB) {
		return last, settle.NothingNew
	}
	return last.Next(held.Fresh, r.probability(pair), r.roundsLeft())
}

// roundsLeft returns the number of rounds that debates may still take; 0 if there is no
// room for the arguments of one.
func (r *solve) roundsLeft() int {
	if r.opts.Signals-r.said < settle.Arguments {
		return 0
	}
	return r.opts.Rounds - r.result.Rounds
}

func (r *solve) canArgue(agent string, over, against agents.Standing) bool {
	s := r.byID[agent]
	return s != nil && !s.stopped && s.agent.CanArgue(over, against)
}

// isFree reports whether an agent can take a turn.
func (r *solve) isFree(agent string) bool {
	s := r.byID[agent]
	return s != nil && !s.stopped && s.turn == nil
}

// argues reports whether an agent has a turn in the step of a debate that is next.
func (r *solve) argues(s *seat) bool {
	_, _, argues := r.step.Side(s.agent.ID)
	return argues && r.step.Round > 0
}

// answerAttacks lets the advocates answer in the round after their attacks.
func (r *solve) answerAttacks() {
	held := &r.thread.Debates
	if held.Step.Part != settle.Attack || held.Round != r.result.Rounds {
		return
	}
	for _, p := range r.thread.Conflicts.Open() {
		if pair := r.thread.Pair(p); pair.A.ID() == held.Step.A && pair.B.ID() == held.Step.B {
			if next, end := r.debate(p); end == "" {
				r.step = next
			}
		}
	}
}

// asked returns what an agent is asked in a turn of a debate; nil in an ordinary turn.
func (r *solve) asked(t *agents.Turn) *agents.Debate {
	d := &r.thread.Debates
	over, against, argues := d.Step.Side(t.Agent)
	if !argues || d.Round != t.Round {
		return nil
	}
	own, known := t.Standing(over)
	other, too := t.Standing(against)
	if !known || !too {
		return nil // not for its eyes
	}
	return &agents.Debate{For: own, Against: other, Round: d.Step.Round, Answers: d.Step.Part == settle.Answer}
}

// settle does the next thing about an open conflict when no agent has anything left to
// hear, and reports whether there was one.
func (r *solve) settle(ctx context.Context) bool {
	if r.resolveLost(ctx) {
		r.decide(ctx, nil)
		return true
	}
	for _, p := range r.thread.Conflicts.Open() {
		if r.opts.Conflicts != EscalateConflicts && r.settleByDebate(ctx, p) {
			return true
		}
		if r.opts.Conflicts != DebateConflicts && r.thread.Stage.Asked == nil {
			r.escalate(ctx, p)
			return true
		}
	}
	return false
}

// settleByDebate takes the next step of the debate about a conflict, or settles it by
// its outcome; false if there is no debate, or nobody won.
func (r *solve) settleByDebate(ctx context.Context, p conflict.Pair) bool {
	step, end := r.debate(p)
	probability := r.probability(r.thread.Pair(p))
	winner := r.sideOf(p, step.Outcome(probability))
	switch {
	case end == "":
		r.step = step
		return true
	case end == noAdvocates, end == noRoom, winner.IsZero():
		return false
	}
	r.resolve(ctx, p, conflict.ByDebate, winner, r.outcome(p, end))
	r.resolveLost(ctx)
	r.decide(ctx, nil)
	return true
}

// endDebate settles the conflict that is being debated, if votes have chosen one side
// meanwhile, and returns the decision after that.
func (r *solve) endDebate(ctx context.Context, d consensus.Decision) consensus.Decision {
	step := r.thread.Debates.Step
	for _, p := range r.thread.Conflicts.Open() {
		pair := r.thread.Pair(p)
		if d.Choice == "" || pair.A.ID() != step.A || pair.B.ID() != step.B || !pair.A.Is(d.Choice) && !pair.B.Is(d.Choice) {
			continue
		}
		r.resolve(ctx, p, conflict.ByDebate, r.sideOf(p, d.Choice), r.outcome(p, settle.Decided))
		return r.votes().Decision()
	}
	return d
}

// outcome describes how a debate ended.
func (r *solve) outcome(p conflict.Pair, end settle.End) string {
	pair, rounds := r.thread.Pair(p), 0
	if d := r.thread.Debates.Step; d.A == pair.A.ID() && d.B == pair.B.ID() {
		rounds = d.Round
	}
	leader, probability := p.A.ProposalID, r.probability(pair)
	if probability < 0.5 {
		leader, probability = p.B.ProposalID, 1-probability
	}
	return fmt.Sprintf("%s after %s of debate: of the two, %s is right with probability %.2f",
		end, plural(rounds, "round"), leader, probability)
}

// unsettled says why conflicts that are still open in a deadlock were not settled.
func (r *solve) unsettled() (all []string) {
	if r.result.Stop != StopDeadlock || r.opts.Conflicts == EscalateConflicts {
		return nil
	}
	for _, p := range r.thread.Conflicts.Open() {
		pair := r.thread.Pair(p)
		_, able := pair.Open(r.canArgue)
		switch {
		case r.thread.Debates.Held(pair.A.ID(), pair.B.ID()):
			all = append(all, fmt.Sprintf("the debate about %s and %s ended even", p.A.ProposalID, p.B.ProposalID))
		case able:
			all = append(all, fmt.Sprintf("no debate about %s and %s: %s", p.A.ProposalID, p.B.ProposalID, noRoom))
		}
	}
	return atMost(all)
}

// escalate asks somebody outside about an open conflict.
func (r *solve) escalate(ctx context.Context, p conflict.Pair) {
	question := r.thread.Pair(p).Question()
	r.announce(ctx, signals.New(signals.Header{ReplyTo: p.B.Signal, Confidence: 1}, question))
	r.stop(StopEscalated, question.Reason, nil)
}

// settleByAnswer settles the conflicts that are open on the bus, but for one that the
// answer opened. A vote for one side settles it for that side.
func (r *solve) settleByAnswer(ctx context.Context, said signals.Any) {
	h, choice := said.Head(), ""
	if v, ok := signals.As[signals.Vote](said); ok && v.Payload.Stance == signals.Agree {
		choice = v.Payload.ProposalID
	}
	for r.result.Stop == 0 {
		// None are open there if the solve stopped by itself: its thread was closed then.
		open := slices.Collect(r.swarm.bus.Conflicts(r.result.Thread))
		all := r.thread.Conflicts.Open()
		i := slices.IndexFunc(all, func(p conflict.Pair) bool { return p.B.Signal != h.ID && slices.Contains(open, p) })
		if i < 0 {
			return
		}
		r.resolve(ctx, all[i], conflict.ByAnswer, r.sideOf(all[i], choice), h.Source+" was asked")
	}
}

// groupthink compares who challenged with who could have.
func (r *solve) groupthink() settle.Groupthink {
	able := 0
	for _, a := range r.opts.Agents {
		if a.May(signals.KindChallenge) && a.Hears(signals.KindProposal) {
			able++
		}
	}
	return settle.GroupthinkOf(able, len(r.thread.Debates.Challengers))
}
