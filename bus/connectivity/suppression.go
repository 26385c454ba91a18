package connectivity

import (
	"fmt"
	"time"
)

// Basis is what the window of suppression is measured in.
type Basis uint8

// The bases.
const (
	ByStep Basis = iota // within the step of the thread
	ByTime              // within a time from the stored signal on
)

// Suppression says which signals are the same as one that is stored already.
// The zero value is the default: those of the same step.
type Suppression struct {
	Basis  Basis
	Window time.Duration // for ByTime, inclusive; 0 means 5s
}

func (s Suppression) withDefaults() Suppression {
	if s.Window <= 0 {
		s.Window = 5 * time.Second
	}
	return s
}

// A Reason says why a signal was suppressed. The zero value says that it was
// not.
type Reason struct {
	suppressed bool
	rule       Suppression
	step       int
	age        time.Duration
}

// String returns it in words, "" for the zero value.
func (r Reason) String() string {
	switch {
	case !r.suppressed:
		return ""
	case r.rule.Basis == ByTime:
		return fmt.Sprintf("the same %v ago, within %v", r.age, r.rule.Window)
	}
	return fmt.Sprintf("the same in step %d", r.step)
}

// covers reports whether r still stands for what is said at now.
func (s Suppression) covers(r *record, now int64) bool {
	if r == nil {
		return false
	}
	if s.Basis == ByTime {
		return time.Duration(now-r.at) <= s.Window
	}
	return r.step == r.thread().step
}

func (s Suppression) reason(r *record, now int64) Reason {
	return Reason{suppressed: true, rule: s, step: r.step, age: time.Duration(now - r.at)}
}

// duplicate returns the live record that n would only repeat, nil if none. What
// corrects another signal repeats nothing, nor does what is more urgent than
// all that is stored, nor an urgent escalation with another summary.
func (t *thread) duplicate(from string, n *Note, s Suppression, now int64) *record {
	if t == nil || n.Priority == Critical || !n.Replaces.IsZero() {
		return nil
	}
	src := t.sources[from]
	if src == nil {
		return nil
	}
	g := src.findGroup(n.Class, n.Audience)
	if g == nil {
		return nil
	}
	if alarms(n.Class, n.Priority) {
		if same := g.bySummary[n.Summary]; same != nil {
			if last := t.records.at(same.last); s.covers(last, now) {
				return last
			}
		}
		return nil
	}
	return t.newest(g, n.Priority, s, now)
}

// newest returns the newest that still stands and is as urgent as p. It looks
// at the last one of each priority only: if that does not stand, none does.
func (t *thread) newest(g *group, p Priority, s Suppression, now int64) (found *record) {
	for q := p; q <= Critical; q++ {
		last := t.records.at(g.byPriority[q-1].last)
		if s.covers(last, now) && (found == nil || last.seq > found.seq) {
			found = last
		}
	}
	return found
}
