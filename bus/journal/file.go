package journal

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
)

// A File is a journal in one file. Make one with [Open].
type File struct {
	writers
	path string
	opts Options // never changes
	lock io.Closer
	cut  int64 // bytes of a torn record that Open cut off

	closing chan struct{} // closed when Close is called
	close   func()        // closes it

	mu       sync.Mutex // protects the fields below
	moved    *sync.Cond // broadcast when a group has been written, or has failed
	f        file
	enc      encoder // its buffer holds what is to be written
	snapshot []byte
	spare    []byte // a buffer for the next group
	written  int64  // end of what the operating system has
	durable  int64  // end of what the disk has
	writing  bool   // a group is being written
	err      error  // the first failure
	full     error  // why a write waits; nil: none does
	closed   bool
	timer    *time.Timer   // of the next sync; nil: none is due
	news     chan struct{} // closed when readers have more to read; nil: no one waits
	rewrites uint64        // how often Drop replaced the file
}

// The suffixes of the files beside a journal. They cannot be the end of a
// journal's own name, or one journal would write over another.
const (
	lockSuffix    = ".lock"
	rewriteSuffix = ".rewrite" // the remaining records, while Drop writes them
)

// checkPath refuses the names of files that belong to other journals.
func checkPath(path string) error {
	for _, suffix := range []string{lockSuffix, rewriteSuffix} {
		if strings.HasSuffix(path, suffix) {
			return fmt.Errorf("journal: %s cannot be a journal: a file that ends in %s belongs to the journal beside it", path, suffix)
		}
	}
	return nil
}

// Open opens the journal at path for writing and creates it if necessary. The
// path may be a symbolic link, but not end in ".lock" or ".rewrite". Open first
// reads the whole journal: a record torn by a crash is cut off (see
// [File.Cut]) with those behind it, and any other damage is a [*CorruptError] and
// leaves the file unchanged. A record is torn if no later sync said that the disk
// had it, no record follows that is in another place than it was written to, and the
// disk may not have all of it: the file ends in it, or one of its 512-byte sectors ends
// in a zero. Other errors are [*LockError] and [*FormatError].
func Open(path string, o *Options) (*File, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	j := &File{opts: opts, closing: make(chan struct{})}
	j.close = sync.OnceFunc(func() { close(j.closing) })
	j.moved = sync.NewCond(&j.mu)
	if j.path, err = opts.disk.Resolve(path); err != nil {
		return nil, err
	}
	if err := checkPath(j.path); err != nil {
		return nil, err
	}
	if j.lock, err = opts.disk.Lock(j.path); err != nil {
		return nil, err
	}
	if err := j.open(); err != nil {
		if j.f != nil {
			_ = j.f.Close()
		}
		return nil, errors.Join(err, j.lock.Close())
	}
	return j, nil
}

func (j *File) open() (err error) {
	if err := j.opts.disk.Remove(j.path + rewriteSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if j.f, err = j.opts.disk.Open(j.path, true); err != nil {
		return err
	}
	size, err := sizeOf(j.f)
	if err != nil {
		return err
	}
	s, err := newScanner(j.f, j.path, size)
	switch {
	case errors.Is(err, errShort):
		err = j.create(size)
	case err == nil:
		err = j.takeOver(s, size)
	}
	if err != nil {
		return err
	}
	if err := j.f.Sync(); err != nil { // later appends depend on what is there
		return err
	}
	return j.opts.disk.SyncDir(j.path) // and on its name, which Drop or Open may have been killed before syncing
}

// create writes the header into a file that is empty or whose header a crash
// left incomplete.
func (j *File) create(size int64) error {
	begun := make([]byte, size)
	if _, err := j.f.ReadAt(begun, 0); err != nil && size > 0 {
		return err
	}
	if err := checkFormat(begun); err != nil {
		return named(err, j.path)
	}
	j.enc = *newEncoder(header{salt: newSalt()})
	j.written, j.durable = headerSize, headerSize
	if _, err := j.f.WriteAt(j.enc.head.encode(), 0); err != nil {
		return err
	}
	return j.f.Truncate(headerSize)
}

// takeOver reads the existing records, cuts off a torn one, and writes again what no
// mark says is on the disk: if a sync of it failed, the next one may succeed without
// having written it.
func (j *File) takeOver(s *scanner, size int64) error {
	if err := j.recover(s); err != nil {
		return err
	}
	if j.cut = size - s.pos; j.cut > 0 {
		if err := j.f.Truncate(s.pos); err != nil {
			return err
		}
	}
	_, err := io.Copy(&offsetWriter{j.f, s.synced}, io.NewSectionReader(j.f, s.synced, s.pos-s.synced))
	return err
}

// recover reads the existing records and leaves the scanner after the last
// complete one.
func (j *File) recover(s *scanner) error {
	e := &j.enc
	e.head, e.bodies = s.head, s.bodies
	for {
		e.seq, e.last, e.size = s.seq, s.last, s.pos
		e.mark()
		_, err := s.next()
		if err == nil {
			continue
		}
		if !isEnd(err) {
			return err
		}
		e.size, e.sealed, j.snapshot = s.pos, s.sealed, s.state
		j.written, j.durable = s.pos, s.pos
		return nil
	}
}

// Path returns the path of the journal's file, without symbolic links.
func (j *File) Path() string { return j.path }

// Cut returns how many bytes of a torn record Open cut off.
func (j *File) Cut() int64 { return j.cut }

// Last implements [Store].
func (j *File) Last() uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.enc.seq
}

// Snapshot implements [Reader].
func (j *File) Snapshot() (Snapshot, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return Snapshot{j.enc.head.through, j.snapshot, j.enc.head.dropped}, nil
}

// Close implements [Store].
func (j *File) Close() error {
	j.close()
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed {
		return nil
	}
	err := j.commitLocked(true)
	if j.closed {
		return nil // by another goroutine meanwhile
	}
	j.closed = true
	for j.writing { // for another goroutine, which will be told
		j.moved.Wait()
	}
	j.sealLocked()
	j.stopTimerLocked()
	j.moved.Broadcast()
	j.tellLocked()
	return errors.Join(err, j.f.Close(), j.lock.Close())
}

// sealLocked ends a file of which everything is on the disk, so that damage to
// its last records cannot be taken for what a crash left. An error is no loss.
func (j *File) sealLocked() {
	if j.durable < j.enc.size || j.enc.sealed == j.enc.size {
		return
	}
	j.enc.seal()
	_, _ = j.f.WriteAt(j.enc.buf, j.durable)
}

// readyLocked returns an error if nothing can be appended.
func (j *File) readyLocked() error {
	switch {
	case j.closed:
		return ErrClosed
	case j.err != nil:
		return fmt.Errorf("%w: %w", ErrFailed, j.err)
	}
	return nil
}
