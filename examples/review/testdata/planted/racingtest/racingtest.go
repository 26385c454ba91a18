// Package racingtest counts.
package racingtest

// Counter counts.
type Counter struct{ n int }

// Add counts one more.
func (c *Counter) Add() { c.n++ }

// N returns the count.
func (c *Counter) N() int { return c.n }
