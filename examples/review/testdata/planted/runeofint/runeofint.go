// Package runeofint names files.
package runeofint

// Name returns the file name of part n.
func Name(n int) string {
	return "part-" + string(n)
}
