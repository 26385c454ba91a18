package connectivity

import "github.com/swarmbus/swarmbus/signals/coordination"

// Salience is how much a signal matters for the next decision.
type Salience uint8

// The saliences.
const (
	Lowest   Salience = 1 + iota // low priority and no grade: suppressed as long as the same signal is live
	Ordinary                     // all others
	Highest                      // critical, or a blocker: a grade below 0.2 at high priority counts as one
)

// String returns one word.
func (s Salience) String() string {
	switch s {
	case Lowest:
		return "lowest"
	case Ordinary:
		return "ordinary"
	case Highest:
		return "highest"
	}
	return "unknown"
}

// blocked is the grade below which a source counts as blocked if it emits at
// high priority.
const blocked = 0.2

// urgency ranks signals by priority and, within one, by salience.
func urgency(c coordination.Class, p coordination.Priority, g coordination.Grade) int {
	switch salience(c, p, g) {
	case Lowest:
		return int(p) - 1
	case Highest:
		return int(p) + 1
	}
	return int(p)
}

// SalienceOf returns how much a signal matters for the next decision.
func SalienceOf(s coordination.Signal) Salience { return salience(s.Class, s.Priority, s.Confidence) }

func salience(c coordination.Class, p coordination.Priority, g coordination.Grade) Salience {
	x, graded := g.Get()
	switch {
	case p == coordination.Critical, p == coordination.High && c.Message() == coordination.AboutConfidence && x < blocked:
		return Highest
	case p == coordination.Low && !graded:
		return Lowest
	}
	return Ordinary
}
