package bus

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals"
)

// add registers a handler of a kind from the next signal on.
func (in *inline) add(h *Handler, kind signals.Kind) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.state != open {
		return ErrClosed
	}
	h.inline, h.kind, h.from = in, pin(in.log.Kinds, string(kind)), in.log.Next()
	c := channelOf(h.kind)
	h.before = c.delivered
	c.handlers = append(slices.Clip(c.handlers), h)
	in.attached = append(in.attached, h)
	return nil
}

// Close ends the handler; signals that it has not handled are dead-lettered. A
// call of the handler that is running is not interrupted. Closing twice does
// nothing.
func (h *Handler) Close() {
	defer h.inline.events.Show()
	h.inline.mu.Lock()
	defer h.inline.mu.Unlock()
	h.closeLocked()
}

func (h *Handler) closeLocked() {
	if h.ended.Load() {
		return
	}
	in, c := h.inline, channelOf(h.kind)
	c.handlers = slices.DeleteFunc(slices.Clone(c.handlers), func(other *Handler) bool { return other == h })
	in.removeLocked(h)
	in.log.Kinds.Unpin(h.kind)
	h.endLocked(in.runsFor(h))
}
