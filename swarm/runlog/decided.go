package runlog

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// The kinds of the records of decisions, by which these can be derived from the
// log alone. Agents cannot publish them.
const (
	KindTerms   signals.Kind = "decision:terms"
	KindDecided signals.Kind = "decision:made"
	KindOutcome signals.Kind = "decision:outcome"
)

// Learner is the name of a swarm's own terms, and of its ledger in them.
const Learner = "swarm"

// Opened records the terms by which a thread will be decided. A thread may have
// several terms.
type Opened struct {
	Terms Text `json:"terms"`
}

// Decided records the decision on a thread's votes so far, by terms that were
// opened in the thread.
type Decided struct {
	Name     string `json:"name"`               // of the terms
	Decision Text   `json:"decision"`           // a [consensus.Decision] as JSON
	Closed   bool   `json:"closed,omitempty"`   // voting was closed
	Quorum   int    `json:"quorum,omitempty"`   // 0: as in the terms
	Observed string `json:"observed,omitempty"` // name of the decision in the ledger of its terms

	Stop     StopReason `json:"stop,omitempty"` // of the solve; 0: not a solve
	Detail   string     `json:"detail,omitempty"`
	Withheld string     `json:"withheld,omitempty"` // why a proposal that the votes chose was not; "": it was
	Open     bool       `json:"open,omitempty"`     // the solve goes on with its proposals and conflicts; older logs close the thread
}

var _ bus.ThreadCloser = Decided{}

// ClosesThread reports whether the solve is over, so that the bus closes the thread
// (see [bus.ThreadCloser]). A solve that waits for an answer, or that goes on when it is
// resumed, is not over.
func (p Decided) ClosesThread() bool { return p.Stop != 0 && p.Stop != StopEscalated && !p.Open }

// Outcome says in a thread which proposal turned out to be right; "" is none
// of them.
type Outcome struct {
	ProposalID string `json:"proposalId"`
	Observed   string `json:"observed,omitempty"` // of which decision; "": of all that were observed in the thread
}

// Kind implements [signals.Payload].
func (Opened) Kind() signals.Kind { return KindTerms }

// Kind implements [signals.Payload].
func (Decided) Kind() signals.Kind { return KindDecided }

// Kind implements [signals.Payload].
func (Outcome) Kind() signals.Kind { return KindOutcome }

// Text is JSON inside a payload, which cannot hold slices or maps. It is
// written unchanged.
type Text string

// MarshalJSON writes the JSON itself.
func (t Text) MarshalJSON() ([]byte, error) { return []byte(t), nil }

// UnmarshalJSON keeps the JSON, without spaces.
func (t *Text) UnmarshalJSON(data []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		return err
	}
	*t = Text(b.String())
	return nil
}

// TextOf returns v as JSON.
func TextOf(v any) (Text, error) {
	data, err := json.Marshal(v)
	return Text(data), err
}

// Terms are everything that a decision depends on, except the votes.
type Terms struct {
	Name        string             `json:"name"`     // distinguishes the terms of one thread
	Strategy    string             `json:"strategy"` // the strategy's name; see Ledger
	Threshold   float64            `json:"threshold,omitempty"`
	Quorum      int                `json:"quorum,omitempty"`
	Correlation float64            `json:"correlation,omitempty"`
	Electorate  []string           `json:"electorate"` // null: anyone
	Ranks       map[string]int     `json:"ranks,omitempty"`
	Groups      map[string]string  `json:"groups,omitempty"`
	Weights     map[string]float64 `json:"weights,omitempty"`     // factors on voters' votes; 1 for others
	Same        bool               `json:"same,omitempty"`        // equal proposals count as one, as in a swarm
	Conflicts   settle.Policy      `json:"conflicts,omitzero"`    // how they are settled
	NoConflicts bool               `json:"noConflicts,omitempty"` // the bus does not look for them
	Planned     bool               `json:"planned,omitempty"`     // the plan of the thread decides: the strategy has the name of its mode
	Own         bool               `json:"own,omitempty"`         // the strategy is none of the library's, whatever it calls itself
	Rule        int                `json:"rule,omitempty"`        // by which votes count: [Rule], or that of an older log

	// Learner names the learner that learns from this decision and from earlier
	// ones in the log with the same learner, and that decides or assists the
	// strategy; "": none.
	Learner string               `json:"learner,omitempty"`
	Learns  *reliability.Options `json:"learns,omitempty"`  // its options
	Default bool                 `json:"default,omitempty"` // the learner decides: by its model if the Strategy is "learned"
	Starts  Text                 `json:"starts,omitempty"`  // the learner as it was before the log, a [reliability.Ledger]; "": empty
}

// The rules of [Terms]. By the first, which is 0, whoever was for the loser of a settlement abstained.
const (
	ruleOfSettlements = 1 // a settlement chooses, and changes no vote
	ruleOfBallots     = 2 // who deliberates keeps its first ballot, unless it moves for what was checked
	ruleOfWitnesses   = 3 // a tool's result is checked only if a tool returned it, and not only an agent says so
	ruleOfShared      = 4 // what was learned of agreement holds the chance of an error that all share
	ruleOfResults     = 5 // a finding is confirmed by what a tool returned to a second source, and not by another text alone
)

// Rule is the present rule of [Terms]. A log with terms of an older one is counted by that.
const Rule = ruleOfResults

// Older reports whether the learner learns as before the present rule: see [reliability.Ledger.AsBefore].
func (t *Terms) Older() bool { return t.Rule < ruleOfShared }

// SetOptions copies the options of a consensus.
func (t *Terms) SetOptions(o *consensus.Options) {
	t.Threshold, t.Quorum, t.Correlation = o.Threshold, o.Quorum, o.Correlation
	t.Electorate, t.Ranks, t.Groups = slices.Clone(o.Electorate), maps.Clone(o.Ranks), maps.Clone(o.Groups)
}

// Options returns the options of a consensus.
func (t *Terms) Options() *consensus.Options {
	return &consensus.Options{
		Threshold: t.Threshold, Quorum: t.Quorum, Correlation: t.Correlation,
		Electorate: t.Electorate, Ranks: t.Ranks, Groups: t.Groups,
	}
}

// Open returns the signal that records the terms in a thread.
func (t *Terms) Open(thread string) (signals.Any, error) {
	text, err := TextOf(t)
	if err != nil {
		return nil, fmt.Errorf("runlog: terms: %w", err)
	}
	return signals.New(signals.Header{Thread: thread, Confidence: 1}, Opened{text}), nil
}

// Record returns the signal that records a decision, with the decision filled
// in.
func (p Decided) Record(thread string, d consensus.Decision) (signals.Any, error) {
	text, err := TextOf(d)
	if err != nil {
		return nil, fmt.Errorf("runlog: decision: %w", err)
	}
	p.Decision = text
	return signals.New(signals.Header{Thread: thread, Confidence: d.Confidence}, p), nil
}
