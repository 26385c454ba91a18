package inspect

import (
	"errors"
	"fmt"
)

// Why a directory cannot be reviewed. [Load] wraps one of them in a
// [*LoadError]; test with errors.Is.
var (
	ErrNotDirectory = errors.New("not a directory")
	ErrNoGoFiles    = errors.New("no Go files that this platform builds")
	ErrNoModule     = errors.New("not inside a Go module")
	ErrNotFetched   = errors.New("a module it needs is not in the module cache (go mod download fetches it)")
	ErrNotLoaded    = errors.New("the go command could not list the package")
)

// A LoadError names the directory that could not be loaded. Detail is what the
// go command had to say, if it was asked.
type LoadError struct {
	Dir    string
	Detail string
	Err    error
}

// Error returns the directory, the reason and the detail.
func (e *LoadError) Error() string {
	s := fmt.Sprintf("inspect: %s: %v", e.Dir, e.Err)
	if e.Detail != "" {
		s += ": " + e.Detail
	}
	return s
}

// Unwrap returns one of the errors above, or the context's.
func (e *LoadError) Unwrap() error { return e.Err }

// A Problem is one reason why a package does not compile. A line of 0 means
// that the go command named no position.
type Problem struct {
	Position
	Message string
}

// String returns the position and the message.
func (p Problem) String() string { return p.Position.String() + ": " + p.Message }
