package connectivity

import (
	"context"
	"fmt"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
)

// judgeLocked validates an input against its thread and suppresses it. stop
// says that nothing is to be stored, and repeated what that would repeat. It
// may let go of the lock meanwhile.
func (l *Layer) judgeLocked(ctx context.Context, in *Input, n *Note, repeated *Emission) (stop bool, err error) {
	for {
		t := l.fold.threads[in.Thread]
		if err := l.checkLocked(in, t); err != nil {
			return true, err
		}
		now := l.nowLocked().UnixNano()
		if r := t.duplicate(in.Source, n, l.opts.Suppression, now); r != nil {
			*repeated = Emission{r.signal(), true, l.opts.Suppression.reason(r, now)}
			return true, nil
		}
		ahead := l.beforeLocked(in, n)
		if ahead == nil {
			break
		}
		if err := l.awaitLocked(ctx, ahead); err != nil {
			return true, err
		}
	}
	for _, f := range l.flights {
		if f.late && f.repeats(in, n) {
			s := f.emission()
			*repeated = Emission{s, true, Reason{suppressed: true, rule: l.opts.Suppression, step: s.Step}}
			return true, nil
		}
	}
	err = l.capLocked(in)
	return err != nil, err
}

// beforeLocked returns a flight on which the judgement depends, nil if none.
func (l *Layer) beforeLocked(in *Input, n *Note) *flight {
	if r := l.fold.replaced(n); r != nil && r.ending != nil && !r.ending.late {
		return r.ending
	}
	return l.aheadLocked(in.Thread, func(f *flight) bool { return f.repeats(in, n) })
}

// checkLocked holds the rules that need the thread.
func (l *Layer) checkLocked(in *Input, t *thread) error {
	if step := l.stepLocked(in.Thread); in.ExpiresAtStep > 0 && in.ExpiresAtStep <= step {
		return &ValidationError{
			Field: "expiresAtStep", Value: strconv.Itoa(in.ExpiresAtStep),
			Problem: fmt.Sprintf("the thread is at step %d", step),
		}
	}
	if in.Replaces.IsZero() {
		return nil
	}
	refuse := func(problem string, err error) error {
		return &ValidationError{Field: "replaces", Value: in.Replaces.String(), Problem: problem, Err: err}
	}
	switch r := l.fold.byID.find(in.Replaces); {
	case r == nil:
		return refuse("no such signal", ErrNotFound)
	case r.thread() != t:
		return refuse("of another thread", nil)
	case !r.live():
		return refuse("already "+r.state.String(), ErrTerminal)
	case r.ending != nil && r.ending.late:
		return refuse("about to end", ErrTerminal)
	}
	return nil
}

// capLocked counts what is under way too. An update takes the room of what it
// replaces, and no cap holds back an alarm.
func (l *Layer) capLocked(in *Input) error {
	if l.opts.MaxLive <= 0 || in.Priority == Critical || !in.Replaces.IsZero() {
		return nil
	}
	live := 0
	if t := l.fold.threads[in.Thread]; t != nil {
		live = t.live.n
	}
	for _, f := range l.flights {
		if f.thread == in.Thread && f.emits && len(f.ends) == 0 {
			live++
		}
	}
	if live < l.opts.MaxLive {
		return nil
	}
	return fmt.Errorf("%w: %d in thread %q", ErrFull, live, in.Thread)
}

// repeats reports whether what in says would only repeat what the flight says.
func (f *flight) repeats(in *Input, n *Note) bool {
	if !f.emits || f.thread != in.Thread || n.Priority == Critical || !n.Replaces.IsZero() {
		return false
	}
	s := f.emission()
	return s.Source == in.Source && s.Class == n.Class && s.Audience == n.Audience && s.Priority >= n.Priority &&
		(!alarms(n.Class, n.Priority) || s.Summary == n.Summary)
}

// emission returns what a flight emits.
func (f *flight) emission() Signal {
	return pending(signals.HeadOf(f.entries[0]), noteOf(f.entries[0]))
}
