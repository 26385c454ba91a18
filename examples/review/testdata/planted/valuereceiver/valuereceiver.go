// Package valuereceiver counts.
package valuereceiver

// Counter counts up.
type Counter struct{ n int }

// Add counts one more.
func (c Counter) Add() {
	c.n = 7
}

// N returns the count.
func (c Counter) N() int { return c.n }
