package roomlog

import (
	"strings"
	"unicode"

	"github.com/swarmbus/swarmbus/internal/text"
)

const (
	labelWords = 4
	wordBytes  = 24
	stubRunes  = 200
)

// Label returns a label of two to four words for the call of a tool: the first words
// of the given label, and if it has fewer than two, words of the tool's name before
// them and of what the call is about behind them. The words are separated by spaces
// or hyphens, as they were given.
func Label(given, tool, about string) string {
	label := cut(given, labelWords)
	if count(label) >= 2 {
		return label
	}
	all := strings.Fields(strings.Join([]string{cut(tool, 2), label, cut(about, 2)}, " "))
	label = cut(strings.Join(all, " "), labelWords)
	for count(label) < 2 {
		label = strings.TrimSpace(label + " call")
	}
	return label
}

// between separates the words of a label.
func between(r rune) bool {
	return r == '-' || r == '_' || unicode.IsSpace(r) || !unicode.IsPrint(r)
}

func count(label string) int { return len(strings.FieldsFunc(label, between)) }

// cut returns the first words of a text, each of them cut, and without anything that
// cannot be printed.
func cut(s string, most int) string {
	var b strings.Builder
	n := 0
	for s = strings.TrimLeftFunc(s, between); s != "" && n < most; n++ {
		end := strings.IndexFunc(s, between)
		if end < 0 {
			end = len(s)
		}
		word := s[:end]
		if len(word) > wordBytes {
			word = text.Head(word, wordBytes)
		}
		b.WriteString(word)
		sep := s[end:]
		s = strings.TrimLeftFunc(sep, between)
		if s == "" || n == most-1 {
			break
		}
		if sep[0] == '-' || sep[0] == '_' {
			b.WriteByte(sep[0])
		} else {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// FirstLine returns the first line of a text that is not empty, as a terminal can show it, cut to 200
// characters.
func FirstLine(s string) string {
	for line := range strings.Lines(s) {
		if line = text.Line(line); line != "" {
			return text.FitRunes(line, stubRunes)
		}
	}
	return ""
}
