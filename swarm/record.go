package swarm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
)

// The kinds of what is put on record of decisions, so that they can be derived
// again from the log alone. Agents cannot publish them.
const (
	KindTerms   signals.Kind = "decision:terms"
	KindDecided signals.Kind = "decision:made"
	KindOutcome signals.Kind = "decision:outcome"
)

// Opened says in a thread by what it will be decided. A thread may be decided
// by several terms.
type Opened struct {
	Terms Text `json:"terms"`
}

// Decided says in a thread what its votes so far came to, by terms that it was
// opened with.
type Decided struct {
	Name     string `json:"name"`               // of the terms
	Decision Text   `json:"decision"`           // a [consensus.Decision]
	Closed   bool   `json:"closed,omitempty"`   // voting was
	Quorum   int    `json:"quorum,omitempty"`   // 0: that of the terms
	Observed string `json:"observed,omitempty"` // the decision's name in the ledger of its terms

	Stop   StopReason `json:"stop,omitempty"` // of the solve; 0: it was none
	Detail string     `json:"detail,omitempty"`
}

// Outcome says in a thread which proposal turned out to be right; "" is none
// of them.
type Outcome struct {
	ProposalID string `json:"proposalId"`
}

// Kind implements [signals.Payload].
func (Opened) Kind() signals.Kind { return KindTerms }

// Kind implements [signals.Payload].
func (Decided) Kind() signals.Kind { return KindDecided }

// Kind implements [signals.Payload].
func (Outcome) Kind() signals.Kind { return KindOutcome }

// Text is JSON inside a payload, which holds no slices or maps. It is written
// as it is.
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

func textOf(v any) (Text, error) {
	data, err := json.Marshal(v)
	return Text(data), err
}

// Terms are everything beside the votes that a decision depends on.
type Terms struct {
	Name        string             `json:"name"`     // tells terms of one thread apart
	Strategy    string             `json:"strategy"` // as the strategy calls itself; see Ledger
	Threshold   float64            `json:"threshold,omitempty"`
	Quorum      int                `json:"quorum,omitempty"`
	Correlation float64            `json:"correlation,omitempty"`
	Electorate  []string           `json:"electorate"` // null: anyone
	Ranks       map[string]int     `json:"ranks,omitempty"`
	Groups      map[string]string  `json:"groups,omitempty"`
	Weights     map[string]float64 `json:"weights,omitempty"` // of voters' votes; of others 1
	Same        bool               `json:"same,omitempty"`    // proposals that say the same are one, as in a [Swarm]

	// Learner names what learns from this decision and from those before it in
	// the log with the same learner, and decides or helps to; "": nothing does.
	Learner string               `json:"learner,omitempty"`
	Book    bool                 `json:"book,omitempty"`    // it is a [reliability.Book], not a [reliability.Ledger]
	Learns  *reliability.Options `json:"learns,omitempty"`  // its options
	Default bool                 `json:"default,omitempty"` // what it knows decides, whatever Strategy is called
}

// SetOptions takes over the terms of a consensus.
func (t *Terms) SetOptions(o *consensus.Options) {
	t.Threshold, t.Quorum, t.Correlation = o.Threshold, o.Quorum, o.Correlation
	t.Electorate, t.Ranks, t.Groups = slices.Clone(o.Electorate), maps.Clone(o.Ranks), maps.Clone(o.Groups)
}

func (t *Terms) options() *consensus.Options {
	return &consensus.Options{
		Threshold: t.Threshold, Quorum: t.Quorum, Correlation: t.Correlation,
		Electorate: t.Electorate, Ranks: t.Ranks, Groups: t.Groups,
	}
}

// Open returns the signal that puts terms on record in a thread.
func (t *Terms) Open(thread string) (signals.Any, error) {
	text, err := textOf(t)
	if err != nil {
		return nil, fmt.Errorf("swarm: terms: %w", err)
	}
	return signals.New(signals.Header{Thread: thread, Confidence: 1}, Opened{text}), nil
}

// Record returns the signal that puts a decision on record. What it says of
// the decision is set.
func (p Decided) Record(thread string, d consensus.Decision) (signals.Any, error) {
	text, err := textOf(d)
	if err != nil {
		return nil, fmt.Errorf("swarm: decision: %w", err)
	}
	p.Decision = text
	return signals.New(signals.Header{Thread: thread, Confidence: d.Confidence}, p), nil
}
