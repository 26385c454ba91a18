package signals

import "github.com/swarmbus/swarmbus/internal/forms"

func init() { forms.Of = func(s any) any { return s.(Any).form() } }

// A formOf is the form of a payload type, for the log.
type formOf = forms.Form[Any, Header, Kind, Limits]

type form[P Payload] struct{}

func (form[P]) Fits(s Any) bool {
	typed, ok := s.(*Signal[P])
	return ok && typed != nil
}

func (form[P]) Head(s Any) *Header { return &s.(*Signal[P]).Header }

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

func (form[P]) NewPage() forms.Page[Any, Header] { return new(page[P]) }

func (s *Signal[P]) form() formOf { return form[P]{} }

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
