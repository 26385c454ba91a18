package journal

import (
	"fmt"
	"time"
)

// Options of [Open]. The zero value and nil mean the defaults.
type Options struct {
	Sync     Sync
	Interval time.Duration // for [SyncInterval]; 0 means 100ms
	// Full is called with the error of a write that finds no room on the disk, or none left of a
	// quota, and with nil when it is written: appends wait meanwhile, without being acknowledged, and
	// the write is tried again each second, until there is room or the journal is closed. Nil: such a
	// journal fails ([ErrFailed]).
	Full func(error)

	disk disk
}

// Sync says when an append is acknowledged.
type Sync uint8

const (
	// SyncEvery acknowledges records when they are on the disk: they survive a
	// crash of the machine. Concurrent appends share one sync.
	SyncEvery Sync = iota
	// SyncInterval acknowledges records when the operating system has them:
	// they survive a crash of the process, and after the interval one of the
	// machine.
	SyncInterval
	// SyncNever acknowledges records when the operating system has them. They
	// reach the disk when the operating system decides, or by Sync or Close.
	// All of them may then be what a crash left: see [Open].
	SyncNever
)

func (o *Options) withDefaults() (Options, error) {
	var r Options
	if o != nil {
		r = *o
	}
	if r.Sync > SyncNever {
		return r, fmt.Errorf("journal: sync mode %d is none of every, interval and never", r.Sync)
	}
	if r.Interval < 0 {
		return r, fmt.Errorf("journal: interval %v is negative", r.Interval)
	}
	if r.Interval == 0 {
		r.Interval = 100 * time.Millisecond
	}
	if r.disk == nil {
		r.disk = osDisk{}
	}
	return r, nil
}
