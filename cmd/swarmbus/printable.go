package main

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// A printable writes JSON and escapes what a terminal would obey or hide, such as
// U+009B and U+202E, which is the same JSON: such characters are in strings only.
// Each Write has to end with a character.
type printable struct{ w io.Writer }

func (p printable) Write(text []byte) (int, error) {
	out := make([]byte, 0, len(text))
	for rest := text; len(rest) > 0; {
		r, n := utf8.DecodeRune(rest)
		switch a, b := utf16.EncodeRune(r); {
		case r == '\n' || unicode.IsPrint(r) && r != utf8.RuneError:
			out = append(out, rest[:n]...)
		case a != utf8.RuneError:
			out = fmt.Appendf(out, `\u%04x\u%04x`, a, b)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		rest = rest[n:]
	}
	if _, err := p.w.Write(out); err != nil {
		return 0, err
	}
	return len(text), nil
}
