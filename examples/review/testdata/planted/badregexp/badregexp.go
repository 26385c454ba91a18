// Package badregexp finds dates.
package badregexp

import "regexp"

var date = regexp.MustCompile(`(\d{4}-(\d{2}`)

// Date says whether s is a date.
func Date(s string) bool { return date.MatchString(s) }
