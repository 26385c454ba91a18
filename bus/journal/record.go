package journal

import (
	"crypto/sha256"
	"math"
	"time"
)

// A Record is one entry of a journal. Its bytes belong to the journal once
// it was appended, and those of a record that was read must not be modified.
type Record struct {
	// Seq is the record's place: 1 for the first ever, then without gaps.
	// Append sets it.
	Seq  uint64
	Type Type
	// Time is the appender's, to the nanosecond and in UTC when read; the
	// zero time stays zero. A journal has no clock.
	Time time.Time
	// A body of [LargeBody] bytes and more is stored once, however many records
	// have it.
	Head, Body []byte
}

// Type says what a record holds. Journals take every type from 1 to 127 and
// look into none.
type Type uint8

const (
	// TypeSignal is a signal of a bus; see [SignalRecord].
	TypeSignal Type = 1 + iota
	// TypeResult is the result of a call; see [Recorder].
	TypeResult
)

const maxType = 127

// LargeBody is the size in bytes from which a body is stored once.
const LargeBody = 4 << 10

// A Snapshot is what a journal keeps in place of records that it dropped.
type Snapshot struct {
	Through uint64 // the last dropped record; 0: none was
	State   []byte // what [Store.Drop] was given
	Chain   Chain  // of the last dropped record; zero in memory
}

// A Chain is the hash of a record and all before it.
type Chain [sha256.Size]byte

// noTime stands for the zero time, which no number of nanoseconds does.
const noTime = math.MinInt64

func nanos(t time.Time) int64 {
	if t.IsZero() {
		return noTime
	}
	return t.UnixNano()
}

func fromNanos(ns int64) time.Time {
	if ns == noTime {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}
