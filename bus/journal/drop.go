package journal

import (
	"bufio"
	"errors"
	"io"
)

// Drop implements [Store]. The remaining records are written to a file beside
// the journal, which then replaces it; appends wait meanwhile.
func (j *File) Drop(through uint64, state []byte) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.settleLocked(); err != nil {
		return err
	}
	if through <= j.enc.head.through || through > j.enc.seq {
		return notHeld(through, j.enc.head.through+1, j.enc.seq)
	}
	if err := j.checkName(j.f); err != nil {
		j.failLocked(err)
		return j.readyLocked()
	}
	fresh, enc, err := j.rewriteLocked(through, state)
	if err != nil {
		return errors.Join(err, j.opts.disk.Remove(j.path+rewriteSuffix))
	}
	old := j.f
	j.f, j.enc, j.snapshot = fresh, *enc, state
	j.written, j.durable = enc.size, enc.size
	j.rewrites++
	j.tellLocked()
	_ = old.Close()
	if err := j.opts.disk.SyncDir(j.path); err != nil {
		j.failLocked(err) // it is unknown which of the two files would survive a crash
		return j.readyLocked()
	}
	return nil
}

// settleLocked returns when everything is durable and no write is in progress.
func (j *File) settleLocked() error {
	for {
		if err := j.readyLocked(); err != nil {
			return err
		}
		switch {
		case j.writing:
			j.moved.Wait()
		case j.durable < j.enc.size:
			j.writeLocked(true)
		default:
			return nil
		}
	}
}

func (j *File) rewriteLocked(through uint64, state []byte) (file, *encoder, error) {
	v, err := j.beginLocked(through)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = v.f.Close() }()
	for v.seq < through {
		if _, err := v.next(); err != nil {
			return nil, nil, unexpected(err)
		}
	}
	f, err := j.opts.disk.Open(j.path+rewriteSuffix, true)
	if err != nil {
		return nil, nil, err
	}
	err = f.Truncate(0) // if it is left over
	var enc *encoder
	if err == nil {
		enc, err = copyTo(f, v, newHeader(j.enc.head.salt, through, v.last, state), state)
	}
	if err == nil {
		err = sameMode(f, v.f)
	}
	if err == nil {
		err = j.opts.disk.Rename(j.path+rewriteSuffix, j.path)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, enc, nil
}

func sameMode(f, as file) error {
	info, err := as.Stat()
	if err != nil {
		return err
	}
	return f.Chmod(info.Mode().Perm())
}

// copyTo writes a journal that consists of a state and the remaining records of
// a reading. The records keep their sequence numbers; their chain begins anew,
// from the state.
func copyTo(f file, v *reading, h header, state []byte) (*encoder, error) {
	e := newEncoder(h)
	e.buf = append(h.encode(), state...)
	out := bufio.NewWriterSize(&offsetWriter{f, 0}, windowSize)
	for {
		if _, err := out.Write(e.buf); err != nil {
			return nil, err
		}
		e.buf = e.buf[:0]
		r, err := v.next()
		switch {
		case err == nil:
			e.add(&r)
			continue
		case !errors.Is(err, io.EOF):
			return nil, unexpected(err)
		}
		e.seal()
		_, err = out.Write(e.buf)
		e.buf = e.buf[:0]
		return e, errors.Join(err, out.Flush(), f.Sync())
	}
}

// unexpected turns io.EOF into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if isEnd(err) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// An offsetWriter writes sequentially from an offset.
type offsetWriter struct {
	f  file
	at int64
}

func (w *offsetWriter) Write(p []byte) (int, error) {
	n, err := w.f.WriteAt(p, w.at)
	w.at += int64(n)
	return n, err
}
