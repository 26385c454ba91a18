package signals

// PageSlots is how many signals a [Page] holds.
const PageSlots = 64

// A Page holds signals of one payload type by value, for a log that keeps many
// of them and must not allocate for each. What it hands out points into the
// page, which lives as long as anyone keeps that. It must not be written
// concurrently with anything; slots that are not being written may be read.
type Page interface {
	// Fits reports whether s has the page's payload type.
	Fits(s Any) bool
	// Put copies s, which fits, into slot i and returns the copy's header.
	Put(i int, s Any) *Header
	// At returns the signal in slot i, which is shared and never modified.
	At(i int) Any
	// Head returns the header in slot i, to be read only.
	Head(i int) *Header
	// Clear forgets the signals of all slots, for a page that is used again
	// because nobody keeps anything of it.
	Clear()

	sealed()
}

// NewPage returns an empty page for signals of s's payload type, which must
// be valid.
func NewPage(s Any) Page { return s.newPage() }

// HeadOf returns the header of s itself, to be read only; nil for no signal.
func HeadOf(s Any) *Header {
	if s == nil {
		return nil
	}
	return s.head()
}

// ValidateAgain is [Limits.Validate] without kind, payload type, source and
// thread, for a log that knows those of s from signals it validated before.
// s must not be nil.
func (l Limits) ValidateAgain(s Any) error {
	if err := s.head().checkNumbers(); err != nil {
		return withKind(err, s.Kind())
	}
	return s.checkBody(l)
}

type page[P Payload] struct{ slots [PageSlots]Signal[P] }

func (p *page[P]) sealed() {}

func (p *page[P]) Fits(s Any) bool {
	_, ok := s.(*Signal[P])
	return ok
}

func (p *page[P]) Put(i int, s Any) *Header {
	slot := &p.slots[i]
	*slot = *s.(*Signal[P])
	return &slot.Header
}

func (p *page[P]) At(i int) Any { return &p.slots[i] }

func (p *page[P]) Head(i int) *Header { return &p.slots[i].Header }

func (p *page[P]) Clear() { clear(p.slots[:]) }

func (s *Signal[P]) newPage() Page { return new(page[P]) }

func (s *Signal[P]) head() *Header {
	if s == nil {
		return nil
	}
	return &s.Header
}

// checkNumbers is check without source and thread.
func (h *Header) checkNumbers() error {
	if err := checkTime(h.Time); err != nil {
		return err
	}
	if h.Confidence >= 0 && h.Confidence <= 1 && h.Round >= 0 && h.CausalLevel <= Counterfactual &&
		h.Recipients.Everyone() && h.Trace == nil {
		return nil // almost every signal, on the publish path
	}
	return first(
		Unit("confidence", h.Confidence),
		h.Recipients.check(),
		h.Trace.check(),
		AtLeastZero("round", float64(h.Round)),
		checkCausal(h.CausalLevel),
	)
}
