package tools

import (
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/internal/text"
)

// quoted returns a text of others on one line: JSON as it is, if all of it is visible.
func quoted(s string) string {
	if json.Valid([]byte(s)) && text.Printable(s) == s {
		return s
	}
	return text.Quote(s, len(s))
}

// excerpt returns a quoted text; a long one is cut, and states its length and hash.
func excerpt(s string) string {
	const most = 2 << 10
	if len(s) <= most {
		return quoted(s)
	}
	return fmt.Sprintf("%s (the beginning of %d bytes with the SHA-256 %s)", text.Quote(s, most), len(s), hashOf(s))
}
