// Package typeerror counts words.
package typeerror

import "strings"

// Count returns the number of words of s.
func Count(s string) int {
	return strings.Fields(s)
}
