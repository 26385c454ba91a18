package connectivity_test

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/bus/connectivity"
)

// converges fails the test unless the thread has exactly these obstacles.
func (w *world) converges(obstacles ...string) {
	w.Helper()
	c := w.Converged("t")
	var got []string
	for _, o := range c.Obstacles {
		got = append(got, o.String())
	}
	equal(w, "obstacles", got, obstacles...)
	clear := len(obstacles) == 0
	if c.Converged != (clear && c.Graded > 0) || c.Unknown != (clear && c.Graded == 0) {
		w.Errorf("converged %v, unknown %v with %d obstacles and %d grades", c.Converged, c.Unknown, len(obstacles), c.Graded)
	}
}

func TestAThreadWithoutGradesIsUnknown(t *testing.T) {
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
	w.converges("b is blocked, at confidence.blocker 0: stuck")
	w.emit(says("sure again", class(connectivity.ConfidenceHigh), by("b")))
	w.converges() // though the blocker is live, it is not the newest grade
	if w.state(stuck.ID).Terminal() {
		t.Error("ended")
	}
}

// Whatever its class, it has to be dealt with first.
func TestAnUnansweredCriticalIsAnObstacle(t *testing.T) {
	for c, want := range map[connectivity.Class]connectivity.Cause{
		connectivity.AttentionRaise:      connectivity.Unanswered,
		connectivity.ConfidenceHigh:      connectivity.Unanswered,
		connectivity.ConfidenceLow:       connectivity.LowConfidence,
		connectivity.ConfidenceBlocker:   connectivity.BlockedSource,
		connectivity.ConflictActive:      connectivity.OpenConflict,
		connectivity.ConflictResolved:    connectivity.Unanswered,
		connectivity.HandoffReady:        connectivity.Unanswered,
		connectivity.EscalationInterrupt: connectivity.OpenEscalation,
	} {
		w := newWorld(t, nil)
		w.emit(says("sure", by("b"), class(connectivity.ConfidenceHigh)))
		s := w.emit(critical("fire", class(c), func(in *connectivity.Input) {
			if c == connectivity.ConfidenceLow {
				in.Confidence = connectivity.Graded(0.3)
			}
		}))
		got := w.Converged("t")
		if got.Converged || len(got.Obstacles) != 1 || got.Obstacles[0].Cause != want || got.Obstacles[0].Signal.ID != s.ID {
			t.Errorf("critical %s: %+v", c, got)
		}
		w.resolve(s.ID)
		w.converges()
	}
	w := newWorld(t, nil)
	w.emit(critical("doubt", class(connectivity.ConfidenceLow)))
	w.emit(says("sure", class(connectivity.ConfidenceHigh)))
	w.converges("critical confidence.low by a is unanswered: doubt")
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

// A grade below 0.2 at high priority means that the source is blocked.
func TestAVeryLowGradeAtHighPriorityCountsAsABlocker(t *testing.T) {
	w := newWorld(t, nil)
	for i, c := range []struct {
		priority connectivity.Priority
		class    connectivity.Class
		grade    float64
		want     connectivity.Cause
		salience connectivity.Salience
	}{
		{connectivity.High, connectivity.ConfidenceLow, 0.19, connectivity.BlockedSource, connectivity.Highest},
		{connectivity.High, connectivity.ConfidenceLow, 0.2, connectivity.LowConfidence, connectivity.Ordinary},
		{connectivity.Normal, connectivity.ConfidenceLow, 0.1, connectivity.LowConfidence, connectivity.Ordinary},
		{connectivity.Critical, connectivity.ConfidenceLow, 0.1, connectivity.BlockedSource, connectivity.Highest},
		{connectivity.Critical, connectivity.ConfidenceLow, 0.2, connectivity.LowConfidence, connectivity.Highest},
		{connectivity.Critical, connectivity.ConfidenceLow, 0.3, connectivity.LowConfidence, connectivity.Highest},
		{connectivity.Low, connectivity.ConfidenceBlocker, 0, connectivity.BlockedSource, connectivity.Ordinary},
		{connectivity.High, connectivity.ConfidenceBlocker, 0, connectivity.BlockedSource, connectivity.Highest},
		{connectivity.High, connectivity.ConflictActive, 0.1, connectivity.OpenConflict, connectivity.Ordinary},
	} {
		thread := fmt.Sprint(i)
		s := w.emit(says("x", in(thread), at(c.priority), func(in *connectivity.Input) {
			in.Class, in.Confidence = c.class, connectivity.Graded(c.grade)
		}))
		got := w.Converged(thread)
		blocked := 0
		if c.want == connectivity.BlockedSource {
			blocked = 1
		}
		if s.Salience() != c.salience || len(got.Obstacles) != 1 || got.Obstacles[0].Cause != c.want || got.Blocked != blocked {
			t.Errorf("%s %s %v: %s, %+v", c.priority, c.class, c.grade, s.Salience(), got)
		}
	}
	if s := w.emit(says("x", at(connectivity.Low))); s.Salience() != connectivity.Lowest {
		t.Errorf("low without a grade: %s", s.Salience())
	}
}

func TestConvergenceIsReadable(t *testing.T) {
	w := newWorld(t, nil)
	for _, want := range []string{
		"unknown: nobody has stated a confidence", "converged: 1 source is sure enough",
		"not converged: 1 obstacle, first conflict.active by b is open: no",
	} {
		if got := w.Converged("t").String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if w.Converged("t").Unknown {
			w.emit(says("sure", class(connectivity.ConfidenceHigh)))
		} else {
			w.emit(says("no", class(connectivity.ConflictActive), by("b"), at(connectivity.Critical)))
		}
	}
}
