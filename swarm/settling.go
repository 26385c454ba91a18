package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// table returns what settling conflicts depends on, as it is now. No round is left for
// debates if there is no room for the arguments of one.
func (r *solve) table() *verdict.Table {
	t := &verdict.Table{Thread: r.thread, Policy: r.opts.Conflicts, CanArgue: r.seats.CanArgue, IsFree: r.seats.IsFree}
	if r.signalsLeft() >= settle.Arguments {
		t.Rounds = r.roundsLeft()
	}
	return t
}

// resolveAll ends conflicts as long as next returns one, and reports whether it did.
func (r *solve) resolveAll(ctx context.Context, next func() *verdict.Resolution) (some bool) {
	for !r.over() {
		c := next()
		if c == nil {
			break
		}
		r.announce(ctx, c.Signal())
		some = true
	}
	return some
}

// settleByMajority ends the conflicts that a majority decides, then those with what has
// lost, and reports whether there were any. An earlier process may have ended the former.
func (r *solve) settleByMajority(ctx context.Context) bool {
	some := r.resolveAll(ctx, r.table().Majority)
	return r.resolveAll(ctx, r.table().Lost) || some
}

// openOnBus returns the conflicts that are open on the bus: none of before a stop that
// closed the thread.
func (r *solve) openOnBus() []conflict.Pair {
	return slices.Collect(r.swarm.bus.Conflicts(r.result.Thread))
}

// settleByConsensus ends the conflicts of the proposal that was chosen, if one was.
func (r *solve) settleByConsensus(ctx context.Context) {
	for r.result.Stop == runlog.StopConsensus {
		c := r.table().Reached(r.count.Decide().Choice, r.openOnBus())
		if c == nil {
			return
		}
		if err := r.tryAnnounce(ctx, c.Signal()); err != nil {
			r.unfit("a settled conflict cannot be recorded", err)
		}
	}
}

// hadChosen stops a solve that was broken off while it ended the conflicts of what the votes had
// chosen: those left have gone on with other rivals, as if they were still to be settled.
func (r *solve) hadChosen(ctx context.Context) {
	last, began, answered := r.thread.Conflicts.Last(), r.thread.Turns.Began, r.thread.Stage.Answered
	if r.over() || last == nil || last.Payload.How != conflict.ByConsensus || began != nil && began.Seq > last.Seq || answered != nil && answered.Seq > last.Seq {
		return
	}
	d, end := r.weigh(ctx)
	defer end()
	if d.Outcome != consensus.Reached && r.count.Closed().Outcome == consensus.Reached {
		r.votes().Close()
		d = r.votes().Decision()
	}
	if d.Outcome == consensus.Reached {
		r.stop(runlog.StopConsensus, d.Reason(), nil)
	}
}

// settleByAnswer ends the conflicts that the answer settles.
func (r *solve) settleByAnswer(ctx context.Context, said signals.Any) {
	r.resolveAll(ctx, func() *verdict.Resolution {
		return r.table().Answered(said, r.openOnBus())
	})
}

// endDebate settles the conflict that is being debated, if votes have chosen one side
// meanwhile, and returns the decision after that.
func (r *solve) endDebate(ctx context.Context, d consensus.Decision) consensus.Decision {
	c := r.table().Chosen(d.Choice)
	if c == nil {
		return d
	}
	r.announce(ctx, c.Signal())
	return r.votes().Decision()
}

// settle does the next thing about an open conflict when no agent has anything left to
// hear. It reports whether there was one, and whether that may make a decision of the votes.
func (r *solve) settle(ctx context.Context) (moved, settled bool) {
	m, ok := r.table().Next(r.thread.Stage.Asked() != nil)
	switch {
	case m.Resolve != nil:
		r.announce(ctx, m.Resolve.Signal())
		r.resolveAll(ctx, r.table().Lost)
		return true, true
	case m.Debate.Part == settle.Attack && !r.paid(ctx, m.Debate):
		return true, true // the votes alone may suffice now
	case m.Ask != nil:
		r.ask(ctx, r.thread.Pair(*m.Ask), m.Ask.B.Signal)
	case ok:
		r.step.debate = m.Debate
	}
	return ok, false
}

// paid reports whether both advocates of a debate can pay for one of its rounds. If not,
// the log says who cannot. What they reserve is released before the round begins, since
// turns of others would wait for it.
func (r *solve) paid(ctx context.Context, d settle.Debate) bool {
	for _, agent := range []string{d.ForA, d.ForB} {
		t := r.turnOf(agent)
		t.Debate = verdict.Ask(d, t)
		release, ok := r.seats.Of(agent).Reserve(ctx, t, settle.Takes)
		defer release()
		if !ok {
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, settle.Unpaid{Agent: agent, Debate: d}))
			return false
		}
	}
	return true
}

// turnOf returns the next turn of an agent as far as it is known, to ask what it costs.
func (r *solve) turnOf(agent string) *agents.Turn {
	t := &agents.Turn{
		Agent: agent, Thread: r.result.Thread, Round: r.result.Rounds + 1, Task: r.result.Task,
		Proposals: r.thread.Votes.Show(agent), Seed: r.result.Seed, Time: r.swarm.clock.Last(),
	}
	if began := r.thread.Turns.Began; began != nil {
		t.Effort = began.Payload.Effort
	}
	return t
}

// contested returns the proposal that the advocate is to argue against before it becomes
// the decision; "" if there is none. One more round has to be left, for those who hear it.
func (r *solve) contested() string {
	s := r.seats.Of(r.opts.Coordination.Advocate)
	if s == nil || s.Out || r.thread.Calls.Plan() != nil || r.roundsLeft() < 2 || r.signalsLeft() <= len(r.seats) {
		return ""
	}
	d := r.votes().Decision()
	if !r.count.Chooses(d) || slices.Contains(r.thread.Debates.Contested, d.Choice) {
		return ""
	}
	return d.Choice
}

// isContested reports whether the votes may not decide in this round: somebody is to argue
// against what they have chosen, or does so, which the others have not heard.
func (r *solve) isContested() bool {
	began := r.thread.Turns.Began
	return r.contested() != "" || began != nil && began.Payload.Against != ""
}

// ask asks somebody outside about an open conflict, unless the solve ends with an outage of agents that might decide it.
func (r *solve) ask(ctx context.Context, p settle.Pair, about signals.ID) {
	if r.count.Down() && r.ending(r.count.Closed()).Stop == runlog.StopError {
		r.conclude(ctx)
		return
	}
	question := p.Question()
	r.announce(ctx, signals.New(signals.Header{ReplyTo: about, Confidence: 1}, question))
	r.stop(runlog.StopEscalated, question.Reason, nil)
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
