package solves

import (
	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// An Event is something that happened in a solve: [Started], [RoundStarted], [Spoke], [Refused],
// [Routed], [TurnFailed], [Weighed], [Saying] or [Stopped].
//
//sumtype:decl
type Event interface{ event() }

type (
	// Started is the first event of a solve.
	Started struct {
		Thread string
		Task   signals.Task
		Seed   uint64
		Agents []*agents.Agent // shared: do not modify

		// Past is what the log of many machines had of the solve, which goes on or is over
		// ([machines.Drive]); nil: it begins.
		Past *Result
	}
	// RoundStarted names the agents that take a turn.
	RoundStarted struct {
		Round int
		Turns []string
	}
	// Spoke says that a signal of an agent or of the system is in the log.
	Spoke struct{ Signal signals.Any }
	// Refused says that a signal of an agent was not published.
	Refused struct {
		Agent  string
		Round  int
		Kind   signals.Kind
		Signal signals.Any // nil if it was read from a log
		Err    error
	}
	// Routed reports the decision of an agent's router about a signal, unless the
	// agent simply gets the signal.
	Routed struct {
		Agent    string
		Signal   signals.Any
		Decision routing.Decision
	}
	// TurnFailed says that an agent's turn ended early. Its signals before that
	// are kept.
	TurnFailed struct {
		Agent string
		Round int
		Err   error
	}
	// Weighed is the decision after a vote or proposal.
	Weighed struct{ Decision consensus.Decision }
	// Saying is what an agent's model is saying, of an answer that is not complete: in words, and
	// of a long one the end. It replaces what the agent was saying before, and is in no log.
	Saying struct{ Agent, Words string }
	// Stopped is the last event of a solve.
	Stopped struct{ Result *Result }
)

func (Started) event()      {}
func (RoundStarted) event() {}
func (Spoke) event()        {}
func (Refused) event()      {}
func (Routed) event()       {}
func (TurnFailed) event()   {}
func (Weighed) event()      {}
func (Saying) event()       {}
func (Stopped) event()      {}
