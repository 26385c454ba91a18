package reports

import (
	"crypto/sha256"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A textHash is the hash of a normalized text.
type textHash [sha256.Size]byte

func hashOf(text string) textHash { return hashNormal(normal(text)) }

func hashNormal(text string) textHash { return sha256.Sum256([]byte(text)) }

// normal normalizes a text for comparison. It ignores case, forms of the same
// character (NFKC), white space, invisible characters, decoration and punctuation.
// It keeps letters, digits, mathematical and currency signs, and punctuation that
// is part of a number or an operator, such as in -1, 3.5, 50%, != and C#. Words
// stay separated.
func normal(text string) string {
	all := []rune(norm.NFKC.String(text))
	var b strings.Builder
	b.Grow(len(text))
	apart := false // whether a space precedes the next character
	for i, r := range all {
		var before, after rune
		if i > 0 {
			before = all[i-1]
		}
		if i+1 < len(all) {
			after = all[i+1]
		}
		sign := isSign(r, after)
		switch {
		case invisible(r), joins(r) && isWord(before) && isWord(after):
		case sign, isWord(r), counts(before, r, after):
			if (apart || sign) && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteRune(unicode.ToLower(r))
			apart = sign
		default:
			apart = true
		}
	}
	return b.String()
}

// isSign reports whether r is meaningful by itself, with or without spaces
// around it.
func isSign(r, after rune) bool {
	switch r {
	case '~', '|': // decoration
		return false
	case '%':
		return true
	case '!':
		return after == '='
	}
	return unicode.IsSymbol(r) && unicode.In(r, unicode.Sm, unicode.Sc)
}

func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.No)
}

// Invisible characters do not separate words either.
func invisible(r rune) bool {
	return r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Variation_Selector)
}

// joins reports whether r is dropped within a word.
func joins(r rune) bool { return r == '\'' || r == '’' }

// counts reports whether a punctuation character changes the meaning.
func counts(before, r, after rune) bool {
	switch r {
	case '-', '−', '‐': // a sign
		return unicode.IsDigit(after) && !isWord(before)
	case '.', ',', ':', '/': // in a number
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	case '#':
		return unicode.IsLetter(before)
	}
	return false
}
