package runlog

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/settle"
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

// Failed says that an agent's turn ended early because of an error. The turn's signals follow.
type Failed struct {
	Agent  string `json:"agent"`            // required
	Round  int    `json:"round"`            // of the turn, from 1
	Reason string `json:"reason,omitempty"` // the error's text, at most 1 KiB of it
	Budget bool   `json:"budget,omitempty"` // the error is [agents.ErrBudget]
	Passes bool   `json:"passes,omitempty"` // it was an outage ([agents.IsOutage])
	Asks   bool   `json:"asks,omitempty"`   // it asks a person, in a log from before questions were signals
}

// String describes p in words.
func (p Late) String() string { return fmt.Sprintf("%s was late in round %d", p.Agent, p.Round) }

// String describes p in words.
func (p Failed) String() string {
	if p.Asks {
		return fmt.Sprintf("%s asks a person in round %d: %s", p.Agent, p.Round, p.Reason)
	}
	return fmt.Sprintf("%s failed in round %d: %s", p.Agent, p.Round, p.Reason)
}

// FailedBy returns the record of a turn of that agent that ended with err.
func FailedBy(agent string, round int, err error) Failed {
	why := strings.TrimPrefix(err.Error(), "agents: "+agent+": ")
	if p := (*agents.PanicError)(nil); errors.As(err, &p) {
		why = fmt.Sprintf("panic: %v", p.Value)
	}
	return Failed{Agent: agent, Round: round, Reason: clip(why), Budget: errors.Is(err, agents.ErrBudget), Passes: agents.IsOutage(err)}
}

// clip returns the first KiB of a text, with a mark of the cut: it may be in the middle of a secret.
func clip(s string) string { return text.Fit(s, 1<<10) }

// Err returns an error of the same text, which is [agents.ErrBudget] if that was, and temporary if
// that was.
func (p Failed) Err() error {
	if p.Budget {
		return &budgetError{p.Reason}
	}
	if p.Passes {
		return agents.Retryable(errors.New(p.Reason), 0)
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

// Same says that by the option Same of the swarm a proposal is the same as an earlier one.
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

// KindBegan is the kind of [Began].
const KindBegan signals.Kind = "round:began"

// Began says that a round began and which input its turns got, so that an
// interrupted solve can give it to them again. Its header has the round and the
// time of the turns.
type Began struct {
	Turns  Text           `json:"turns"` // a [][BegunTurn], in the order of the agents
	Effort signals.Effort `json:"effort,omitempty"`
	Seed   uint64         `json:"seed"` // of the run

	// Debate is the step of a debate that the round is; the zero Debate is an ordinary
	// round.
	Debate settle.Debate `json:"debate,omitzero"`
	// Ask is what the plan of a solve that does not deliberate asks its turns for.
	Ask agents.Ask `json:"ask,omitempty"`
	// Against is the id of the proposal that the agent of the round is asked to argue
	// against, because the votes have chosen it; "": an ordinary round.
	Against string `json:"against,omitempty"`
	// Speakers says who was selected for the round of those with something new to hear, and
	// why: a []mode.Speaker; "": all were.
	Speakers Text `json:"speakers,omitempty"`
}

// A BegunTurn is what the agent of a turn had heard of the thread.
type BegunTurn struct {
	Agent   string   `json:"agent"`
	Through uint64   `json:"through"`           // sequence number of the last signal that it heard, or that waits
	Waiting []uint64 `json:"waiting,omitempty"` // sequence numbers of signals beyond its attention
}

// Kind returns KindBegan.
func (Began) Kind() signals.Kind { return KindBegan }

// Check implements [signals.Checker].
func (p Began) Check(l signals.Limits) error {
	if _, err := p.All(); err != nil {
		return err
	}
	if p.Against != "" {
		if err := l.Name("against", p.Against); err != nil {
			return err
		}
	}
	if p.Debate == (settle.Debate{}) {
		return nil
	}
	return p.Debate.Check(l)
}

// Selected returns who was selected of those with something new to hear; nil: all were.
func (p Began) Selected() (all []mode.Speaker) {
	_ = json.Unmarshal([]byte(p.Speakers), &all) // a transcript without it is better than none
	return all
}

// All returns the turns, in the order of the agents.
func (p Began) All() (all []BegunTurn, err error) {
	if err := json.Unmarshal([]byte(p.Turns), &all); err != nil {
		return nil, &signals.FieldError{Kind: KindBegan, Field: "turns", Value: string(p.Turns), Problem: err.Error()}
	}
	return all, nil
}
