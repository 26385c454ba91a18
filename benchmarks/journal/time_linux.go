package main

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// charged returns the processor time that the calling goroutine spends on f,
// which other load on the machine changes less than the time on the clock.
func charged(f func() error) (time.Duration, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start, err := threadTime()
	if err != nil {
		return 0, err
	}
	if err := f(); err != nil {
		return 0, err
	}
	end, err := threadTime()
	return end - start, err
}

func threadTime() (time.Duration, error) {
	var t unix.Timespec
	err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano()), err
}
