package connectivity_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

func TestEmitAddsIDTimeStateAndStep(t *testing.T) {
	w := newWorld(t, nil)
	w.advance("t")
	in := says("look", until(5))
	in.Details = "at this"
	s := w.emit(in)
	if !strings.HasPrefix(s.ID.String(), "sig_") || !s.EmittedAt.Equal(w.now) || s.State != coordination.Emitted || s.Step != 1 || s.Seq == 0 {
		t.Errorf("got %+v", s)
	}
	if got, _ := w.Get(s.ID); got.Summary != "look" || got.Details != "at this" || got.ExpiresAtStep != 5 || got.Seq != s.Seq {
		t.Errorf("stored as %+v", got)
	}
	if other := w.emit(says("look", by("b"))); other.ID == s.ID {
		t.Error("two signals with one id")
	}
}

// A summary of any length without a visible character is empty, and characters that
// move the cursor are not text.
func TestASummaryHasToBeReadable(t *testing.T) {
	w := newWorld(t, nil)
	for _, s := range []string{
		"", " ", "\t\u00a0\u3000", "\u200b", "\u2060", "\u00ad", "\u202e", "\ufe0f", "\u0301", "\u2800\u2800",
		"\u3164", "\u115f", "\u1160", "\uffa0", "\u034f", "\U000e0041", "\ue000",
		"\x00", "\x1b[2K", "all is well\x1b[2K", "\u009b2K", "x\b",
		"ok\rconverged", "two\nlines", "x\vy", "x\u0085y", "x\u2028y", "x\u2029y", "x\u202ey", "x\u202ay", "x\u2066y", "x\u2069y", "\U0001d159",
	} {
		_, err := w.Emit(ctx, says(s))
		invalid(t, err, "summary")
	}
	for i, s := range []string{"x", "?", "7", "日", "é", "e\u0301", "👍🏽", "a\ttab", "\u200fx", "\u3164x", "مرحبا", "x\u202fy", "x\u2065y", "x\u206ay"} {
		w.emit(says(s, by(fmt.Sprint(i))))
	}
}

func TestEmitRefusesInvalidInput(t *testing.T) {
	w := newWorld(t, nil).watch()
	w.advance("t")
	long := strings.Repeat("x", signals.DefaultTextBytes+1)
	for name, c := range map[string]struct {
		field  string
		change func(*connectivity.Input)
	}{
		"no thread":          {"thread", func(in *connectivity.Input) { in.Thread = "" }},
		"no source":          {"source", func(in *connectivity.Input) { in.Source = "" }},
		"no name":            {"source", func(in *connectivity.Input) { in.Source = "a\nb" }},
		"the system":         {"source", func(in *connectivity.Input) { in.Source = bus.System }},
		"no summary":         {"summary", func(in *connectivity.Input) { in.Summary = "" }},
		"long summary":       {"summary", func(in *connectivity.Input) { in.Summary = long }},
		"long details":       {"details", func(in *connectivity.Input) { in.Details = long }},
		"details not UTF-8":  {"details", func(in *connectivity.Input) { in.Details = "\xff" }},
		"no class":           {"class", func(in *connectivity.Input) { in.Class = 0 }},
		"unknown class":      {"class", func(in *connectivity.Input) { in.Class = 255 }},
		"unknown audience":   {"audience", func(in *connectivity.Input) { in.Audience = 5 }},
		"unknown priority":   {"priority", func(in *connectivity.Input) { in.Priority = 5 }},
		"no grade":           {"confidence", func(in *connectivity.Input) { in.Class = coordination.ConfidenceHigh }},
		"conflict, no grade": {"confidence", func(in *connectivity.Input) { in.Class = coordination.ConflictActive }},
		"resolved, no grade": {"confidence", func(in *connectivity.Input) { in.Class = coordination.ConflictResolved }},
		"grade above 1":      {"confidence", func(in *connectivity.Input) { in.Confidence = coordination.Graded(1.01) }},
		"grade below 0":      {"confidence", func(in *connectivity.Input) { in.Confidence = coordination.Graded(-0.01) }},
		"grade NaN":          {"confidence", func(in *connectivity.Input) { in.Confidence = coordination.Graded(math.NaN()) }},
		"step reached":       {"expiresAtStep", until(1)},
		"step below 0":       {"expiresAtStep", until(-1)},
		"replaces nothing":   {"replaces", replacing(signals.MustID("sig_nowhere"))},
		"grade not of its band": {"confidence", func(in *connectivity.Input) {
			in.Class, in.Confidence = coordination.ConfidenceHigh, coordination.Graded(0.79)
		}},
	} {
		_, err := w.Emit(ctx, says("x", c.change))
		if invalid(t, err, c.field); t.Failed() {
			t.Fatal(name)
		}
	}
	if n := len(w.seen()); n != 0 {
		t.Errorf("%d events of what was refused", n)
	}
	if got := w.Query("t", coordination.Query{}); got != nil {
		t.Errorf("stored %v", summaries(got))
	}
	w.emit(says("zero", func(in *connectivity.Input) { in.Confidence = coordination.Graded(0) })) // optional here
}

