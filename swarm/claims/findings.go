package claims

import "github.com/swarmbus/swarmbus/signals"

// Findings are the findings of a log with what they rest on, which grow with it. They say of
// a vote what [Graph.Retracted] does of all of them, without a graph for each vote.
type Findings struct {
	b    *builder
	back func(signals.ID) bool
	out  []bool // by claim: taken back, or fallen with what is
}

// FindingsOf returns the findings of a log of one thread, of which back reports what was
// taken back.
func FindingsOf(log []signals.Any, back func(signals.ID) bool) *Findings {
	f := &Findings{b: newBuilder(nil), back: back}
	for _, s := range log {
		f.Apply(s)
	}
	return f
}

// Apply takes the next signal of the thread. What was taken back may not have changed since
// the findings were made.
func (f *Findings) Apply(s signals.Any) {
	if s.Kind() == signals.KindVote {
		return // nothing rests on votes but proposals
	}
	f.b.add(s)
	for n := len(f.out); n < len(f.b.all); n++ {
		f.out = append(f.out, f.back(f.b.all[n].ID) || f.haveFallen(f.b.on[n]))
	}
}

// Fell reports whether all findings on which the newest signal rests have fallen, if it is a
// vote or an answer; false if it rests on none.
func (f *Findings) Fell(s signals.Any) bool {
	h := s.Head()
	says, more, _, ok := claimed(s)
	return ok && f.haveFallen(append(f.b.cited(h.ReplyTo, says, more), f.b.tools[turn{h.Source, h.Round}]...))
}

// haveFallen reports whether all findings among claims have fallen; false if there are none.
func (f *Findings) haveFallen(among []int) bool {
	some := false
	for _, n := range among {
		if !f.b.all[n].isFinding() {
			continue
		}
		if !f.out[n] {
			return false
		}
		some = true
	}
	return some
}
