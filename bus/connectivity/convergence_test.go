package connectivity_test

import (
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals/coordination"
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
	w.emit(says("y", class(coordination.HandoffPartial)))
	w.emit(says("z", class(coordination.ConflictResolved)))
	w.converges()
	if got := w.Converged("t").Graded; got != 0 {
		t.Errorf("%d graded", got)
	}
}

func TestOpenConflictsAreObstacles(t *testing.T) {
	w := newWorld(t, nil)
	unseen := w.emit(says("unseen", class(coordination.ConflictActive)))
	w.watch()
	seen := w.emit(says("seen", class(coordination.ConflictActive), by("b")))
	w.converges("conflict.active by a is open: unseen", "conflict.active by b is open: seen")
	w.resolve(unseen.ID)
	w.converges("conflict.active by b is open: seen")
	w.emit(says("settled", class(coordination.ConflictResolved), replacing(seen.ID)))
	w.converges()
}

func TestOpenEscalationsAreObstacles(t *testing.T) {
	w := newWorld(t, nil)
	a := w.emit(says("stop", class(coordination.EscalationInterrupt)))
	b := w.emit(says("unsure", class(coordination.EscalationUncertainty), until(1)))
	w.converges("escalation.interrupt by a is open: stop", "escalation.uncertainty by a is open: unsure")
	w.advance("t")
	w.converges("escalation.interrupt by a is open: stop")
	w.resolve(a.ID)
	w.converges()
	if w.state(b.ID) != coordination.Expired {
		t.Error("did not expire")
	}
}

func TestTheNewestGradeInForceCounts(t *testing.T) {
	w := newWorld(t, nil)
	w.emit(says("sure", class(coordination.ConfidenceHigh)))
	w.emit(says("fair", class(coordination.ConfidenceMedium), by("b")))
	w.converges()
	if got := w.Converged("t").Graded; got != 2 {
		t.Errorf("%d graded", got)
	}
	low := w.emit(says("doubts", class(coordination.ConfidenceLow), by("b")))
	w.converges("b is at confidence.low: doubts")
	stuck := w.emit(says("stuck", class(coordination.ConfidenceBlocker), by("b"), replacing(low.ID)))
	w.converges("b is blocked, at confidence.blocker 0: stuck")
	w.emit(says("sure again", class(coordination.ConfidenceHigh), by("b")))
	w.converges() // though the blocker is live, it is not the newest grade
	if w.state(stuck.ID).Terminal() {
		t.Error("ended")
	}
}

// A critical signal of any class keeps its thread from converging.
func TestAnUnansweredCriticalIsAnObstacle(t *testing.T) {
	for c, want := range map[coordination.Class]coordination.Cause{
		coordination.AttentionRaise:      coordination.Unanswered,
		coordination.ConfidenceHigh:      coordination.Unanswered,
		coordination.ConfidenceLow:       coordination.LowConfidence,
		coordination.ConfidenceBlocker:   coordination.BlockedSource,
		coordination.ConflictActive:      coordination.OpenConflict,
		coordination.ConflictResolved:    coordination.Unanswered,
		coordination.HandoffReady:        coordination.Unanswered,
		coordination.EscalationInterrupt: coordination.OpenEscalation,
	} {
		w := newWorld(t, nil)
		w.emit(says("sure", by("b"), class(coordination.ConfidenceHigh)))
		s := w.emit(critical("fire", class(c), func(in *connectivity.Input) {
			if c == coordination.ConfidenceLow {
				in.Confidence = coordination.Graded(0.3)
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
	w.emit(critical("doubt", class(coordination.ConfidenceLow)))
	w.emit(says("sure", class(coordination.ConfidenceHigh)))
	w.converges("critical confidence.low by a is unanswered: doubt")
}

func TestAGradeThatEndedIsNotInForce(t *testing.T) {
	w := newWorld(t, nil)
	s := w.emit(says("doubts", class(coordination.ConfidenceLow)))
	w.emit(says("sure", class(coordination.ConfidenceHigh), until(1)))
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
	w.emit(says("x", class(coordination.ConflictActive), in("u")))
	w.converges()
}

// A grade below 0.2 at high priority means that the source is blocked.
func TestAVeryLowGradeAtHighPriorityCountsAsABlocker(t *testing.T) {
	w := newWorld(t, nil)
	for i, c := range []struct {
		priority coordination.Priority
		class    coordination.Class
		grade    float64
		want     coordination.Cause
		salience coordination.Salience
	}{
		{coordination.High, coordination.ConfidenceLow, 0.19, coordination.BlockedSource, coordination.Highest},
		{coordination.High, coordination.ConfidenceLow, 0.2, coordination.LowConfidence, coordination.Ordinary},
		{coordination.Normal, coordination.ConfidenceLow, 0.1, coordination.LowConfidence, coordination.Ordinary},
		{coordination.Critical, coordination.ConfidenceLow, 0.1, coordination.BlockedSource, coordination.Highest},
		{coordination.Critical, coordination.ConfidenceLow, 0.2, coordination.LowConfidence, coordination.Highest},
		{coordination.Critical, coordination.ConfidenceLow, 0.3, coordination.LowConfidence, coordination.Highest},
		{coordination.Low, coordination.ConfidenceBlocker, 0, coordination.BlockedSource, coordination.Ordinary},
		{coordination.High, coordination.ConfidenceBlocker, 0, coordination.BlockedSource, coordination.Highest},
		{coordination.High, coordination.ConflictActive, 0.1, coordination.OpenConflict, coordination.Ordinary},
	} {
		thread := fmt.Sprint(i)
		s := w.emit(says("x", in(thread), at(c.priority), func(in *connectivity.Input) {
			in.Class, in.Confidence = c.class, coordination.Graded(c.grade)
		}))
		got := w.Converged(thread)
		blocked := 0
		if c.want == coordination.BlockedSource {
			blocked = 1
		}
		if s.Salience() != c.salience || len(got.Obstacles) != 1 || got.Obstacles[0].Cause != c.want || got.Blocked != blocked {
			t.Errorf("%s %s %v: %s, %+v", c.priority, c.class, c.grade, s.Salience(), got)
		}
	}
	if s := w.emit(says("x", at(coordination.Low))); s.Salience() != coordination.Lowest {
		t.Errorf("low without a grade: %s", s.Salience())
	}
}

func TestConvergenceIsReadable(t *testing.T) {
	w := newWorld(t, nil)
	for _, want := range []string{
		"unknown: no one has stated a confidence", "converged: 1 source is sure enough",
		"not converged: 1 obstacle, first conflict.active by b is open: no",
	} {
		if got := w.Converged("t").String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
		if w.Converged("t").Unknown {
			w.emit(says("sure", class(coordination.ConfidenceHigh)))
		} else {
			w.emit(says("no", class(coordination.ConflictActive), by("b"), at(coordination.Critical)))
		}
	}
}
