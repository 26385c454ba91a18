package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processor returns the processor time that the process has spent, which other load on the
// machine changes less than the time on the clock.
func processor() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
