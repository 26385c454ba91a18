package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// gather returns the turns of a round in the order of the agents: a new one for
// each agent with something in its inbox, and those that are late. begun is the
// number of new ones. In a step of a debate only its advocates begin turns, as does the
// agent that argues against a choice, and after a handoff only those who continue.
func (r *solve) gather(ctx context.Context) (turns []*seat.Turn, begun int) {
	if r.step.debate.Round == 0 {
		r.step.debate = r.table().Answers(r.result.Rounds)
	}
	if r.step.against = ""; r.step.debate.Round == 0 {
		r.step.against = r.contested()
	}
	next := r.selected(ctx, r.seats.Continuing(r.thread))
	for _, s := range r.seats {
		s.Release()
		switch {
		case s.Turn != nil:
			if s.Turn.State == seat.Late {
				turns = append(turns, s.Turn)
			}
			continue
		case r.step.hasTheFloor() && !r.step.argues(s.Agent.ID, r.opts.Coordination.Advocate), !r.step.hasTheFloor() && !slices.Contains(next, s):
			continue
		}
		if t := r.hear(ctx, s); t != nil {
			turns = append(turns, s.Begin(t))
			begun++
		}
	}
	return turns, begun
}

// gatherStep is gather for the next step of a plan. An agent that cannot take a turn has
// none, and no answer. A plan that is over waits for late turns only if its votes choose nothing: what they
// bring, or why they fail, is the end then.
func (r *solve) gatherStep(context.Context) (turns []*seat.Turn, begun int) {
	r.step.plan = r.thread.Calls.Next()
	if len(r.step.plan.Ask) == 0 {
		r.step.plan.Part = 0
	}
	for _, s := range r.seats {
		s.Release()
		switch {
		case s.Turn != nil && s.Turn.State == seat.Late && (r.step.plan.Over == "" || r.count.Closed().Choice == ""):
			turns = append(turns, s.Turn)
		case s.Free() && slices.Contains(r.step.plan.Ask, s.Agent.ID):
			turns = append(turns, s.Begin(s.Collect()))
			begun++
		}
	}
	return turns, begun
}

// selected returns those of the seats that may take a turn in the next round: all of them,
// unless the speakers are limited. Those who are not hear their news later.
func (r *solve) selected(ctx context.Context, next []*seat.Seat) []*seat.Seat {
	most := r.opts.Limits.Speakers
	if r.step.speakers = nil; most == 0 || r.step.hasTheFloor() {
		return next
	}
	var with []*seat.Seat
	var all []mode.Candidate
	for _, s := range next {
		if s.Release(); !s.Free() {
			continue
		}
		if c, ok := r.candidate(ctx, s); ok {
			with, all = append(with, s), append(all, c)
		}
	}
	r.step.speakers = mode.Speakers(most, all)
	var chosen []*seat.Seat
	for i, c := range r.step.speakers {
		if c.Speaks {
			chosen = append(chosen, with[i])
		}
	}
	return chosen
}

// candidate returns what an agent is selected by; false: it has no reason for a turn.
func (r *solve) candidate(ctx context.Context, s *seat.Seat) (c mode.Candidate, ok bool) {
	c = mode.Candidate{Agent: s.Agent.ID, Record: r.recordOf(s.Agent.ID), Addressed: s.HasMail(r.thread) || s.Routes()}
	c.Waited = max(0, r.result.Rounds-r.thread.Turns.Last[s.Agent.ID])
	news := slices.DeleteFunc(slices.Clone(s.News()), func(heard signals.Any) bool { return !r.thread.IsNews(heard) })
	for _, heard := range news {
		c.Relevance = max(c.Relevance, agents.Relevance(heard))
		c.Level = max(c.Level, float64(heard.Head().CausalLevel)/float64(signals.Counterfactual))
	}
	if len(news) == 0 && !c.Addressed {
		return c, false
	}
	release, paid := s.Reserve(ctx, r.turnOf(s.Agent.ID), 1)
	release()
	c.Broke = !paid
	return c, true
}

// hear returns a turn with what is new for the agent, or nil if it has no reason for one.
func (r *solve) hear(ctx context.Context, s *seat.Seat) *agents.Turn {
	t := s.Collect()
	if s.Routes() {
		r.drain(ctx) // signals from outside up to now are routed too
	}
	return s.Hear(t, r.thread.IsNews, r.step.argues(s.Agent.ID, r.opts.Coordination.Advocate) || s.HasMail(r.thread), r.recordOf)
}

// recordOf returns how often a source has been right, by what was known at the
// beginning of the solve: the mean of the two rates, or 1/2 if nothing is
// known.
func (r *solve) recordOf(source string) float64 {
	if r.known == nil {
		return 0.5
	}
	if rate, ok := r.known.Reliability(source, 2); ok {
		return (rate.Sensitivity + rate.Specificity) / 2
	}
	return 0.5
}
