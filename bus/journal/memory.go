package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
)

// A Memory is a journal that is lost when the process ends: for tests, and for
// programs that replay without persistence. The zero value is an empty journal.
type Memory struct {
	writers
	mu      sync.Mutex // protects the fields below
	records []Record   // never changed in place
	through uint64
	state   []byte
	closed  bool
	news    chan struct{} // closed when there is more to read; nil: no one waits
}

var _ Store = (*Memory)(nil)

// Append implements [Store]. It keeps the records' bytes.
func (m *Memory) Append(records ...Record) (last uint64, err error) {
	if err := checkRecords(records); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, ErrClosed
	}
	last = m.lastLocked()
	for _, r := range records {
		last++
		r.Seq, r.Time = last, fromNanos(nanos(r.Time))
		m.records = append(m.records, r)
	}
	m.tellLocked()
	return last, nil
}

func (m *Memory) lastLocked() uint64 { return m.through + uint64(len(m.records)) }

func (m *Memory) tellLocked() {
	if m.news != nil {
		close(m.news)
		m.news = nil
	}
}

// Sync implements [Store].
func (m *Memory) Sync() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return ErrClosed
	}
	return nil
}

// Last implements [Store].
func (m *Memory) Last() uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lastLocked()
}

// Snapshot implements [Reader].
func (m *Memory) Snapshot() (Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return Snapshot{Through: m.through, State: m.state}, nil
}

// Drop implements [Store].
func (m *Memory) Drop(through uint64, state []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return ErrClosed
	case through <= m.through || through > m.lastLocked():
		return notHeld(through, m.through+1, m.lastLocked())
	}
	m.records = slices.Clone(m.records[through-m.through:])
	m.through, m.state = through, state
	return nil
}

func notHeld(seq, first, last uint64) error {
	return &RecordError{"sequence", fmt.Sprint(seq), fmt.Sprintf("not held; the journal holds %d to %d", first, last)}
}

// Close implements [Store].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.tellLocked()
	return nil
}

// Read implements [Reader].
func (m *Memory) Read(after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		records, _, err := m.after(after, false)
		for _, r := range records {
			if !yield(r, nil) {
				return
			}
		}
		if err != nil {
			yield(Record{}, err)
		}
	}
}

// Follow implements [Reader].
func (m *Memory) Follow(ctx context.Context, after uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		for {
			records, wait, err := m.after(after, true)
			for _, r := range records {
				if ctx.Err() != nil {
					break
				}
				if !yield(r, nil) {
					return
				}
				after = r.Seq
			}
			if err == nil && wait != nil {
				select {
				case <-wait:
				case <-ctx.Done():
				}
			}
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if err != nil {
				yield(Record{}, err)
				return
			}
		}
	}
}

// after returns the records after a sequence number, or, for followers, a
// channel to wait on.
func (m *Memory) after(seq uint64, follow bool) (records []Record, wait <-chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if seq < m.through {
		return nil, nil, &DroppedError{seq, m.through}
	}
	if n := seq - m.through; n < uint64(len(m.records)) {
		records = m.records[n:]
	}
	switch {
	case len(records) > 0:
		return records, nil, nil
	case m.closed:
		return nil, nil, ErrClosed
	case follow && m.news == nil:
		m.news = make(chan struct{})
	}
	return nil, m.news, nil
}
