// Package store holds the signals of one bus: an append-only log whose newest
// part is the history, and its [Clock]. It has no locks, subscriptions, agents or goroutines;
// only package bus imports it.
//
// # Layout
//
// The log is a linked list of [Segment]s of 64 entries. A segment holds the
// fields that scans need, as columns; the signals themselves are in pages, one
// sequence of pages for each payload type. A directory maps positions to
// segments, and small indexes map ids and targets of replies to positions.
// Positions count from 0 without gaps, even where sequence numbers have gaps.
//
// # Reading
//
// One writer at a time may call the methods of a [Log]. An entry never changes
// once it is appended, so a reader that got [Log.Next] from the writer may read
// every entry before it concurrently with the writer: through a [Cursor], a
// [Selection] or a segment's fields.
//
// # Memory
//
// An entry that has left the history stays alive as long as something points to it,
// and is then garbage collected. A page or segment is reused only if nothing
// outside can hold a pointer into it: it was begun after the last [Log.Share],
// no reader has been open since, and the caller is done with it.
package store
