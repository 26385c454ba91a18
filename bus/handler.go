package bus

import (
	"context"
	"sync/atomic"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/bus/internal/watch"
	"github.com/swarmbus/swarmbus/signals"
)

// HandleOptions restrict the signals that an inline handler gets, in addition to
// their kind. The zero value selects all that have no recipients.
type HandleOptions struct {
	Agent string // the agent that handles; "" gets only signals without recipients
}

// A Handler is a registered inline handler.
type Handler struct {
	// The fields that a run reads, in one cache line.
	run     func(context.Context, signals.Any) error
	from    uint64 // position of the first signal it may get
	options HandleOptions
	ended   atomic.Bool

	inline *inline
	kind   *store.Topic
	site   *watch.Site // where Handle was called
	before uint64      // entries that the handlers of its kind had all got before
	ledger ledger      // of what it was run for; protected by the bus's lock
}

// takes reports whether the handler gets an entry. It reads the signal only if that
// is necessary.
func (h *Handler) takes(s *store.Segment, i int) bool {
	return s.Start+uint64(i) >= h.from && (s.Flags[i]&store.Private == 0 || s.Head(i).Recipients.Include(h.options.Agent))
}

// booksLocked returns the account of h with what waits in the log for it, and what
// all handlers of its kind got.
func (h *Handler) booksLocked() ledger {
	books, delivered := h.ledger, channelOf(h.kind).delivered-h.before
	h.inline.waitingLocked(h, func(signals.Any) { books.by[pending]++ })
	books.intended += books.by[pending] + delivered
	books.by[Delivered] += delivered
	return books
}

// endLocked settles all that waits, except for the signal that it is being run for.
func (h *Handler) endLocked(running bool) {
	books := h.booksLocked()
	h.inline.waitingLocked(h, func(s signals.Any) {
		if !running { // that is the first
			books.settle(DeadClosed, 1)
			h.inline.settledLocked(h.options.Agent, s, DeadClosed, nil)
		}
		running = false
	})
	h.inline.past.add(&books)
	h.ended.Store(true)
}

// settleLocked records what became of a signal that h was run for.
func (h *Handler) settleLocked(f Disposition) {
	if h.ended.Load() { // the bus has its account
		h.inline.past.settle(f, 1)
		return
	}
	h.ledger.intended++
	h.ledger.by[f]++
}

func (h *Handler) agent() string { return h.options.Agent }

func (h *Handler) statsLocked() ReaderStats {
	books := h.booksLocked()
	return ReaderStats{Agent: h.options.Agent, Site: h.site.String(), Running: h.inline.runningFor(h), Account: books.account()}
}