func TestValidationCountsBeforeSuppression(t *testing.T) {
	w := newWorld(t, nil)
	w.emit(says("x"))
	_, err := w.Emit(ctx, says("x", until(-1)))
	invalid(t, err, "expiresAtStep")
}

func TestReplacesNamesALiveSignalOfTheThread(t *testing.T) {
	w := newWorld(t, nil)
	s := w.emit(says("old"))
	_, err := w.Emit(ctx, says("new", in("elsewhere"), replacing(s.ID)))
	invalid(t, err, "replaces")
	if w.state(s.ID) != coordination.Emitted {
		t.Error("another thread ended it")
	}
	_, err = w.Emit(ctx, says("new", replacing(signals.MustID("sig_x"))))
	invalid(t, err, "replaces")
	is(t, err, connectivity.ErrNotFound)
	w.resolve(s.ID)
	_, err = w.Emit(ctx, says("new", replacing(s.ID)))
	invalid(t, err, "replaces")
	is(t, err, connectivity.ErrTerminal)
}

func TestLiveSignalsAreCappedOnlyOnRequest(t *testing.T) {
	w := newWorld(t, &connectivity.Options{MaxLive: 2})
	first := w.emit(says("1", by("a")))
	w.emit(says("2", by("b")))
	_, err := w.Emit(ctx, says("3", by("c")))
	is(t, err, connectivity.ErrFull)
	w.repeats(says("1 again", by("a")), first)
	w.emit(says("elsewhere", in("u")))
	w.emit(says("alarm", by("c"), at(coordination.Critical)))
	update := w.emit(says("update", by("a"), replacing(first.ID)))
	w.resolve(update.ID)
	_, err = w.Emit(ctx, says("3", by("c"), class(coordination.HandoffReady)))
	is(t, err, connectivity.ErrFull)

	free := newWorld(t, nil)
	for i := range 300 {
		free.emit(says("x", by(fmt.Sprint("s", i)), until(i+1)))
	}
}

func TestEmitReturnsTheBusesReason(t *testing.T) {
	w := newWorld(t, nil).watch()
	w.emit(says("before"))
	w.bus.Close()
	_, err := w.Emit(ctx, says("x", by("b")))
	is(t, err, bus.ErrClosed)
	if got := w.Query("t", coordination.Query{}); len(got) != 1 {
		t.Errorf("an emission that failed is stored: %v", summaries(got))
	}
	s, _ := w.Get(w.Query("t", coordination.Query{})[0].ID)
	if _, err := w.Resolve(ctx, s.ID); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("resolve: %v", err)
	}
	if _, err := w.AdvanceStep(ctx, "t"); !errors.Is(err, bus.ErrClosed) {
		t.Errorf("advance: %v", err)
	}
	if w.state(s.ID).Terminal() || w.Step("t") != 0 {
		t.Error("what failed has an effect")
	}
	equal(t, "events", w.seen(), "before emitted")
}

// A bus with limits of its own refuses with the layer's error.
func TestBusLimitsAreValidationErrors(t *testing.T) {
	b := made(bus.New(&bus.Options{Limits: signals.Limits{TextBytes: 10}}))
	t.Cleanup(func() { _ = b.Shutdown(timetest.Context(t)) })
	_, err := made(connectivity.New(b, nil)).Emit(ctx, says("more than ten bytes"))
	invalid(t, err, "summary")
}

func TestTimesDoNotGoBack(t *testing.T) {
	w := newWorld(t, nil)
	first := w.emit(says("1"))
	w.now = w.now.Add(-time.Hour)
	second := w.emit(says("2", by("b")))
	if second.EmittedAt.Before(first.EmittedAt) {
		t.Errorf("emitted at %v after %v", second.EmittedAt, first.EmittedAt)
	}
}
