package journal

import (
	"fmt"
	"time"
)

// Options of [Open]. The zero value and nil mean the defaults.
type Options struct {
	Sync     Sync
	Interval time.Duration // for [SyncInterval]; 0 means 100ms

	disk disk
}

// Sync says when an append is acknowledged.
type Sync uint8

const (
	// SyncEvery acknowledges what is on the disk: it outlives the machine.
	// Appends that run at once share one wait for the disk.
	SyncEvery Sync = iota
	// SyncInterval acknowledges what the operating system has: it outlives the
	// process, and after the interval the machine.
	SyncInterval
	// SyncNever acknowledges what the operating system has, and leaves it to
	// that, to Sync and to Close when it reaches the disk.
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
