//go:build unix

package journal

import (
	"errors"
	"syscall"
)

// isFull reports whether a write found no room.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
