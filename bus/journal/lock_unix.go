//go:build unix && !solaris && !aix && !illumos

package journal

import (
	"errors"
	"os"
	"syscall"
)

// tryLock tries to lock an open file, and reports whether it is already locked
// by another process.
func tryLock(f *os.File) (taken bool, err error) {
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return true, nil
	}
	return false, err
}
