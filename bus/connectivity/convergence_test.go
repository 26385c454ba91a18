package connectivity_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/bus/connectivity"
)

// converges wants a thread to have exactly these obstacles.
func (w *world) converges(obstacles ...string) {
	w.Helper()
	c := w.Converged("t")
	var got []string
	for _, o := range c.Obstacles {
		got = append(got, o.String())
	}
	equal(w, "obstacles", got, obstacles...)
	if c.Converged != (len(obstacles) == 0) {
		w.Errorf("converged %v with %d obstacles", c.Converged, len(obstacles))
	}
}

func TestAnEmptyThreadConverges(t *testing.T) {
	w := newWorld(t, nil)
	w.converges()
	w.emit(says("x"))
	w.emit(says("y", class(connectivity.HandoffPartial)))
	w.emit(says("z", class(connectivity.ConflictResolved)))
	w.converges()
	if got := w.Converged("t").Graded; got != 0 {
		t.Errorf("%d graded", got)
	}
}

func TestOpenConflictsAreObstacles(t *testing.T) {
	w := newWorld(t, nil)
	unseen := w.emit(says("unseen", class(connectivity.ConflictActive)))
	w.watch()
	seen := w.emit(says("seen", class(connectivity.ConflictActive), by("b")))
	w.converges("conflict.active by a is open: unseen", "conflict.active by b is open: seen")
	w.resolve(unseen.ID)
	w.converges("conflict.active by b is open: seen")
	w.emit(says("settled", class(connectivity.ConflictResolved), replacing(seen.ID)))
	w.converges()
}

func TestOpenEscalationsAreObstacles(t *testing.T) {
	w := newWorld(t, nil)
	a := w.emit(says("stop", class(connectivity.EscalationInterrupt)))
	b := w.emit(says("unsure", class(connectivity.EscalationUncertainty), until(1)))
	w.converges("escalation.interrupt by a is open: stop", "escalation.uncertainty by a is open: unsure")
	w.advance("t")
	w.converges("escalation.interrupt by a is open: stop")
	w.resolve(a.ID)
	w.converges()
	if w.state(b.ID) != connectivity.Expired {
		t.Error("did not expire")
	}
}

func TestTheNewestGradeInForceCounts(t *testing.T) {
	w := newWorld(t, nil)
	w.emit(says("sure", class(connectivity.ConfidenceHigh)))
	w.emit(says("fair", class(connectivity.ConfidenceMedium), by("b")))
	w.converges()
	if got := w.Converged("t").Graded; got != 2 {
		t.Errorf("%d graded", got)
	}
	low := w.emit(says("doubts", class(connectivity.ConfidenceLow), by("b")))
	w.converges("b is at confidence.low: doubts")
	stuck := w.emit(says("stuck", class(connectivity.ConfidenceBlocker), by("b"), replacing(low.ID)))
	w.converges("b is at confidence.blocker: stuck")
	w.emit(says("sure again", class(connectivity.ConfidenceHigh), by("b")))
	w.converges() // though the blocker is live: it is not the newest
	if w.state(stuck.ID).Terminal() {
		t.Error("ended")
	}
}

func TestAGradeThatEndedIsNotInForce(t *testing.T) {
	w := newWorld(t, nil)
	s := w.emit(says("doubts", class(connectivity.ConfidenceLow)))
	w.emit(says("sure", class(connectivity.ConfidenceHigh), until(1)))
	w.converges()
	w.advance("t")
	w.converges("a is at confidence.low: doubts") // which is in force again
	w.resolve(s.ID)
	w.converges()
	if got := w.Converged("t").Graded; got != 0 {
		t.Errorf("%d graded", got)
	}
}

func TestThreadsConvergeAlone(t *testing.T) {
	w := newWorld(t, nil)
	w.emit(says("x", class(connectivity.ConflictActive), in("u")))
	w.converges()
}
