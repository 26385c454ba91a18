package signals

// A Form represents a payload type, for a log that stores signals of one type
// together and inspects every signal once. [FormOf] returns it. It may be used
// concurrently.
type Form interface {
	// Fits reports whether s has the form's payload type.
	Fits(s Any) bool
	// Inspect returns the header of s itself, which must not be modified, its
	// kind, and the error of [Limits.Validate] without the checks of kind,
	// payload type, source and thread: the log knows those from signals that it
	// validated before. The header is nil if s is nil or does not fit.
	Inspect(l Limits, s Any) (*Header, Kind, error)
	// NewPage returns an empty page.
	NewPage() Page

	sealed()
}

// FormOf returns the form of s, whose payload type must be valid.
func FormOf(s Any) Form { return s.form() }

// HeadOf returns the header of s itself, which must not be modified; nil if s
// is nil.
func HeadOf(s Any) *Header {
	if s == nil {
		return nil
	}
	return s.head()
}

type form[P Payload] struct{}

func (form[P]) sealed() {}

func (form[P]) Fits(s Any) bool {
	typed, ok := s.(*Signal[P])
	return ok && typed != nil
}

func (form[P]) Inspect(l Limits, s Any) (*Header, Kind, error) {
	typed, ok := s.(*Signal[P])
	if !ok || typed == nil {
		return nil, "", nil
	}
	kind := typed.Payload.Kind()
	if !typed.plain() {
		if err := typed.checkNumbers(); err != nil {
			return &typed.Header, kind, withKind(err, kind)
		}
	}
	if err := typed.checkBody(l); err != nil {
		return &typed.Header, kind, withKind(err, kind)
	}
	return &typed.Header, kind, nil
}

func (form[P]) NewPage() Page { return new(page[P]) }

func (s *Signal[P]) form() Form { return form[P]{} }

func (s *Signal[P]) head() *Header {
	if s == nil {
		return nil
	}
	return &s.Header
}

// plain reports whether checkNumbers has nothing to check, as with almost every
// signal.
func (h *Header) plain() bool {
	return h.Time.IsZero() && h.Confidence >= 0 && h.Confidence <= 1 && h.Round >= 0 &&
		h.CausalLevel <= Counterfactual && h.Recipients.Everyone() && h.Trace == nil
}

// checkNumbers is check without the source and the thread.
func (h *Header) checkNumbers() error {
	if err := checkTime(h.Time); err != nil {
		return err
	}
	return first(
		Unit("confidence", h.Confidence),
		h.Recipients.check(),
		h.Trace.check(),
		AtLeastZero("round", float64(h.Round)),
		checkCausal(h.CausalLevel),
	)
}
