package machines

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
)

// Records are the signals of a log, from its first one on, as the records of a journal that
// can be read: what the solves, the console or the rooms of this process are folded from. They
// are in memory. [Records.Fold] or [Records.Digest] fills them, as [natsbus.Options].Digest or
// a part of it. What cannot be written or folded is left out, in every process.
//
// A record has the number of its signal, which leaves gaps. Those of [Numbered] have
// numbers without gaps, as a journal of one process has.
type Records struct {
	// Ignored is called with each record left out, and why; nil: it is not called. Set it before the records
	// are filled.
	Ignored func(natsbus.DeadLetter)

	kinds    []signals.Kind // nil: all
	numbered bool
	kept     journal.Memory

	mu   sync.Mutex // protects the fields below
	seqs []uint64   // number of each record
	last uint64     // number of the last signal of the log, whether it is kept or not

	tipped sync.Mutex // protects the field below
	tip    *tip       // nil: no solve was driven
}

var _ journal.Reader = (*Records)(nil)

// NewRecords returns the records of all signals.
func NewRecords() *Records { return &Records{} }

// Numbered returns the records of the signals of some kinds. They, and the signals in them,
// are numbered from 1.
func Numbered(kinds ...signals.Kind) *Records { return &Records{kinds: kinds, numbered: true} }

// Fold takes the next signal of the log. It returns nil: what is kept is what the log has.
func (r *Records) Fold(s signals.Any) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	original := s
	r.last = s.Head().Seq
	if r.kinds != nil && !slices.Contains(r.kinds, s.Kind()) {
		return nil
	}
	if r.numbered {
		h := s.Head()
		h.Seq = uint64(len(r.seqs)) + 1
		s = signals.With(s, h)
	}
	record, err := journal.SignalRecord(s)
	if err == nil {
		_, err = r.kept.Append(record)
	}
	if err != nil {
		r.ignore(original, err)
		return nil
	}
	r.seqs = append(r.seqs, s.Head().Seq)
	return nil
}

// Digest returns a function that fills the records, and derives the decisions of the log like
// [Digest].
func (r *Records) Digest() func(signals.Any) []byte {
	derive := Digest()
	return func(s signals.Any) []byte {
		r.Fold(s)
		return derive(s)
	}
}

// ignore says that a signal is left out.
func (r *Records) ignore(s signals.Any, why error) {
	if r.Ignored == nil {
		return
	}
	h := s.Head()
	r.Ignored(natsbus.DeadLetter{
		Seq: natsbus.StreamSequence(h.Seq), Subject: natsbus.Subject("", h.Thread, string(s.Kind()), h.Source), Reason: natsbus.Refused, Err: why,
	})
}

// through returns the number of the last signal that was taken.
func (r *Records) through() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// Read implements [journal.Reader].
func (r *Records) Read(after uint64) iter.Seq2[journal.Record, error] {
	return r.place(r.kept.Read(r.before(after)))
}

// Follow implements [journal.Reader].
func (r *Records) Follow(ctx context.Context, after uint64) iter.Seq2[journal.Record, error] {
	return r.place(r.kept.Follow(ctx, r.before(after)))
}

// Snapshot implements [journal.Reader]: nothing was dropped.
func (r *Records) Snapshot() (journal.Snapshot, error) { return journal.Snapshot{}, nil }

// Last returns the number of the newest record; 0: there is none.
func (r *Records) Last() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.seqs) == 0 {
		return 0
	}
	return r.seqs[len(r.seqs)-1]
}

// before returns how many records there are up to a number.
func (r *Records) before(seq uint64) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, found := slices.BinarySearch(r.seqs, seq)
	if found {
		n++
	}
	return uint64(n)
}

// place gives records their numbers.
func (r *Records) place(all iter.Seq2[journal.Record, error]) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for record, err := range all {
			if err == nil {
				r.mu.Lock()
				record.Seq = r.seqs[record.Seq-1]
				r.mu.Unlock()
			}
			if !yield(record, err) {
				return
			}
		}
	}
}
