package text

import (
	"strings"
	"unicode"
)

// Plain returns a text in lower case, in words that one space separates, without punctuation
// but for signs that carry meaning. A text without any words is left as it is.
func Plain(text string) string {
	runes := []rune(strings.ToLower(text))
	var b strings.Builder
	for i, r := range runes {
		before, after := ' ', ' '
		if i > 0 {
			before = runes[i-1]
		}
		if i+1 < len(runes) {
			after = runes[i+1]
		}
		if inWord(r) || unicode.IsSymbol(r) || isSign(before, r, after) {
			b.WriteRune(r)
		} else {
			b.WriteByte(' ')
		}
	}
	if words := strings.Fields(b.String()); len(words) > 0 {
		return strings.Join(words, " ")
	}
	return text
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) }

// isSign reports whether a punctuation character between two others carries meaning: a
// minus before a word or a number, a point in a number, and a negation such as in !=.
func isSign(before, r, after rune) bool {
	switch r {
	case '-':
		return inWord(after) && !inWord(before) || unicode.IsDigit(after) && !unicode.IsDigit(before)
	case '.':
		return unicode.IsDigit(after) && !unicode.IsLetter(before)
	case ',', ':':
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	case '!':
		return inWord(after) || after == '=' || after == '('
	default:
		return strings.ContainsRune(`%‰#&@*/\_`, r)
	}
}
