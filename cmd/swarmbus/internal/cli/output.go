package cli

import (
	"cmp"
	"io"
	"sync"
)

// An output is standard output, and knows whether all of it could be written. It is safe for
// concurrent use.
type output struct {
	w io.Writer

	mu  sync.Mutex // protects the field below
	err error      // the first
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = cmp.Or(o.err, err)
	return n, err
}

// failed returns the first error of a write.
func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
