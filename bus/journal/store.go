package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
)

// A Reader reads a journal: a [Store], or a [View] of one that another
// process writes. Its methods may be called concurrently, and beside appends.
type Reader interface {
	// Read yields the records after a sequence number that are there when the
	// iteration begins, in order. An error ends it: [*DroppedError],
	// [*CorruptError], or why the storage failed.
	Read(after uint64) iter.Seq2[Record, error]
	// Follow is Read that waits for more. It ends with an error: those of
	// Read, [ErrClosed], or why ctx ended.
	Follow(ctx context.Context, after uint64) iter.Seq2[Record, error]
	// Snapshot returns what stands for dropped records; zero if none were.
	Snapshot() (Snapshot, error)
}

// A Store is a journal that can be appended to: a [File] or a [Memory].
// Package journaltest holds its contract as tests. Its methods may be called
// concurrently; appends that run at once share the wait for the disk.
type Store interface {
	Reader
	// Append adds records behind the last one, in order and next to each other,
	// and returns the sequence number of the last one. It returns when they
	// are acknowledged, which [Options].Sync defines. After an error nothing
	// of them is acknowledged, though some may be there when the journal is
	// opened again: a prefix. An invalid record ([*RecordError]) is refused
	// before anything is written.
	Append(records ...Record) (last uint64, err error)
	// Sync returns when everything appended before is durable.
	Sync() error
	// Last returns the sequence number of the newest record; 0: there never
	// was one.
	Last() uint64
	// Drop forgets the records up to through and keeps state in their place.
	// Through must be a record that is held. Either all of it happens or
	// nothing.
	Drop(through uint64, state []byte) error
	// Close waits for appends, syncs, and gives the journal up. Later calls
	// return [ErrClosed]; closing again does nothing.
	Close() error
}

// ErrClosed is returned by a journal that was closed.
var ErrClosed = errors.New("journal: closed")

// ErrFailed is in every error of a journal that could not write or sync. What
// was acknowledged before is safe; what happened to the rest is unknown, so
// the journal takes nothing more until it is opened again.
var ErrFailed = errors.New("journal: failed before")

// A DroppedError says that records were asked for that retention dropped.
type DroppedError struct {
	After   uint64 // what was asked for
	Through uint64 // the last record that was dropped
}

func (e *DroppedError) Error() string {
	return fmt.Sprintf("journal: records after %d were asked for, those up to %d are dropped", e.After, e.Through)
}

// A CorruptError says where a journal is damaged. It is told, never skipped.
type CorruptError struct {
	Path    string
	Offset  int64  // of the damaged record
	Seq     uint64 // of the last whole record before it
	Problem string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("journal: %s is damaged at byte %d, after record %d: %s", e.Path, e.Offset, e.Seq, e.Problem)
}

// A FormatError says that a file is no journal that this program can read.
type FormatError struct {
	Path    string
	Version uint32 // of the file's format; 0: it is no journal at all
}

func (e *FormatError) Error() string {
	if e.Version == 0 {
		return fmt.Sprintf("journal: %s is not a journal", e.Path)
	}
	return fmt.Sprintf("journal: %s has format version %d, this program reads version %d", e.Path, e.Version, formatVersion)
}

// A RecordError says what is wrong with a record that was not appended.
type RecordError struct {
	Field   string
	Value   string
	Problem string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("journal: record %s %s: %s", e.Field, e.Value, e.Problem)
}

// maxPart bounds head and body of a record.
const maxPart = 1 << 30

func checkRecords(records []Record) error {
	for _, r := range records {
		switch {
		case r.Type == 0 || r.Type > maxType:
			return &RecordError{"type", fmt.Sprint(r.Type), fmt.Sprintf("not in 1 to %d", maxType)}
		case len(r.Head) > maxPart:
			return &RecordError{"head", fmt.Sprintf("of %d bytes", len(r.Head)), "over 1 GiB"}
		case len(r.Body) > maxPart:
			return &RecordError{"body", fmt.Sprintf("of %d bytes", len(r.Body)), "over 1 GiB"}
		}
	}
	return nil
}
