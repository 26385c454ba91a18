package text

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Cut returns a text of at most most bytes, or that much of its beginning and an ellipsis.
func Cut(s string, most int) string {
	if s = valid(s); len(s) > most {
		return Head(s, most) + "…"
	}
	return s
}

// Fit returns a text of at most most bytes, at least three: the text, or as much of its beginning
// as there is room for before an ellipsis.
func Fit(s string, most int) string {
	if s = valid(s); len(s) > most {
		return Head(s, most-len("…")) + "…"
	}
	return s
}

// FitRunes is [Fit] with a limit in characters instead of bytes.
func FitRunes(s string, most int) string {
	if s = valid(s); utf8.RuneCountInString(s) > most {
		return string([]rune(s)[:most-1]) + "…"
	}
	return s
}

// Shorten returns a text of at most most bytes, or that much of its beginning and how many bytes
// there are beside it, in at most [MoreBytes].
func Shorten(s string, most int) string {
	if s = valid(s); len(s) > most {
		begin := Head(s, most)
		return fmt.Sprintf("%s… (%d bytes more)", begin, len(s)-len(begin))
	}
	return s
}

// ShortenTo is [Shorten] whose whole result has at most most bytes, of at least [MoreBytes].
func ShortenTo(s string, most int) string {
	if s = valid(s); len(s) > most {
		return Shorten(s, most-MoreBytes)
	}
	return s
}

// MoreBytes bounds what [Shorten] adds to a text.
const MoreBytes = 40

// Head returns the characters of a text that are complete in its first bytes, as they are, and
// without a mark of the cut. It returns at least one byte where there is one and most is four.
func Head(s string, most int) string {
	at := max(0, min(most, len(s)))
	for least := at - utf8.UTFMax; at < len(s) && at > max(0, least+1) && !utf8.RuneStart(s[at]); {
		at--
	}
	return s[:at]
}

func valid(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
