package connectivity_test

import (
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestSameSignalIsSuppressedWithinAStep(t *testing.T) {
	w := newWorld(t, nil).watch()
	s := w.emit(says("one"))
	w.repeats(says("other words"), s)
	w.repeats(says("other grade", func(in *connectivity.Input) { in.Confidence = coordination.Graded(1) }), s)
	if got, _ := w.Get(s.ID); got.Summary != "one" || !got.Confidence.IsZero() {
		t.Errorf("the stored signal changed: %+v", got)
	}
	equal(t, "events", w.seen(), "one emitted")
	w.emit(says("source", by("b")))
	w.emit(says("class", class(coordination.HandoffReady)))
	w.emit(says("audience", to(coordination.All)))
	w.emit(says("thread", in("u")))
	w.advance("t")
	w.emit(says("next step"))
	e, err := w.Emit(ctx, says("thread again", in("u"))) // whose step is its own
	if err != nil || !e.Suppressed {
		t.Errorf("a step of another thread opened the window: %v", err)
	}
}

func TestSuppressionByTimeIsInclusiveAndDoesNotSlide(t *testing.T) {
	for _, window := range []time.Duration{0, time.Second} {
		rule := connectivity.Suppression{Basis: connectivity.ByTime, Window: window}
		w := newWorld(t, &connectivity.Options{Suppression: rule})
		if window == 0 {
			window = 5 * time.Second
		}
		s := w.emit(says("one"))
		w.now = w.now.Add(window / 2)
		w.repeats(says("half"), s)
		w.advance("t") // is irrelevant here
		w.now = w.now.Add(window - window/2)
		w.repeats(says("all"), s)
		w.now = w.now.Add(1)
		w.emit(says("after"))
	}
}

func TestSuppressionByTimeIgnoresAClockThatGoesBack(t *testing.T) {
	rule := connectivity.Suppression{Basis: connectivity.ByTime, Window: time.Second}
	w := newWorld(t, &connectivity.Options{Suppression: rule})
	s := w.emit(says("one"))
	w.now = w.now.Add(-time.Hour)
	w.repeats(says("two"), s)
}

func TestSuppressionByTimeEndsThoughTheClockOfARebuiltLayerIsBehind(t *testing.T) {
	o := &connectivity.Options{Suppression: connectivity.Suppression{Basis: connectivity.ByTime, Window: time.Second}}
	w := newWorld(t, o)
	w.now = time.Now().Add(time.Hour) // the bus that is fed has the machine's
	w.emit(says("one"))
	if e, err := w.rebuilt(o).Emit(ctx, says("two")); err != nil || e.Suppressed {
		t.Errorf("suppressed by a signal of an hour later: %v, %v", e.Reason, err)
	}
}

func TestOnlyLiveSignalsSuppress(t *testing.T) {
	w := newWorld(t, &connectivity.Options{Suppression: connectivity.Suppression{Basis: connectivity.ByTime}})
	w.resolve(w.emit(says("resolved")).ID)
	s := w.emit(says("superseded", until(1)))
	w.emit(says("update", class(coordination.HandoffReady), replacing(s.ID)))
	w.emit(says("expired", until(1)))
	w.advance("t")
	w.emit(says("live"))
}

func TestCriticalIsNeverSuppressed(t *testing.T) {
	w := newWorld(t, nil)
	first := w.emit(says("fire", at(coordination.Critical)))
	second := w.emit(says("fire", at(coordination.Critical)))
	if first.ID == second.ID {
		t.Error("suppressed")
	}
	w.repeats(says("less urgent", at(coordination.High)), second)
}

func TestARaiseInPriorityIsNotSuppressed(t *testing.T) {
	w := newWorld(t, nil)
	low := w.emit(says("low", at(coordination.Low)))
	w.repeats(says("low again", at(coordination.Low)), low)
	normal := w.emit(says("normal", at(coordination.Normal)))
	high := w.emit(says("high", at(coordination.High)))
	for _, p := range []coordination.Priority{coordination.Low, coordination.Normal, coordination.High} {
		w.repeats(says("again", at(p)), high)
	}
	w.resolve(high.ID)
	w.repeats(says("again", at(coordination.Normal)), normal)
	w.emit(says("high anew", at(coordination.High)))
}

func grade(x float64) func(*connectivity.Input) {
	return func(in *connectivity.Input) { in.Confidence = coordination.Graded(x) }
}

// A grade that its source has since changed suppresses nothing.
func TestAGradeIsCoveredByTheOneInForceAlone(t *testing.T) {
	low, high := class(coordination.ConfidenceLow), class(coordination.ConfidenceHigh)
	w := newWorld(t, nil)
	w.emit(says("doubt", low))
	sure := w.emit(says("sure", high))
	w.repeats(says("still sure", high), sure)
	w.emit(says("wrong after all", low))
	w.converges("a is at confidence.low: wrong after all")
	again := w.emit(says("sure again", high))
	w.repeats(says("still sure", high), again)
	w.converges()
	w.resolve(again.ID) // and the doubt is in force again
	w.converges("a is at confidence.low: wrong after all")
	w.emit(says("sure in the end", high))
	w.converges()
}

// A grade gets worse, or a signal of low salience gets a grade.
func TestARaiseInSalienceIsNotSuppressed(t *testing.T) {
	w := newWorld(t, nil)
	doubt := class(coordination.ConfidenceLow)
	w.emit(says("unsure", doubt, at(coordination.High), grade(0.39)))
	worse := w.emit(says("hopeless", doubt, at(coordination.High), grade(0.01)))
	w.repeats(says("a little better", doubt, at(coordination.High), grade(0.3)), worse)
	w.repeats(says("less urgent", doubt, at(coordination.Normal), grade(0.01)), worse)
	if got := w.Converged("t").Blocked; got != 1 {
		t.Errorf("%d sources are blocked", got)
	}
	w.emit(says("low", at(coordination.Low)))
	graded := w.emit(says("low, with a grade", at(coordination.Low), grade(0.5)))
	w.repeats(says("low again", at(coordination.Low)), graded)
	w.repeats(says("low again, with another grade", at(coordination.Low), grade(0.9)), graded)
}

func TestACorrectionInTheSameStepIsNotLost(t *testing.T) {
	w := newWorld(t, nil)
	wrong := w.emit(says("wrong"))
	right := w.emit(says("right", replacing(wrong.ID)))
	if w.state(wrong.ID) != coordination.Superseded || w.state(right.ID).Terminal() {
		t.Error("the correction is not what stands")
	}
	other := w.emit(says("other class", class(coordination.HandoffPartial)))
	lower := w.emit(says("lower", at(coordination.Low), replacing(other.ID))) // in addition to right, which is as urgent
	w.repeats(says("low again", at(coordination.Low)), lower)
	w.repeats(says("normal again"), right)
}

func TestUrgentEscalationsDifferBySummary(t *testing.T) {
	w := newWorld(t, nil)
	for _, c := range []coordination.Class{coordination.EscalationInterrupt, coordination.EscalationUncertainty} {
		high := at(coordination.High)
		a := w.emit(says("disk", class(c), high))
		b := w.emit(says("network", class(c), high))
		w.repeats(says("disk", class(c), high), a)
		w.repeats(says("network", class(c), high), b)
		w.repeats(says("memory", class(c)), b) // normal: the summary does not count
		fire := w.emit(says("fire", class(c), at(coordination.Critical)))
		w.repeats(says("fire", class(c), high), fire)
		w.emit(says("smoke", class(c), high))
		w.resolve(a.ID)
		w.emit(says("disk", class(c), high))
	}
	first := w.emit(says("x", at(coordination.High)))
	w.repeats(says("y", at(coordination.High)), first) // not an escalation
	w.advance("t")
	w.emit(says("disk", class(coordination.EscalationInterrupt), at(coordination.High)))
}

func TestAllIsSuppressedLikeAnyAudience(t *testing.T) {
	w := newWorld(t, nil)
	for a := coordination.Self; a <= coordination.All; a++ {
		s := w.emit(says("x", to(a)))
		w.repeats(says("y", to(a)), s)
	}
}

func TestReasonIsReadable(t *testing.T) {
	w := newWorld(t, nil)
	e, _ := w.Emit(ctx, says("x"))
	if e.Suppressed || e.Reason.String() != "" {
		t.Errorf("reason of what was stored: %q", e.Reason)
	}
	w.advance("t")
	w.emit(says("y"))
	if e, _ = w.Emit(ctx, says("z")); e.Reason.String() != "the same in step 1" {
		t.Errorf("got %q", e.Reason)
	}
	w = newWorld(t, &connectivity.Options{Suppression: connectivity.Suppression{Basis: connectivity.ByTime}})
	w.emit(says("x"))
	w.now = w.now.Add(1200 * time.Millisecond)
	e, _ = w.Emit(ctx, says("x"))
	if e.Reason.String() != "the same 1.2s ago, within 5s" {
		t.Errorf("got %q", e.Reason)
	}
	want := connectivity.Reason{Repetition: connectivity.Recent, Age: 1200 * time.Millisecond, Window: 5 * time.Second}
	if e.Reason != want {
		t.Errorf("got %+v", e.Reason)
	}
}

// Low priority and no grade: it is not repeated as long as it is live.
func TestTheLeastSalientIsSuppressedAsLongAsTheSameIsLive(t *testing.T) {
	for _, basis := range []connectivity.Basis{connectivity.ByStep, connectivity.ByTime} {
		w := newWorld(t, &connectivity.Options{Suppression: connectivity.Suppression{Basis: basis}})
		s := w.emit(says("low", at(coordination.Low)))
		w.advance("t")
		w.now = w.now.Add(time.Hour)
		w.repeats(says("low", at(coordination.Low)), s)
		e, _ := w.Emit(ctx, says("low", at(coordination.Low)))
		if e.Reason.Repetition != connectivity.StillLive || e.Reason.String() != "the same since step 0, still live" {
			t.Errorf("reason %+v", e.Reason)
		}
		w.emit(says("low, with a grade", at(coordination.Low), grade(0.5)))
		w.emit(says("low, about something else", at(coordination.Low), class(coordination.HandoffReady)))
		w.advance("t")
		w.now = w.now.Add(time.Hour)
		normal := w.emit(says("normal"))
		w.resolve(s.ID)
		w.advance("t")
		w.now = w.now.Add(time.Hour)
		w.repeats(says("low again", at(coordination.Low)), normal)
		for _, s := range w.Query("t", coordination.Query{}) {
			w.resolve(s.ID)
		}
		w.emit(says("low anew", at(coordination.Low)))
	}
}

func TestRepetitionAllocatesNothing(t *testing.T) {
	w := newWorld(t, nil)
	in := says("the same")
	w.emit(in)
	repeat := func() {
		if e, err := w.Emit(ctx, in); err != nil || !e.Suppressed {
			t.Fatalf("stored %+v, %v", e.Signal, err)
		}
	}
	if n := testing.AllocsPerRun(1000, repeat); n > 0 {
		t.Errorf("%v allocations for a signal that is not stored", n)
	}
}
