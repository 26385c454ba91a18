// Package lostappend collects names.
package lostappend

// Collect returns the names that are not empty.
func Collect(names []string) int {
	var kept []string
	n := 0
	for _, name := range names {
		if name != "" {
			kept = append(kept, name)
			n++
		}
	}
	return n
}
