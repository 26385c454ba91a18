package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"
	"sync"
	"time"
)

// A bareFile is the baseline of a journal: lengths and bytes, and one fsync for
// all goroutines that wait at the time. It checks nothing.
type bareFile struct {
	f *os.File

	mu      sync.Mutex // protects the fields below
	moved   *sync.Cond
	pending []byte
	spare   []byte
	size    int64 // with what is pending
	durable int64
	writing bool
	err     error
}

func newBareFile(dir string) (*bareFile, error) {
	f, err := os.Create(dir + "/bare")
	b := &bareFile{f: f}
	b.moved = sync.NewCond(&b.mu)
	return b, err
}

func (b *bareFile) append(p []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending = binary.LittleEndian.AppendUint32(b.pending, uint32(len(p)))
	b.pending = append(b.pending, p...)
	b.size += int64(len(p)) + 4
	for end := b.size; b.durable < end && b.err == nil; {
		if b.writing {
			b.moved.Wait()
		} else {
			b.writeLocked()
		}
	}
	return b.err
}

func (b *bareFile) writeLocked() {
	group, at := b.pending, b.durable
	b.pending, b.writing = b.spare[:0], true
	b.mu.Unlock()
	_, err := b.f.WriteAt(group, at)
	if err == nil {
		err = b.f.Sync()
	}
	b.mu.Lock()
	b.spare, b.writing, b.err = group, false, err
	b.durable = at + int64(len(group))
	b.moved.Broadcast()
}

func bareAppend(goroutines int) func(context.Context, string, int) (time.Duration, error) {
	return func(_ context.Context, dir string, n int) (time.Duration, error) {
		b, err := newBareFile(dir)
		if err != nil {
			return 0, err
		}
		took, err := timed(func() error {
			return atOnce(goroutines, n, func() error { return b.append(content) })
		})
		return took, errors.Join(err, b.f.Close())
	}
}

func bareBatches(_ context.Context, dir string, n int) (time.Duration, error) {
	b, err := newBareFile(dir)
	if err != nil {
		return 0, err
	}
	batch := slices.Repeat(content, 100)
	took, err := timed(func() error {
		return atOnce(1, n/100, func() error { return b.append(batch) })
	})
	return took, errors.Join(err, b.f.Close())
}

func bareRead(_ context.Context, dir string, n int) (time.Duration, error) {
	b, err := newBareFile(dir)
	if err != nil {
		return 0, err
	}
	one := append(binary.LittleEndian.AppendUint32(nil, recordBytes), content...)
	if _, err := b.f.Write(slices.Repeat(one, n)); err != nil {
		return 0, err
	}
	if _, err := b.f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	took, err := charged(func() error { return readBare(b.f, n) })
	return took, errors.Join(err, b.f.Close())
}

func readBare(f *os.File, n int) error {
	in := bufio.NewReaderSize(f, 1<<18)
	var size [4]byte
	record := make([]byte, recordBytes)
	for range n {
		if _, err := io.ReadFull(in, size[:]); err != nil {
			return err
		}
		if _, err := io.ReadFull(in, record[:binary.LittleEndian.Uint32(size[:])]); err != nil {
			return err
		}
	}
	return nil
}
