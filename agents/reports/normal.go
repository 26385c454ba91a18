package reports

import (
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// normal normalizes a text for comparison. It ignores case, forms of the same
// character (NFKC), letters of other scripts that look the same, white space, invisible characters, decoration such as bullets,
// list numbers, quote signs and tags, and punctuation. It keeps letters, digits,
// mathematical signs between words or at a number, currency signs at a number, and
// punctuation that is part of a number or an operator, such as in -1, 3.5, 50%, !=, C#
// and C++. Words stay separated.
func normal(text string) string {
	text = sameSigns.Replace(strings.Map(visible, text))                                                                 // before NFKC, which they keep from composing
	all := []rune("\x00\x00" + strings.Map(visible, framing.ReplaceAllString(norm.NFKC.String(text), " ")) + "\x00\x00") // so that each has neighbours
	last := len(all) - 1                                                                                                 // the last word character
	for last >= 0 && !isWord(all[last]) {
		last--
	}
	var b strings.Builder
	b.Grow(len(text))
	apart := false // whether a space precedes the next character
	for i := 2; i < len(all)-2; i++ {
		before, r, after := all[i-1], all[i], all[i+1]
		sign := isSign(all, i, b.Len() > 0 && i < last)
		switch {
		case r == '\'' && isWord(before) && isWord(after):
		case sign, isWord(r), counts(before, r, after):
			if (apart || sign) && b.Len() > 0 {
				b.WriteByte(' ')
			}
			b.WriteRune(skeleton(unicode.ToLower(unicode.ToUpper(r)), isLatin(before) || isLatin(after)))
			apart = sign
		default:
			apart = true
		}
	}
	return b.String()
}

// skeleton returns the Latin letter that a lower-case letter of another script looks
// like, in lower or upper case (UTS #39, of which these are the letters of words). A
// Greek letter by itself is a symbol: only beside Latin letters is it one of them.
func skeleton(r rune, besideLatin bool) rune {
	if latin, like := lookAlikes[r]; like && (besideLatin || !unicode.Is(unicode.Greek, r)) {
		return latin
	}
	return r
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

// lookAlikes are letters of Cyrillic, Greek and the phonetic alphabet. μ is not among
// them: it is a unit's.
var lookAlikes = map[rune]rune{
	'а': 'a', 'в': 'b', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'н': 'h', 'һ': 'h', 'і': 'i', 'ј': 'j', 'к': 'k', 'ӏ': 'l', 'м': 'm',
	'о': 'o', 'р': 'p', 'ԛ': 'q', 'ѕ': 's', 'т': 't', 'ԝ': 'w', 'х': 'x', 'у': 'y',
	'α': 'a', 'ι': 'i', 'κ': 'k', 'ν': 'n', 'ο': 'o', 'ρ': 'p', 'τ': 't', 'υ': 'y', 'χ': 'x',
	'ɑ': 'a', 'ɡ': 'g', 'ı': 'i',
}

// sameSigns maps characters that are written for one another.
var sameSigns = strings.NewReplacer(
	"\u02bc", "'", "\u2018", "'", "\u2019", "'", "\u00b4", "'", "ß", "ss", "ẞ", "ss",
	"\u2010", "-", "\u2011", "-", "\u2012", "-", "\u2013", "-", "\u2212", "-",
)

// framing is the number of a list item at the beginning, and tags of HTML.
var framing = regexp.MustCompile(`(?i)^[\s>*+-]*\d+[.)]\s+|</?(?:b|i|u|s|p|q|em|strong|code|pre|br|li|ul|ol|tt|h[1-6]|span|div|mark|small|sub|sup|del|ins|blockquote)\s*/?>`)

// visible is a mapping that drops characters which are not seen, or drawn over
// others. They do not separate words either.
func visible(r rune) rune {
	switch {
	case r > unicode.MaxASCII && unicode.In(r, unicode.Cf, unicode.Me, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point),
		unicode.IsControl(r) && !unicode.IsSpace(r), '\u0334' <= r && r <= '\u0337':
		return -1
	}
	return r
}

// isSign reports whether all[i] is meaningful by itself, with or without spaces
// around it. Between says that there are words before and behind it.
func isSign(all []rune, i int, between bool) bool {
	r, before, after := all[i], all[i-1], all[i+1]
	switch {
	case r == '%':
		return true
	case r == '!':
		return after == '='
	case unicode.Is(unicode.Sc, r):
		return unicode.IsDigit(after) || unicode.IsDigit(before) ||
			unicode.IsSpace(before) && unicode.IsDigit(all[i-2]) || unicode.IsSpace(after) && unicode.IsDigit(all[i+2])
	case !unicode.Is(unicode.Sm, r), strings.ContainsRune("~|∙⋅", r), '←' <= r && r <= '⇿': // decoration
		return false
	case before == r && all[i-2] == r: // a line of them
		return false
	}
	return between || unicode.IsDigit(after) || r == '+' && (isWord(before) || before == r && isWord(all[i-2]))
}

func isWord(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.Nd, unicode.Nl, unicode.No)
}

// counts reports whether a punctuation character changes the meaning.
func counts(before, r, after rune) bool {
	switch r {
	case '-': // a sign
		return unicode.IsDigit(after) && !isWord(before)
	case '.', ',', ':', '/': // in a number
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	case '#':
		return unicode.IsLetter(before)
	}
	return false
}
