// Package store keeps the signals of one bus: an append-only log of which the
// newest part is in the history. It knows nothing of locks, readers, agents or
// goroutines; only package bus imports it.
//
// # Layout
//
// The log is a linked list of [Segment]s of 64 entries. A segment holds what
// scans ask about, field by field; the signals themselves lie in pages, one
// sequence of pages for each payload type. A directory leads from a position
// to its segment, and small indexes from an id or a reply's target to a
// position. Positions count from 0 without gaps, whatever sequence numbers do.
//
// # Reading
//
// One writer at a time may call the methods of a [Log]. An entry never changes
// once it was appended, so who learned [Log.Next] from the writer may read every
// entry before it while the writer goes on: through a [Cursor], a [Selection]
// or a segment's fields.
//
// # Memory
//
// What left the history is kept alive by whoever still points at it and
// collected afterwards. A page or segment is used again instead only if
// nothing outside can hold a pointer into it: it was begun after the last
// [Log.Share], no reader was open since, and the caller is done with it.
package store
