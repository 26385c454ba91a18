package journal

import (
	"context"
	"errors"
	"io"
	"iter"
	"os"
	"time"
)

// A View reads a journal that another process may have open for writing. It
// takes no lock and changes nothing but the index beside the journal. It may yield records that are not
// acknowledged yet. A View keeps no file open between calls.
type View struct{ path string }

// NewView returns a view of the journal at path, or an error if it cannot be
// read, such as a [*FormatError].
func NewView(path string) (*View, error) {
	v := &View{path}
	r, err := v.open()
	if err != nil {
		return nil, err
	}
	return v, r.f.Close()
}

// Path is where the journal is.
func (v *View) Path() string { return v.path }

// pollEvery is the interval at which a view checks whether a file has grown.
const pollEvery = 50 * time.Millisecond

// Read implements [Reader].
func (v *View) Read(after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { readAll(nil, v, after, yield) } //nolint:staticcheck // nil: do not wait
}

// Follow implements [Reader]. It polls every 50 ms.
func (v *View) Follow(ctx context.Context, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) { readAll(ctx, v, after, yield) }
}

// Snapshot implements [Reader].
func (v *View) Snapshot() (Snapshot, error) {
	r, err := v.open()
	if err != nil {
		return Snapshot{}, err
	}
	defer func() { _ = r.f.Close() }()
	return Snapshot{r.head.through, r.state, r.head.dropped}, nil
}

func (v *View) open() (*reading, error) {
	f, err := osDisk{}.Open(v.path, false)
	if err != nil {
		return nil, err
	}
	size, err := sizeOf(f)
	if err == nil {
		var s *scanner
		if s, err = newScanner(f, v.path, size); err == nil {
			return &reading{scanner: s, f: f}, nil
		}
	}
	if errors.Is(err, errShort) {
		err = &FormatError{Path: v.path}
	}
	return nil, errors.Join(err, f.Close())
}

func (v *View) begin(after uint64) (*reading, error) {
	r, err := v.open()
	if err == nil && after < r.head.through {
		err = &DroppedError{after, r.head.through}
		_ = r.f.Close()
	}
	return r, err
}

func (v *View) more(ctx context.Context, r *reading) error {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if grown, err := v.look(r); grown || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// look advances the reading's end, and switches to the new file if the one
// being read was replaced.
func (v *View) look(r *reading) (grown bool, err error) {
	mine, err := r.f.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(v.path)
	switch {
	case err != nil:
		return false, err
	case !os.SameFile(mine, there):
		fresh, err := v.begin(r.seq)
		if err != nil {
			return false, err
		}
		_ = r.f.Close()
		*r = *fresh
		return true, nil
	case mine.Size() < r.pos:
		return false, r.corrupt("the file became shorter")
	}
	grown = mine.Size() != r.end
	r.end, r.window = mine.Size(), nil
	return grown, nil
}

var _, _ source = (*File)(nil), (*View)(nil)

var _ io.Closer = fileLock{}
