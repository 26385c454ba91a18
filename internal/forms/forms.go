// Package forms is what package signals shows to the module's log alone: how to
// inspect a signal once and how to store signals of one payload type together.
// Its types are generic because package signals imports it: S is signals.Any, H
// signals.Header, K signals.Kind and L signals.Limits.
package forms

// Slots is how many signals a [Page] holds.
const Slots = 64

// Of returns the [Form] of a signal, whose payload type must be valid. Package
// signals sets it when it is initialized, and nothing else may.
var Of func(signal any) any

// A Form represents a payload type. It may be used concurrently.
type Form[S, H, K, L any] interface {
	// Fits reports whether s has the form's payload type.
	Fits(s S) bool
	// Head returns the header of s itself, which fits. It must not be modified.
	Head(s S) *H
	// Inspect returns Head of s, its kind, and the error of Limits.Validate
	// without the checks of kind, payload type, source and thread: the log knows
	// those from signals that it validated before. The header is nil if s is nil
	// or does not fit.
	Inspect(limits L, s S) (*H, K, error)
	// NewPage returns an empty page.
	NewPage() Page[S, H]
}

// A Page holds signals of one payload type by value, for a log that keeps many
// of them and must not allocate for each. What it returns points into the page
// and keeps the page alive. Writes must not be concurrent; slots that are not
// being written may be read meanwhile.
type Page[S, H any] interface {
	// Put copies s, which fits, into slot i and returns the copy and its header.
	// The copy is never modified once others can see it.
	Put(i int, s S) (S, *H)
	// Head returns the header of the signal in slot i.
	Head(i int) *H
}
