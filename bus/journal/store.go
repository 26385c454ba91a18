package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// A Reader reads a journal: a [Store], or a [View] of one that another process
// writes. Its methods may be called concurrently, also with appends.
type Reader interface {
	// Read yields, in order, the records after a sequence number that exist
	// when the iteration begins. An error ends it: [*DroppedError],
	// [*CorruptError], or an error of the storage.
	Read(after uint64) iter.Seq2[Record, error]
	// Follow is like Read, but waits for more records. It ends with an error:
	// those of Read, [ErrClosed], or the cause of ctx's end, after which it
	// yields no record.
	Follow(ctx context.Context, after uint64) iter.Seq2[Record, error]
	// Snapshot returns the state that replaces dropped records; zero if none
	// were dropped.
	Snapshot() (Snapshot, error)
}

// A Store is a journal that can be appended to: a [File] or a [Memory]. Package
// journaltest tests its contract. Its methods may be called concurrently;
// concurrent appends share one sync.
type Store interface {
	Reader
	// Append appends the records contiguously and in order, and returns the
	// sequence number of the last one. It returns when they are acknowledged,
	// as defined by [Options].Sync. After an error none of them is
	// acknowledged, though a prefix of them may exist when the journal is
	// reopened. An invalid record ([*RecordError]) is refused before anything
	// is written.
	Append(records ...Record) (last uint64, err error)
	// Sync returns when everything appended earlier is durable.
	Sync() error
	// Last returns the sequence number of the newest record ever appended; 0 if
	// there is none.
	Last() uint64
	// Drop removes the records up to through and keeps state in their place.
	// Through must be a record that the journal holds. Drop is atomic.
	Drop(through uint64, state []byte) error
	// Close waits for appends, syncs, and releases the journal. Later calls
	// return [ErrClosed]; closing again does nothing.
	Close() error
}

// ErrClosed is returned by a closed journal.
var ErrClosed = errors.New("journal: closed")

// ErrFailed is wrapped by every error of a journal that could not write or
// sync. Records acknowledged before are safe; the fate of the rest is unknown,
// so the journal accepts nothing more until it is reopened.
var ErrFailed = errors.New("journal: failed before")

// A DroppedError is returned if the records to read have been dropped.
type DroppedError struct {
	After   uint64 // the position requested
	Through uint64 // the last dropped record
}

func (e *DroppedError) Error() string {
	return fmt.Sprintf("journal: records after %d were asked for, those up to %d are dropped", e.After, e.Through)
}

// A CorruptError says where a journal is damaged. Damage is always reported,
// never skipped.
type CorruptError struct {
	Path    string
	Offset  int64  // of the damaged record
	Seq     uint64 // of the last intact record before it
	Problem string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("journal: %s is damaged at byte %d, after record %d: %s", e.Path, e.Offset, e.Seq, e.Problem)
}

// A FormatError says that a file is not a journal that this program can read.
type FormatError struct {
	Path    string
	Version uint32 // of the file's format; 0: not a journal at all
}

func (e *FormatError) Error() string {
	if e.Version == 0 {
		return fmt.Sprintf("journal: %s is not a journal", e.Path)
	}
	return fmt.Sprintf("journal: %s has format version %d, this program reads version %d", e.Path, e.Version, formatVersion)
}

// A RecordError says why a record was refused.
type RecordError struct {
	Field   string
	Value   string
	Problem string
}

func (e *RecordError) Error() string {
	return fmt.Sprintf("journal: record %s %s: %s", e.Field, e.Value, e.Problem)
}

// maxPart is the maximum length of a record's head and of its body.
const maxPart = 1 << 30

func checkRecords(records []Record) error {
	for _, r := range records {
		switch {
		case r.Type == 0 || r.Type > maxType:
			return &RecordError{"type", fmt.Sprint(r.Type), fmt.Sprintf("not in 1 to %d", maxType)}
		case !canKeep(r.Time):
			return &RecordError{"time", r.Time.Format(time.RFC3339), "not between the years 1678 and 2262"}
		case len(r.Head) > maxPart:
			return &RecordError{"head", fmt.Sprintf("of %d bytes", len(r.Head)), "over 1 GiB"}
		case len(r.Body) > maxPart:
			return &RecordError{"body", fmt.Sprintf("of %d bytes", len(r.Body)), "over 1 GiB"}
		}
	}
	return nil
}
