package signals

// PageSlots is how many signals a [Page] holds.
const PageSlots = 64

// A Page holds signals of one payload type by value, for a log that keeps many
// of them and must not allocate for each. What it returns points into the page
// and keeps the page alive. Writes must not be concurrent; slots that are not
// being written may be read meanwhile.
type Page interface {
	// Put copies s, which fits, into slot i and returns the copy and its header.
	// The copy is never modified once others can see it.
	Put(i int, s Any) (Any, *Header)
	sealed()
}

type page[P Payload] struct{ slots [PageSlots]Signal[P] }

func (p *page[P]) sealed() {}

func (p *page[P]) Put(i int, s Any) (Any, *Header) {
	slot := &p.slots[i]
	*slot = *s.(*Signal[P])
	return slot, &slot.Header
}
