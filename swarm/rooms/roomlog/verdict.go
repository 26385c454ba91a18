package roomlog

import (
	"regexp"
	"strconv"
)

var verdict = regexp.MustCompile(`(?i)^\s*(?:@?[\pL\pN_.-]+[,:]?\s+)?(repeat|skip)\s+§?([1-9][0-9]{0,8})\s*[.!]?\s*$`)

// Verdict returns the answer of a message about the call with a section: "repeat §4" or
// "skip §4", with or without the name of the agent before it.
func Verdict(message string) (ix int, repeat, ok bool) {
	m := verdict.FindStringSubmatch(message)
	if m == nil {
		return 0, false, false
	}
	ix, _ = strconv.Atoi(m[2])
	return ix, m[1][0]|0x20 == 'r', true
}
