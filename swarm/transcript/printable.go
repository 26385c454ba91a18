package transcript

import (
	"strconv"
	"strings"
	"unicode"
)

// Printable replaces characters that a terminal would interpret by escapes:
// control characters, and format characters such as those that change the
// direction of writing. Line breaks become spaces.
func Printable(s string) string {
	clean := true
	for _, r := range s {
		clean = clean && unicode.IsPrint(r) && r != unicode.ReplacementChar
	}
	if clean {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case unicode.IsPrint(r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
	}
	return b.String()
}
