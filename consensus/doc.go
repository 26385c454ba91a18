// Package consensus turns votes into decisions: pure, without clock, context or goroutine.
package consensus
