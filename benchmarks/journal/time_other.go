//go:build !linux

package main

import "time"

// charged returns the time on the clock.
func charged(f func() error) (time.Duration, error) { return timed(f) }
