package coordination

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// Convergence says whether a thread is ready for its answer: no conflict is open, no escalation is
// open, no critical signal is unanswered, and the newest grade in force of every source that has one
// is high or medium. If there are no obstacles but no source has a grade in force, convergence is
// unknown.
type Convergence struct {
	Converged bool
	Unknown   bool       // there are no obstacles, but no source has a grade in force
	Obstacles []Obstacle // oldest first
	Graded    int        // sources with a grade in force
	Blocked   int        // those of them that are blocked
}

// String describes the convergence in words.
func (c Convergence) String() string {
	switch {
	case c.Converged:
		return fmt.Sprintf("converged: %s sure enough", count(c.Graded, "source is", "sources are"))
	case c.Unknown:
		return "unknown: no one has stated a confidence"
	}
	return fmt.Sprintf("not converged: %s, first %s", count(len(c.Obstacles), "obstacle", "obstacles"), c.Obstacles[0])
}

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// Cause is why a signal is an obstacle.
type Cause uint8

// The causes.
const (
	OpenConflict   Cause = 1 + iota
	OpenEscalation       // including one that was not delivered yet
	LowConfidence        // the newest grade in force of its source is low
	BlockedSource        // a blocker, or counts as one: see [Highest]
	Unanswered           // critical, and none of the above
)

var causeNames = signals.NewEnum[Cause](
	"cause", "open conflict", "open escalation", "low confidence", "blocked source", "unanswered critical",
)

// String returns the cause in two or three words.
func (c Cause) String() string { return causeNames.String(c) }

// An Obstacle is a signal that keeps its thread from converging.
type Obstacle struct {
	Signal Signal
	Cause  Cause
}

// String describes the obstacle, for people.
func (o Obstacle) String() string {
	s := &o.Signal
	switch o.Cause {
	case LowConfidence:
		return fmt.Sprintf("%s is at %s: %s", s.Source, s.Class, s.Summary)
	case BlockedSource:
		return fmt.Sprintf("%s is blocked, at %s %s: %s", s.Source, s.Class, s.Confidence, s.Summary)
	case Unanswered:
		return fmt.Sprintf("critical %s by %s is unanswered: %s", s.Class, s.Source, s.Summary)
	default:
		return fmt.Sprintf("%s by %s is open: %s", s.Class, s.Source, s.Summary)
	}
}

// Converged reports whether the thread is ready for its answer, and the obstacles.
func (t *Thread) Converged() Convergence {
	var c Convergence
	var open []*Record
	for r := range t.lists.open.oldest() {
		if !r.weak() || !r.InForce() {
			open = append(open, r)
		}
	}
	for _, s := range t.lists.sources {
		grade := s.grades.last()
		if grade == nil {
			continue
		}
		if c.Graded++; grade.weak() {
			open = append(open, grade)
		}
	}
	slices.SortFunc(open, func(a, b *Record) int { return cmp.Compare(a.Seq, b.Seq) })
	for _, r := range open {
		o := Obstacle{r.Snapshot(), r.cause()}
		if o.Cause == BlockedSource {
			c.Blocked++
		}
		c.Obstacles = append(c.Obstacles, o)
	}
	c.Converged, c.Unknown = len(open) == 0 && c.Graded > 0, len(open) == 0 && c.Graded == 0
	return c
}

func (r *Record) cause() Cause {
	switch {
	case r.Class == ConflictActive:
		return OpenConflict
	case r.Class.Message() == AboutEscalation:
		return OpenEscalation
	case !r.weak() || !r.InForce():
		return Unanswered
	case r.Class == ConfidenceBlocker, r.blocked():
		return BlockedSource
	}
	return LowConfidence
}

// blocked reports whether a weak grade counts as a blocker.
func (r *Record) blocked() bool {
	x, _ := r.Confidence.Get()
	return r.Salience() == Highest && x < blockedBelow
}
