package journal

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// fullAt returns a disk that is full while full is true.
func fullAt(full *atomic.Bool) *memDisk {
	d := newMemDisk()
	d.fail = func(op string, _ int) error {
		if op == "write" && full.Load() {
			return fmt.Errorf("write %s: %w", where, syscall.ENOSPC)
		}
		return nil
	}
	return d
}

func TestAppendsWaitWhileTheDiskIsFull(t *testing.T) {
	for _, mode := range []Sync{SyncEvery, SyncInterval, SyncNever} {
		synctest.Test(t, func(t *testing.T) {
			var full atomic.Bool
			d := fullAt(&full)
			var told []error
			j, err := Open(where, &Options{Sync: mode, Full: func(err error) { told = append(told, err) }, disk: d})
			must(t, err)
			must(t, second(j.Append(numbered(1))))
			full.Store(true)
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() { must(t, second(j.Append(numbered(2)))) })
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if why := j.Full(); !errors.Is(why, syscall.ENOSPC) || len(told) != 1 || !errors.Is(told[0], syscall.ENOSPC) {
				t.Errorf("full: %v, told %v", why, told)
			}
			if n := count(t, j); n != 1 {
				t.Errorf("%d records can be read, one is acknowledged", n)
			}
			full.Store(false)
			wg.Wait()
			if j.Full() != nil || len(told) != 2 || told[1] != nil {
				t.Errorf("with room: %v, told %v", j.Full(), told)
			}
			must(t, second(j.Append(numbered(5))))
			must(t, j.Close())
			j, err = Open(where, &Options{disk: d.crash()})
			must(t, err)
			if n := count(t, j); n != 5 || j.Cut() != 0 {
				t.Errorf("%d records, %d bytes cut", n, j.Cut())
			}
			must(t, j.Close())
		})
	}
}

func TestAJournalThatWaitsForRoomCanBeClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var full atomic.Bool
		d := fullAt(&full)
		j, err := Open(where, &Options{Full: func(error) {}, disk: d})
		must(t, err)
		must(t, second(j.Append(numbered(1))))
		full.Store(true)
		ended := make(chan error, 1)
		go func() { ended <- second(j.Append(numbered(2))) }()
		synctest.Wait()
		if err := j.Close(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("closed: %v", err)
		}
		if err := <-ended; !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, ErrClosed) {
			t.Errorf("the append: %v", err)
		}
		d.restart()
		j, err = Open(where, &Options{disk: d})
		must(t, err)
		if n := count(t, j); n != 1 {
			t.Errorf("%d records, one was acknowledged", n)
		}
		must(t, j.Close())
	})
}

func count(t *testing.T, j *File) (n int) {
	t.Helper()
	for _, err := range j.Read(0) {
		must(t, err)
		n++
	}
	return n
}
