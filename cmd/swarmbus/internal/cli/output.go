package cli

import (
	"cmp"
	"io"
	"sync"
)

// An Output is standard output, and knows whether all of it could be written. It is safe for
// concurrent use.
type Output struct {
	W io.Writer

	mu  sync.Mutex // protects the field below
	err error      // the first
}

// Write implements [io.Writer].
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.W.Write(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = cmp.Or(o.err, err)
	return n, err
}

// Failed returns the first error of a write.
func (o *Output) Failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
