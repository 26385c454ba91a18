package connectivity

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
		return "unknown: nobody has stated a confidence"
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

func (t *thread) convergence() Convergence {
	if t == nil {
		return Convergence{Unknown: true}
	}
	var open []*record
	for _, c := range []Class{ConflictActive, EscalationInterrupt, EscalationUncertainty} {
		if k := t.findClass(c); k != nil {
			open = slices.AppendSeq(open, t.records.oldest(&k.live, inClassLive))
		}
	}
	for s := range t.weak {
		open = append(open, t.records.at(s.grades.last))
	}
	for r := range t.records.oldest(&t.byPriority[Critical-1], inPriority) {
		if r.cause() == Unanswered {
			open = append(open, r)
		}
	}
	slices.SortFunc(open, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	c := Convergence{Graded: t.graded, Converged: len(open) == 0 && t.graded > 0, Unknown: len(open) == 0 && t.graded == 0}
	for _, r := range open {
		o := Obstacle{r.signal(), r.cause()}
		if o.Cause == BlockedSource {
			c.Blocked++
		}
		c.Obstacles = append(c.Obstacles, o)
	}
	return c
}

func (r *record) cause() Cause {
	switch c := r.group.class; {
	case c == ConflictActive:
		return OpenConflict
	case c.Message() == AboutEscalation:
		return OpenEscalation
	case !r.weak() || !r.inForce():
		return Unanswered
	case c == ConfidenceBlocker, r.salience() == Highest && r.grade.value < blocked:
		return BlockedSource
	}
	return LowConfidence
}
