package tools

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// cut returns a text of at most most bytes that says how much was cut.
func cut(text string, most int) string {
	if text = strings.ToValidUTF8(text, "\uFFFD"); len(text) <= most {
		return text
	}
	const room = 40 // for what says so
	at := max(0, most-room)
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s… (%d bytes more)", text[:at], len(text)-at)
}

// clip returns a text of at most most bytes for an error.
func clip(text string, most int) string {
	if len(text) <= most {
		return strings.ToValidUTF8(text, "")
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// quoted returns a text of others on one line without control characters.
func quoted(text string) string {
	if json.Valid([]byte(text)) && !strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return text
	}
	return strconv.Quote(text)
}

// excerpt returns a quoted text; a long one is cut, and states its length and hash.
func excerpt(text string) string {
	const most = 2 << 10
	if len(text) <= most {
		return quoted(text)
	}
	return fmt.Sprintf("%s (the beginning of %d bytes with the SHA-256 %s)", strconv.Quote(clip(text, most)), len(text), hashOf(text))
}

// printable returns a text without the characters that a terminal would not show.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}
