package conflict

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// IDPrefix begins the ids of conflict signals, and of no others.
const IDPrefix = "conflict_"

// ruleRivals is the rule that a conflict's id is derived from, together with
// the pair.
const ruleRivals = "rival-proposals"

// ID returns the id of the pair's conflict signal. It depends only on the rule
// and the two signals, so all readers of a log find the same conflict under the
// same id.
func (p Pair) ID() signals.ID {
	var text []byte
	for _, part := range []string{cmp.Or(p.Rule, ruleRivals), p.A.Signal.String(), p.B.Signal.String()} {
		text = append(strconv.AppendInt(text, int64(len(part)), 10), ':')
		text = append(text, part...)
	}
	sum := sha256.Sum256(text)
	return signals.MustID(IDPrefix + hex.EncodeToString(sum[:12]))
}

// ofRivals reports whether the signal is that of a conflict between proposals.
func ofRivals(s *signals.Signal[signals.Conflict]) bool {
	return s.ID == Pair{A: Proposal{Signal: s.Payload.SignalA}, B: Proposal{Signal: s.Payload.SignalB}}.ID()
}

// Payload returns the payload of the pair's conflict signal.
func (p Pair) Payload() signals.Conflict {
	c := signals.Conflict{SignalA: p.A.Signal, SignalB: p.B.Signal}
	if c.Description = fmt.Sprintf("%s proposes %s, %s proposes %s", p.A.Source, p.A.ProposalID, p.B.Source, p.B.ProposalID); p.Rule != "" {
		c.Description = fmt.Sprintf("%s: %s and %s", p.Rule, p.A.describe(), p.B.describe())
	}
	return c
}

func (p Proposal) describe() string {
	if p.ProposalID == "" {
		return fmt.Sprintf("signal %d by %s", p.Seq, p.Source)
	}
	return fmt.Sprintf("signal %d by %s about %s", p.Seq, p.Source, p.ProposalID)
}

// KindResolved is the kind of [Resolution].
const KindResolved signals.Kind = "conflict:resolved"

// How says what settled a conflict; "" is for a program's own reasons.
type How string

// The ways in which conflicts are settled.
const (
	BySameness  How = "same"      // both sides propose the same
	ByMajority  How = "majority"  // more voters were for one side than for the other
	ByDebate    How = "debate"    // the two sides argued
	ByAnswer    How = "escalate"  // a person or program outside was asked
	ByConsensus How = "consensus" // one side was chosen
)

// Resolution ends the open conflict between two signals, named in either
// order. See [Detector.Resolvable].
//
// If there is a winner, the other side has lost: its conflicts end, and proposals that
// were in conflict with it continue with their next oldest rival.
type Resolution struct {
	SignalA signals.ID `json:"signalA"` // required
	SignalB signals.ID `json:"signalB"` // required
	How     How        `json:"how,omitempty"`
	Winner  signals.ID `json:"winner,omitzero"` // one of the two signals; zero: both stand, or neither does
	Reason  string     `json:"reason"`
	// DetectedAt is when the conflict was detected ([Pair.DetectedAt]); zero: not said.
	DetectedAt time.Time `json:"detectedAt,omitzero"`
}

// Loser returns the side that lost; zero if there is no winner.
func (r Resolution) Loser() signals.ID {
	switch r.Winner {
	case r.SignalA:
		return r.SignalB
	case r.SignalB:
		return r.SignalA
	}
	return signals.ID{}
}

// Kind returns KindResolved.
func (Resolution) Kind() signals.Kind { return KindResolved }

// Check implements [signals.Checker].
func (r Resolution) Check(l signals.Limits) error {
	return cmp.Or(
		l.Ref("signalA", r.SignalA),
		l.Ref("signalB", r.SignalB),
		r.checkWinner(),
		l.Text("how", string(r.How)),
		l.Text("reason", r.Reason),
	)
}

func (r Resolution) checkWinner() error {
	if !r.Winner.IsZero() && r.Loser().IsZero() {
		return &signals.FieldError{Kind: KindResolved, Field: "winner", Value: r.Winner.String(), Problem: "neither signalA nor signalB"}
	}
	return nil
}
