// Package sloppy handles errors without care.
package sloppy

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// ErrOwn is handed out bare.
var ErrOwn = errors.New("own")

// Drop looks at no error.
func Drop(name string) int {
	os.Chdir(name)
	n, _ := strconv.Atoi(name)
	return n
}

// BestEffort drops an error and says why.
func BestEffort(name string) {
	// The directory may be gone already, which is as good.
	os.Chdir(name)
}

// Compare misses wrapped errors.
func Compare(err error) bool {
	return err == fs.ErrNotExist || err == ErrOwn
}

// Match decides by text.
func Match(err error) bool {
	return strings.Contains(err.Error(), "not found") || err.Error() == "gone"
}

// Flatten loses the chain.
func Flatten(err error) error { return fmt.Errorf("flatten: %v", err) }

// Swallow hides every panic.
func Swallow(f func()) {
	defer func() { recover() }()
	f()
}

// AsValue passes what errors.As panics on.
func AsValue(err error) bool {
	var target fs.PathError
	return errors.As(err, target)
}

// ErrWrapped is handed out wrapped.
var ErrWrapped = errors.New("wrapped")

// Wrap returns it.
func Wrap() error { return fmt.Errorf("wrap: %w", ErrWrapped) }

// Wrapped misses what Wrap returns.
func Wrapped(err error) bool { return err == ErrWrapped }
