package journal

import (
	"fmt"
	"time"
)

// Append implements [Store].
func (j *File) Append(records ...Record) (last uint64, err error) {
	if err := checkRecords(records); err != nil {
		return 0, err
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.readyLocked(); err != nil {
		return 0, err
	}
	for i := range records {
		j.enc.add(&records[i])
	}
	last = j.enc.seq
	return last, j.commitLocked(j.opts.Sync == SyncEvery)
}

// Sync implements [Store].
func (j *File) Sync() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if err := j.readyLocked(); err != nil {
		return err
	}
	return j.commitLocked(true)
}

// commitLocked returns when everything encoded so far has been written, and
// synced if sync is set. The first caller that finds no writer writes for all
// that wait (group commit): while one group is being written, the next one
// gathers.
func (j *File) commitLocked(sync bool) error {
	for end, rewrites := j.enc.size, j.rewrites; ; {
		if j.reachedLocked(sync) >= end || j.rewrites != rewrites { // Drop starts with a sync
			return nil
		}
		if err := j.readyLocked(); err != nil {
			return err
		}
		if j.writing {
			j.moved.Wait()
			continue
		}
		j.writeLocked(sync)
	}
}

func (j *File) reachedLocked(sync bool) int64 {
	if sync {
		return j.durable
	}
	return j.written
}

// acknowledgedLocked returns the offset up to which records have been
// acknowledged.
func (j *File) acknowledgedLocked() int64 { return j.reachedLocked(j.opts.Sync == SyncEvery) }

// writeLocked writes what is pending, without holding the lock meanwhile.
func (j *File) writeLocked(sync bool) {
	group, at, f := j.enc.buf, j.written, j.f
	j.enc.buf, j.spare = j.spare[:0], nil
	j.writing = true
	if at == j.durable && len(group) > 0 {
		setSynced(group[:frameSize], j.enc.head.seed(at))
	}
	j.mu.Unlock()
	err := j.writeAt(f, group, at)
	if err == nil && sync {
		err = f.Sync()
	}
	if err == nil && sync {
		err = j.checkName(f)
	}
	j.mu.Lock()
	j.writing = false
	if cap(group) <= maxSpare {
		j.spare = group[:0]
	}
	if err != nil {
		j.failLocked(err)
	} else {
		j.movedLocked(at+int64(len(group)), sync)
	}
	j.moved.Broadcast()
}

// writeAt writes a group, and waits for room if the journal does.
func (j *File) writeAt(f file, group []byte, at int64) error {
	for told := false; ; told = true {
		_, err := f.WriteAt(group, at)
		if j.opts.Full == nil || !isFull(err) {
			if told {
				j.tellFull(nil)
			}
			return err
		}
		if !told {
			j.tellFull(err)
		}
		select {
		case <-time.After(roomEvery):
		case <-j.closing:
			return err
		}
	}
}

// roomEvery is the time between two looks for room.
const roomEvery = time.Second

func (j *File) tellFull(err error) {
	j.mu.Lock()
	j.full = err
	j.mu.Unlock()
	j.opts.Full(err)
}

// Full returns the error of a write that waits for room ([Options].Full); nil: none does.
func (j *File) Full() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.full
}

// checkName returns an error if the journal's file has lost its name, because
// somebody removed, moved or replaced it: whoever opens the journal next would
// not find what is written into it.
func (j *File) checkName(f file) error {
	is, err := j.opts.disk.Is(j.path, f)
	if err == nil && !is {
		err = fmt.Errorf("journal: %s was removed or replaced", j.path)
	}
	return err
}

// maxSpare is the largest buffer that is kept.
const maxSpare = 1 << 20

func (j *File) movedLocked(end int64, sync bool) {
	j.written = end
	switch {
	case sync:
		j.durable = end
		j.stopTimerLocked()
	case j.opts.Sync == SyncInterval && j.timer == nil:
		j.timer = time.AfterFunc(j.opts.Interval, func() { _ = j.Sync() }) // an error is kept
	}
	j.tellLocked()
}

func (j *File) stopTimerLocked() {
	if j.timer != nil {
		j.timer.Stop()
		j.timer = nil
	}
}

// failLocked marks the journal as failed. Unacknowledged records are cut off if
// that still works, so that the next Open does not find them.
func (j *File) failLocked(err error) {
	j.err = err
	_ = j.f.Truncate(j.acknowledgedLocked())
	j.stopTimerLocked()
	j.tellLocked()
}

// tellLocked wakes waiting readers.
func (j *File) tellLocked() {
	if j.news != nil {
		close(j.news)
		j.news = nil
	}
}
