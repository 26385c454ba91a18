//go:build !windows && (!unix || solaris || aix || illumos)

package journal

import (
	"errors"
	"os"
)

func tryLock(*os.File) (taken bool, err error) { return false, errors.ErrUnsupported }
