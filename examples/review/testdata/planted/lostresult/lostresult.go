// Package lostresult cleans names.
package lostresult

import "strings"

// Clean returns name without spaces around it, in lower case.
func Clean(name string) string {
	strings.TrimSpace(name)
	return strings.ToLower(name)
}
