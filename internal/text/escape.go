package text

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Printable returns a text on one line, in which everything is escaped that a terminal would
// act on or not show: control characters, characters that change the direction of writing, and
// invisible ones. White space becomes spaces, and what is not UTF-8 becomes U+FFFD.
func Printable(s string) string {
	if !strings.ContainsFunc(s, func(r rune) bool { return !shows(r) }) {
		return s
	}
	var b strings.Builder
	var before rune
	for _, r := range s {
		switch {
		case unicode.IsSpace(r):
			b.WriteByte(' ')
		case shows(r), r == utf8.RuneError, selectsForm(before, r):
			b.WriteRune(r)
		default:
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		}
		before = r
	}
	return b.String()
}

// Lines returns a text of several lines as [Printable] returns each of them.
func Lines(s string) string {
	var all []string
	for line := range strings.Lines(s) {
		all = append(all, Printable(strings.TrimRight(line, "\r\n")))
	}
	return strings.Join(all, "\n")
}

// Line returns a text on one line as [Printable] does, with single spaces between its words and
// none around them.
func Line(s string) string { return Printable(strings.Join(strings.Fields(s), " ")) }

// Quote returns a text, cut to most bytes, in quotation marks as strconv.Quote does, with
// invisible characters escaped, too.
func Quote(s string, most int) string { return Printable(strconv.Quote(Cut(s, most))) }

// JSON returns the same JSON, in which everything that is not visible is escaped. Outside of
// strings, JSON has none of that but line breaks, which stay.
func JSON(raw []byte) []byte {
	out := make([]byte, 0, len(raw))
	for _, r := range string(raw) {
		high, low := utf16.EncodeRune(r)
		switch {
		case shows(r), r == '\n':
			out = utf8.AppendRune(out, r)
		case high != utf8.RuneError:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
	}
	return out
}

// roleMark matches the role markers of some models' vocabularies, apart from those in angle
// brackets, which encoding/json escapes.
var roleMark = regexp.MustCompile(`\[(/?[A-Z_]+\])`)

// Prompt returns a text, cut to most bytes, as a JSON string for a prompt: on one line, in which
// everything is escaped that is not visible or that a model could take for markup. A text with
// many escapes, which have six bytes and more, is cut further: with them it has at most twice as
// many bytes, beside the quotes and what says how much was cut.
func Prompt(s string, most int) string {
	const ends = 64 // bytes of the quotes and of what says how much was cut
	quoted := prompt(s, most)
	for cut := most; len(quoted) > 2*most+ends; quoted = prompt(s, cut) {
		cut = cut * most / len(quoted)
	}
	return quoted
}

func prompt(s string, most int) string {
	raw, _ := json.Marshal(Shorten(s, most)) // strings always marshal
	return string(PromptJSON(raw))
}

// PromptJSON returns JSON of encoding/json as [JSON] does, in which what a model could take for
// markup is escaped, too.
func PromptJSON(raw []byte) []byte { return roleMark.ReplaceAll(JSON(raw), []byte(`\u005b$1`)) }

// Blank reports whether a text has no character that can be seen.
func Blank(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r != ' ' && shows(r) })
}

// shows reports whether a character is seen as itself, or as the space that it is.
func shows(r rune) bool {
	const blankBraille = 0x2800 // counts as printable, and shows nothing
	return unicode.IsPrint(r) && r != utf8.RuneError && r != blankBraille &&
		!unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}

// selectsForm reports whether r says that the symbol before it is shown as text or as a
// picture, like in most emojis.
func selectsForm(before, r rune) bool {
	return (r == '\ufe0e' || r == '\ufe0f') && unicode.Is(unicode.So, before)
}
