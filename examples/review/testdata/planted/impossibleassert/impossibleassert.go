// Package impossibleassert looks for closers.
package impossibleassert

import "io"

type closer interface{ Close() }

// CloseAll closes r if it can be closed.
func CloseAll(r io.ReadCloser) {
	if c, ok := r.(closer); ok {
		c.Close()
	}
}
