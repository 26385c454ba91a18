package journal

import (
	"context"
	"errors"
	"io"
	"iter"
	"sort"
)

// A source is a [File] or a [View].
type source interface {
	// begin opens a reading that starts at or before the record after.
	begin(after uint64) (*reading, error)
	// more waits for more data than the reading had, and may restart the
	// reading.
	more(ctx context.Context, v *reading) error
}

// A reading is the state of one reader of a file.
type reading struct {
	*scanner
	f        file
	rewrites uint64
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, errShort) }

// readAll yields the existing records after a sequence number and, if ctx is
// not nil, later ones as they come.
func readAll(ctx context.Context, from source, after uint64, yield func(Record, error) bool) {
	v, err := from.begin(after)
	if err != nil {
		yield(Record{}, err)
		return
	}
	defer func() { _ = v.f.Close() }()
	for {
		r, err := v.next()
		switch {
		case err == nil && r.Seq <= after:
			continue
		case ctx != nil && ctx.Err() != nil:
			err = context.Cause(ctx)
		case err == nil:
			if after = r.Seq; !yield(r, nil) { // which a restarted reading passes again
				return
			}
			continue
		case isEnd(err) && ctx == nil:
			return
		case isEnd(err):
			err = from.more(ctx, v)
		}
		if err != nil {
			yield(Record{}, err)
			return
		}
	}
}

// Read implements [Reader]. It yields acknowledged records.
func (j *File) Read(after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { readAll(nil, j, after, yield) } //nolint:staticcheck // nil: do not wait
}

// Follow implements [Reader]. It yields acknowledged records.
func (j *File) Follow(ctx context.Context, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { readAll(ctx, j, after, yield) }
}

func (j *File) begin(after uint64) (*reading, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.beginLocked(after)
}

func (j *File) beginLocked(after uint64) (*reading, error) {
	switch {
	case j.closed:
		return nil, ErrClosed
	case after < j.enc.head.through:
		return nil, &DroppedError{after, j.enc.head.through}
	}
	f, err := j.opts.disk.Open(j.path, false)
	if err != nil {
		return nil, err
	}
	s := &scanner{
		r: f, path: j.path, head: j.enc.head, bodies: j.enc.bodies,
		pos: j.enc.head.size(), end: j.acknowledgedLocked(), whole: true, seq: j.enc.head.through, last: j.enc.head.chain,
	}
	n := sort.Search(len(j.enc.index), func(i int) bool { return j.enc.index[i].seq > after })
	if n > 0 && j.enc.index[n-1].offset <= s.end {
		p := j.enc.index[n-1]
		s.pos, s.seq, s.last = p.offset, p.seq, p.chain
	}
	return &reading{s, f, j.rewrites}, nil
}

func (j *File) more(ctx context.Context, v *reading) error {
	for {
		wait, err := j.look(v)
		if wait == nil {
			return err
		}
		select {
		case <-wait:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// look advances the reading's end, or returns a channel to wait on.
func (j *File) look(v *reading) (<-chan struct{}, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	end := j.acknowledgedLocked()
	switch {
	case v.rewrites != j.rewrites:
		return nil, j.beginAgainLocked(v)
	case end > v.end:
		v.end = end
		return nil, nil
	case j.closed:
		return nil, ErrClosed
	case j.err != nil:
		return nil, j.readyLocked()
	}
	if j.news == nil {
		j.news = make(chan struct{})
	}
	return j.news, nil
}

// beginAgainLocked continues in the file that replaced the reading's.
func (j *File) beginAgainLocked(v *reading) error {
	fresh, err := j.beginLocked(v.seq)
	if err != nil {
		return err
	}
	_ = v.f.Close()
	*v = *fresh
	return nil
}
