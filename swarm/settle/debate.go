package settle

import (
	"cmp"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

const (
	// Certain is the probability of a side at which a debate is decided.
	Certain = 0.8
	// Rounds is the maximum number of rounds of a debate.
	Rounds = 3
	// Takes is how many rounds of turns are reserved for a round of a debate: one to
	// attack, one to answer and one to vote.
	Takes = 3
	// Arguments is how many signals are reserved for the advocates of such a round: an
	// attack and an answer of each.
	Arguments = 4
)

// A Part is what the advocates do in a round of turns.
type Part uint8

// The parts of a round of a debate.
const (
	Attack Part = 1 + iota // each attacks the other side's proposal
	Answer                 // each answers the attacks on its own
)

var parts = signals.NewEnum[Part]("part", "attack", "answer")

// String returns the wire name, or the number of an unknown part.
func (p Part) String() string { return parts.String(p) }

// MarshalText returns the wire name; an unknown part is an error.
func (p Part) MarshalText() ([]byte, error) { return parts.Marshal(p) }

// UnmarshalText reads what MarshalText writes.
func (p *Part) UnmarshalText(text []byte) error { return parts.Unmarshal(text, p) }

// A Debate is a debate between two proposals at one of its steps. The zero Debate is
// none.
type Debate struct {
	A     string `json:"a"`    // the older proposal
	B     string `json:"b"`    // the newer one
	ForA  string `json:"forA"` // the agent that argues for A
	ForB  string `json:"forB"`
	Round int    `json:"round"` // from 1
	Part  Part   `json:"part"`
}

// Check returns a [*signals.FieldError] for the first field that breaks a rule.
func (d Debate) Check(l signals.Limits) error {
	return cmp.Or(
		l.Name("a", d.A), l.Name("b", d.B), l.Name("forA", d.ForA), l.Name("forB", d.ForB),
		signals.AtLeastZero("round", float64(d.Round)), parts.Check(d.Part),
	)
}

// An End is why a debate ended; "" is one that goes on.
type End string

// The ends of debates.
const (
	Decided    End = "one side is certain enough"
	NothingNew End = "neither attack was new"
	OutOfTime  End = "the rounds are used up"
	OutOfFunds End = "the budget does not suffice"
)

// Next returns the step after this one, or why the debate is over. fresh is the number
// of arguments of this step that were new, a the probability of the older proposal now,
// and left the number of rounds of turns that are left.
func (d Debate) Next(fresh int, a float64, left int) (Debate, End) {
	switch {
	case max(a, 1-a) >= Certain:
		return d, Decided
	case d.Part == Attack && fresh == 0:
		return d, NothingNew
	case d.Part == Attack:
		d.Part = Answer
		return d, ""
	case d.Round == Rounds || left < Takes:
		return d, OutOfTime
	}
	d.Round, d.Part = d.Round+1, Attack
	return d, ""
}

// Side returns the proposal that an agent argues for, and the one against which; false
// if it does not argue.
func (d Debate) Side(agent string) (over, against string, ok bool) {
	switch agent {
	case d.ForA:
		return d.A, d.B, true
	case d.ForB:
		return d.B, d.A, true
	}
	return "", "", false
}

// Outcome returns the side that wins when the debate is over, by the probability of A;
// "" if both are equally probable.
func (d Debate) Outcome(a float64) string {
	switch {
	case a > 0.5:
		return d.A
	case a < 0.5:
		return d.B
	}
	return ""
}

// String describes the debate in words.
func (d Debate) String() string {
	return fmt.Sprintf("%s for %s and %s for %s, round %d: %s", d.ForA, d.A, d.ForB, d.B, d.Round, d.Part)
}

// Open returns the first step of a debate about a pair, and whether both sides have an
// advocate: the first of those who made the proposal and then of those who are for it
// that does not agree with the other side and can argue.
func (p Pair) Open(can func(agent string, over, against agents.Standing) bool) (Debate, bool) {
	d := Debate{A: p.A.ID(), B: p.B.ID(), Round: 1, Part: Attack}
	d.ForA = p.advocate(p.A, p.B, can)
	d.ForB = p.advocate(p.B, p.A, can)
	return d, d.ForA != "" && d.ForB != "" && d.ForA != d.ForB
}

func (p Pair) advocate(over, against agents.Standing, can func(string, agents.Standing, agents.Standing) bool) string {
	for _, name := range append(over.Supporters(), p.prefer(over, against, nil)...) {
		other := against.VoteOf(name)
		if (other == nil || other.Payload.Stance != signals.Agree) && can(name, over, against) {
			return name
		}
	}
	return ""
}
