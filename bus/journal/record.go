package journal

import (
	"crypto/sha256"
	"math"
	"time"
)

// A Record is one entry of a journal. Its bytes belong to the journal once it
// has been appended, and those of a record that was read must not be modified.
type Record struct {
	// Seq is the record's sequence number: 1 for the first ever, then without
	// gaps. Append sets it.
	Seq  uint64
	Type Type
	// Time is set by the caller, as a journal has no clock. It is kept to the
	// nanosecond and read back in UTC; the zero time stays zero. It has to be
	// between the years 1678 and 2262, in which nanoseconds fit.
	Time time.Time
	// A body of [LargeBody] bytes or more is stored once, however many records
	// have it.
	Head, Body []byte
}

// Type says what a record holds. Journals accept every type from 1 to 127 and
// interpret none.
type Type uint8

const (
	// TypeSignal is a signal of a bus; see [SignalRecord].
	TypeSignal Type = 1 + iota
	// TypeResult is the result of a call; see [Recorder].
	TypeResult
	// TypeState is what a program has folded from the records before, so that its
	// next start need not fold them again.
	TypeState
)

const maxType = 127

// LargeBody is the size in bytes from which a body is stored once.
const LargeBody = 4 << 10

// A Snapshot is the state that a journal keeps in place of dropped records.
type Snapshot struct {
	Through uint64 // the last dropped record; 0: none
	State   []byte // as passed to [Store.Drop]
	Chain   Chain  // of the last dropped record; zero in memory
}

// A Chain is the hash of a record and all earlier ones.
type Chain [sha256.Size]byte

// noTime represents the zero time, which no number of nanoseconds can.
const noTime = math.MinInt64

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixNano()
}

// canKeep reports whether a time can be read back.
func canKeep(t time.Time) bool { return t.IsZero() || fromNanos(nanos(t)).Equal(t) }

func fromNanos(ns int64) time.Time {
	if ns == noTime {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}
