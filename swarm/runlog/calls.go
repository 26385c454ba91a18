package runlog

import (
	"cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// Calls are the plan of a thread that does not deliberate, and the turns that it has
// asked for.
type Calls struct {
	Planned *mode.Plan // as recorded; nil: nothing is

	votes  *Votes
	asked  []mode.Call // without what they said
	at     map[turnOf]int
	stated map[signals.ID]int // by fact: the call in which it was stated
}

// A turnOf is a turn of an agent.
type turnOf struct {
	agent string
	round int32
}

func (c *Calls) init(v *Votes) { c.votes, c.at, c.stated = v, map[turnOf]int{}, map[signals.ID]int{} }

// Plan returns the plan; nil if the thread deliberates.
func (c *Calls) Plan() *mode.Plan {
	if c.Planned == nil || c.Planned.Mode == mode.Deliberate {
		return nil
	}
	return c.Planned
}

// All returns the calls in the order in which they were asked for, with what they said as far
// as it counts, answers by the ids under which they do; after them the votes of others than
// agents.
func (c *Calls) All() []mode.Call { return c.votes.said() }

// Next returns what the plan does next. It panics if the thread has no [Calls.Plan].
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
		before := c.All()
		for _, call := range c.Plan().Next(before).Calls(before) {
			c.at[turnOf{call.Agent, h.Round}] = len(c.asked)
			c.asked = append(c.asked, call)
		}
	case *signals.Signal[Failed]:
		c.fail(s.Payload.Agent, s.Payload.Round)
	case *signals.Signal[Late]:
		c.fail(s.Payload.Agent, s.Payload.Round)
	case *signals.Signal[signals.Discovery], *signals.Signal[signals.Memory], *signals.Signal[signals.ToolResult]:
		if i, asked := c.of(h); asked {
			c.stated[h.ID] = i
		}
	}
}

func (c *Calls) fail(agent string, round int) {
	if i, asked := c.at[turnOf{agent, int32(round)}]; asked {
		c.asked[i].Failed = true
	}
}

// of returns the place of the call whose turn a signal is of; false if it is of none.
func (c *Calls) of(h signals.Header) (int, bool) {
	i, asked := c.at[turnOf{h.Source, h.Round}]
	return i, asked
}

// Vote returns the vote that a proposal is by which an agent answers, under the signal of the
// proposal; nil if it is no answer.
func (c *Calls) Vote(p *signals.Signal[signals.Proposal]) *signals.Signal[signals.Vote] {
	i, asked := c.of(p.Header)
	if !asked || c.asked[i].Part != agents.AskAnswer {
		return nil
	}
	return signals.New(p.Header, signals.Vote{
		ProposalID: p.Payload.ProposalID, Stance: signals.Agree, Weight: cmp.Or(p.Confidence, 1), Reasoning: p.Payload.Reasoning,
	})
}
