package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLock tries to lock an open file, and reports whether it is already locked
// by another process. It locks a byte far beyond the text, so that others can
// read the text.
func tryLock(f *os.File) (taken bool, err error) {
	const how = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	err = windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, &windows.Overlapped{OffsetHigh: 1})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	return false, err
}
