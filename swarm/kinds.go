package swarm

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// The kinds that a swarm itself publishes, in addition to those of package
// signals. Agents on the bus of a swarm may not publish them.
const (
	KindLate   signals.Kind = "turn:late"
	KindFailed signals.Kind = "turn:failed"
	KindSame   signals.Kind = "proposal:same"
)

// Late says that a round continued without an agent's turn. Its position in the
// log shows when.
type Late struct {
	Agent string `json:"agent"` // required
	Round int    `json:"round"` // of the turn, from 1
}

// Failed says that an agent's turn ended early. The turn's signals follow.
type Failed struct {
	Agent  string `json:"agent"`            // required
	Round  int    `json:"round"`            // of the turn, from 1
	Reason string `json:"reason,omitempty"` // the error's text, at most 1 KiB of it
	Budget bool   `json:"budget,omitempty"` // the error is [agents.ErrBudget]
}

// String describes p in words.
func (p Late) String() string { return fmt.Sprintf("%s was late in round %d", p.Agent, p.Round) }

// String describes p in words.
func (p Failed) String() string {
	return fmt.Sprintf("%s failed in round %d: %s", p.Agent, p.Round, p.Reason)
}

// failed returns the payload for the log.
func (e TurnFailed) failed() Failed {
	const most = 1 << 10
	why := strings.TrimPrefix(e.Err.Error(), "agents: "+e.Agent+": ")
	if p := (*agents.PanicError)(nil); errors.As(e.Err, &p) {
		why = fmt.Sprintf("panic: %v", p.Value)
	}
	if len(why) > most {
		why = strings.ToValidUTF8(why[:most-len("…")], "") + "…" // a mark of the cut: it may be in the middle of a secret
	}
	return Failed{e.Agent, e.Round, strings.ToValidUTF8(why, ""), errors.Is(e.Err, agents.ErrBudget)}
}

// turnFailed is the inverse of failed.
func (p Failed) turnFailed() TurnFailed { return TurnFailed{p.Agent, p.Round, p.err()} }

// err returns an error of the same text, which is [agents.ErrBudget] if that was.
func (p Failed) err() error {
	if p.Budget {
		return &budgetError{p.Reason}
	}
	return errors.New(p.Reason)
}

// A budgetError is an [agents.ErrBudget] of an earlier process.
type budgetError struct{ text string }

func (e *budgetError) Error() string { return e.text }
func (*budgetError) Unwrap() error   { return agents.ErrBudget }

// TurnPassed is a turn in which an agent said that it had nothing to add.
type TurnPassed struct {
	Agent  string `json:"agent"`
	Round  int    `json:"round"`
	Reason string `json:"reason,omitempty"`
}

// String describes p in words.
func (p TurnPassed) String() string {
	if p.Reason == "" {
		return fmt.Sprintf("%s passed in round %d", p.Agent, p.Round)
	}
	return fmt.Sprintf("%s passed in round %d: %s", p.Agent, p.Round, p.Reason)
}

func passed(s *signals.Signal[agents.Passed]) TurnPassed {
	return TurnPassed{s.Source, int(s.Round), s.Payload.Reason}
}

// Same says that by [Options].Same a proposal is the same as an earlier one.
// From then on both count as one, with the votes on either.
type Same struct {
	ProposalID string `json:"proposalId"` // required; id of the later one
	As         string `json:"as"`         // required; id of the earlier one
}

// Kind returns KindLate.
func (Late) Kind() signals.Kind { return KindLate }

// Kind returns KindFailed.
func (Failed) Kind() signals.Kind { return KindFailed }

// Kind returns KindSame.
func (Same) Kind() signals.Kind { return KindSame }

// Check implements [signals.Checker].
func (p Late) Check(l signals.Limits) error {
	return cmp.Or(l.Name("agent", p.Agent), signals.AtLeastZero("round", float64(p.Round)))
}

// Check implements [signals.Checker].
func (p Failed) Check(l signals.Limits) error {
	return cmp.Or(l.Name("agent", p.Agent), signals.AtLeastZero("round", float64(p.Round)), l.Text("reason", p.Reason))
}

// Check implements [signals.Checker].
func (p Same) Check(l signals.Limits) error {
	return cmp.Or(l.Name("proposalId", p.ProposalID), l.Name("as", p.As))
}

// Kinds returns the registrations that a [signals.Codec] needs to read the log
// of a solve.
func Kinds() []signals.Registration {
	return append(routing.Kinds(),
		signals.For[Began](), signals.For[Late](), signals.For[Failed](), signals.For[Same](), signals.For[Answered](),
		signals.For[agents.Passed](),
		signals.For[conflict.Resolution](),
		signals.For[Opened](), signals.For[Decided](), signals.For[Outcome](),
	)
}
