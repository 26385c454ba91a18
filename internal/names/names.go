// Package names compares names as people read them.
package names

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Alike reports whether two names may be taken for each other: they are the same but for case, spaces
// around them, what cannot be seen, forms of a character (NFKC), and letters that look alike, such as
// Cyrillic а and Latin a, or l, I and 1.
func Alike(a, b string) bool {
	a, b = plain(a), plain(b)
	return strings.EqualFold(a, b) || strings.EqualFold(drawn.Replace(a), drawn.Replace(b))
}

// plain returns a name without what cannot be seen, in the letters that it looks like.
func plain(name string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r) || strings.ContainsRune(blanks, r) {
			return -1
		}
		return cmp.Or(looks[r], r)
	}, norm.NFKC.String(name)))
}

// blanks are letters and signs that nothing is drawn for.
const blanks = "\u2800\u115f\u1160\u3164\uffa0"

// drawn has what is drawn alike within an alphabet.
var drawn = strings.NewReplacer("I", "l", "1", "l", "|", "l", "0", "o", "O", "o", "rn", "m", "vv", "w")

// looks has letters of other alphabets with the Latin ones that they look like: the confusables of Unicode
// (UTS 39) among Cyrillic, Greek, Armenian and Cherokee letters.
var looks = func() map[rune]rune {
	all := map[rune]rune{}
	pairs := []rune("аaАAВBсcСCԁdеeЕEһhНHіiІIјjЈJКKМMоoОOрpРPԛqѕsЅSТTԝwхxХXуyУYΑAΒBΕEΖZΗHΙIΚKΜMΝNΟOοoΡPΤTΥYΧXνvόoıiɑaɡgւiօoսuոnցqԍGᎪAᏴBᏟCᎠDᎬEᎻHᎫJᏦKᏞLᎷMᏢPᏒRᏚSᎢTᏙVᎳWᏃZкk")
	for i := 0; i < len(pairs); i += 2 {
		all[pairs[i]] = pairs[i+1]
	}
	return all
}()
