package machines

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

// Records are the signals of a log, from its first one on, as the records of a journal that
// can be read: what a console or the rooms of this process are folded from. They are in
// memory. [Records.Fold] fills them, as [natsbus.Options].Digest or a part of it.
//
// A record has the number of its signal, which leaves gaps. Those of [Numbered] have
// numbers without gaps, as a journal of one process has.
type Records struct {
	kinds    []signals.Kind // nil: all
	numbered bool
	kept     journal.Memory

	mu   sync.Mutex // protects the fields below
	seqs []uint64   // number of each record
	err  error      // why there will be no more
}

var _ journal.Reader = (*Records)(nil)

// NewRecords returns the records of all signals.
func NewRecords() *Records { return &Records{} }

// Numbered returns the records of the signals of some kinds. They, and the signals in them,
// are numbered from 1.
func Numbered(kinds ...signals.Kind) *Records { return &Records{kinds: kinds, numbered: true} }

// Fold takes the next signal of the log. It returns nil: what is kept is what the log has.
func (r *Records) Fold(s signals.Any) []byte {
	if r.kinds != nil && !slices.Contains(r.kinds, s.Kind()) {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err != nil {
		return nil
	}
	if r.numbered {
		h := s.Head()
		h.Seq = uint64(len(r.seqs)) + 1
		s = signals.With(s, h)
	}
	record, err := journal.SignalRecord(s)
	if err == nil {
		r.seqs = append(r.seqs, s.Head().Seq)
		_, err = r.kept.Append(record)
	}
	if err != nil {
		r.err = err
		_ = r.kept.Close() // readers learn that nothing follows
	}
	return nil
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
func (r *Records) Snapshot() (journal.Snapshot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return journal.Snapshot{}, r.err
}

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
