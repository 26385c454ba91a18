package journal

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Matches reports whether a filter selects a signal. It is the same as for
// [bus.Bus.History], except that signals in a journal do not expire.
func Matches(f *bus.Filter, s signals.Any) bool {
	h := s.Head()
	return h.Seq > f.After &&
		(f.Kinds == nil || slices.Contains(f.Kinds, s.Kind())) &&
		(f.Threads == nil || slices.Contains(f.Threads, h.Thread)) &&
		(f.Source == "" || f.Source == h.Source) &&
		(f.Since.IsZero() || !h.Time.Before(f.Since)) &&
		(f.Until.IsZero() || !h.Time.After(f.Until)) &&
		(f.ReplyTo.IsZero() || f.ReplyTo == h.ReplyTo) &&
		h.Confidence >= f.MinConfidence
}
