// Package brokentest doubles numbers.
package brokentest

// Double returns 2n.
func Double(n int) int { return 2 * n }
