package coordination

import "github.com/swarmbus/swarmbus/signals"

// Salience is how much a note matters for the next decision.
type Salience uint8

// The saliences.
const (
	Lowest   Salience = 1 + iota // low priority and no grade: suppressed as long as the same note is live
	Ordinary                     // all others
	Highest                      // critical, or a blocker: a grade below 0.2 at high priority counts as one
)

var salienceNames = signals.NewEnum[Salience]("salience", "lowest", "ordinary", "highest")

// String returns one word.
func (s Salience) String() string { return salienceNames.String(s) }

// blockedBelow is the grade below which a source counts as blocked if it emits at high
// priority.
const blockedBelow = 0.2

// Salience returns how much the note matters for the next decision.
func (n *Note) Salience() Salience { return salience(n.Class, n.Priority, n.Confidence) }

// Salience returns how much the signal matters for the next decision.
func (s *Signal) Salience() Salience { return salience(s.Class, s.Priority, s.Confidence) }

func salience(c Class, p Priority, g Grade) Salience {
	switch {
	case p == Critical, p == High && c.Message() == AboutConfidence && g.value < blockedBelow:
		return Highest
	case p == Low && !g.given:
		return Lowest
	}
	return Ordinary
}
