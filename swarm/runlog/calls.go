package runlog

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// Calls are the plan of a thread that does not deliberate, and the turns that it has
// asked for.
type Calls struct {
	Planned *mode.Plan // as recorded; nil: nothing is

	votes *Votes
	all   []mode.Call  // with answers by the ids under which they were made
	by    []signals.ID // the signals of the answers
	at    map[turnOf]int
	// first are the first answers of agents, as votes for them: what they answer later
	// counts for the plan alone.
	first []firstVote
}

// A firstVote is a vote for an answer, and the signal that gave it.
type firstVote struct {
	consensus.Vote
	of signals.ID
}

// A turnOf is a turn of an agent.
type turnOf struct {
	agent string
	round int32
}

func (c *Calls) init(v *Votes) { c.votes, c.at = v, map[turnOf]int{} }

// Plan returns the plan; nil if the thread deliberates.
func (c *Calls) Plan() *mode.Plan {
	if c.Planned == nil || c.Planned.Mode == mode.Deliberate {
		return nil
	}
	return c.Planned
}

// All returns the calls in the order in which they were asked for, each with the id under
// which its answer counts; "" for one that has lost.
func (c *Calls) All() []mode.Call {
	all := slices.Clone(c.all)
	for i := range all {
		if p := c.votes.Of(all[i].Answer); p == nil || p.Lost || !c.votes.out.Counts(c.by[i]) {
			all[i].Answer = ""
		} else {
			all[i].Answer = p.ID()
		}
	}
	return all
}

// Next returns what the plan does next.
func (c *Calls) Next() mode.Step { return c.Plan().Next(c.All()) }

// apply takes the next signal of the log, before the votes do.
func (c *Calls) apply(s signals.Any) {
	h := s.Head()
	switch s := s.(type) {
	case *signals.Signal[Planned]:
		if plan, err := s.Payload.Of(); err == nil {
			c.Planned = plan
		}
	case *signals.Signal[Began]:
		if s.Payload.Ask == 0 || c.Plan() == nil {
			return
		}
		step := c.Next()
		for _, agent := range step.Ask {
			c.at[turnOf{agent, h.Round}] = len(c.all)
			c.all, c.by = append(c.all, mode.Call{Part: step.Part, Agent: agent}), append(c.by, signals.ID{})
		}
	case *signals.Signal[signals.Proposal]:
		if call := c.of(h); call != nil && call.Part == agents.AskAnswer {
			c.answer(call, h, s.Payload.ProposalID)
		}
	case *signals.Signal[signals.Vote]:
		if call := c.of(h); call != nil && s.Payload.Stance == signals.Agree && c.votes.Of(s.Payload.ProposalID) != nil {
			c.answer(call, h, s.Payload.ProposalID)
		}
	case *signals.Signal[signals.Discovery], *signals.Signal[signals.Memory], *signals.Signal[signals.ToolResult]:
		if call := c.of(h); call != nil {
			call.Stated = true
		}
	}
}

// of returns the call whose turn a signal is of; nil if it is of none.
func (c *Calls) of(h signals.Header) *mode.Call {
	if i, asked := c.at[turnOf{h.Source, h.Round}]; asked {
		return &c.all[i]
	}
	return nil
}

// answer notes the first answer of a call. The first one of an agent that was not shown
// what others hold is its vote.
func (c *Calls) answer(call *mode.Call, h signals.Header, id string) {
	if call.Answer != "" || call.Part == agents.AskFacts {
		return
	}
	call.Answer, c.by[c.at[turnOf{h.Source, h.Round}]] = id, h.ID
	voted := func(v firstVote) bool { return v.Voter == h.Source }
	if call.Part == agents.AskAnswer && !slices.ContainsFunc(c.first, voted) {
		c.first = append(c.first, firstVote{consensus.Vote{Seq: h.Seq, Voter: h.Source, ProposalID: id, Stance: consensus.Agree, Weight: cmp.Or(h.Confidence, 1)}, h.ID})
	}
}

// decide is the strategy of the plan. It decides when voting is closed: the plan says
// when that is.
func (c *Calls) decide(b consensus.Ballots) consensus.Decision {
	plan, calls, ids := c.Plan(), c.All(), b.Proposals()
	chosen := plan.Choice(calls)
	support := make([]float64, len(ids))
	if i := slices.Index(ids, chosen.Answer); i >= 0 {
		support[i] = chosen.Share
	}
	d := b.Decide(plan.Mode.String(), support, 0, func(int) int { return 1 })
	d.Learned = false // by what is known of the voters beside the plan
	d.Outcome, d.Choice, d.Leaders, d.Support, d.Confidence, d.Note = consensus.Pending, "", nil, chosen.Share, chosen.Sure, plan.Note(calls)
	if chosen.Answer != "" {
		d.Leaders = []string{chosen.Answer}
	}
	switch {
	case !b.Closed():
	case chosen.Answer != "" && chosen.Share >= b.Threshold() && d.Voters >= b.Quorum():
		d.Outcome, d.Choice = consensus.Reached, chosen.Answer
	default:
		d.Outcome = consensus.Deadlocked
	}
	return d
}
