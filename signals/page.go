package signals

import "github.com/swarmbus/swarmbus/internal/forms"

// A page holds signals by value, for the log.
type page[P Payload] struct{ slots [forms.Slots]Signal[P] }

func (p *page[P]) Put(i int, s Any) (Any, *Header) {
	slot := &p.slots[i]
	*slot = *s.(*Signal[P])
	return slot, &slot.Header
}

func (p *page[P]) Head(i int) *Header { return &p.slots[i].Header }
