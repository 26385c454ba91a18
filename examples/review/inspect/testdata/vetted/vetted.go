// Package vetted has mistakes that the passes of go/analysis know.
package vetted

import (
	"context"
	"fmt"
)

// Print hands a string to %d.
func Print(name string) string { return report("%d", name) }

func report(format string, args ...any) string { return fmt.Sprintf(format, args...) }

// Lose forgets to cancel.
func Lose(ctx context.Context) context.Context {
	child, cancel := context.WithCancel(ctx)
	if child.Err() != nil {
		cancel()
	}
	return child
}

// Nil uses what it just found to be nil.
func Nil(p *int) int {
	if p == nil {
		return *p
	}
	return 0
}

// Forget computes for nobody.
func Forget(a int) { fmt.Sprint(a) }
