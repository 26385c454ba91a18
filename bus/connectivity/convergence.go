package connectivity

import (
	"cmp"
	"fmt"
	"slices"
)

// Convergence says whether a thread is ready for its answer: no conflict open,
// no escalation open, and the newest grade in force of every source that has
// one high or medium.
type Convergence struct {
	Converged bool
	Obstacles []Obstacle // what is in the way, oldest first
	Graded    int        // sources with a grade in force; 0: nobody has said how stable its output is
}

// An Obstacle is a signal that keeps its thread from converging.
type Obstacle struct{ Signal Signal }

// String says what is in the way, for people.
func (o Obstacle) String() string {
	s := &o.Signal
	switch s.Class.Message() {
	case AboutConfidence:
		return fmt.Sprintf("%s is at %s: %s", s.Source, s.Class, s.Summary)
	default:
		return fmt.Sprintf("%s by %s is open: %s", s.Class, s.Source, s.Summary)
	}
}

func (t *thread) convergence() Convergence {
	if t == nil {
		return Convergence{Converged: true}
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
	slices.SortFunc(open, func(a, b *record) int { return cmp.Compare(a.seq, b.seq) })
	c := Convergence{Converged: len(open) == 0, Graded: t.graded}
	for _, r := range open {
		c.Obstacles = append(c.Obstacles, Obstacle{r.signal()})
	}
	return c
}
