package asking

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/internal/text"
)

// Show returns arguments as a person reads them, made from the bytes that the tool gets: every
// member in its place, numbers as they are written, and strings as any reader of JSON takes them,
// in which what cannot be seen or changes the direction of writing is escaped. A line of a string
// is a line, which begins with "| " unless it is the first one. What is short is on one line.
//
// Its error says why arguments have no one meaning: they are not JSON, a member is there twice,
// a string is not Unicode, or they are nested too deeply to be read.
func Show(args string) (string, error) {
	switch {
	case !utf8.ValidString(args):
		return "", &unclear{"not UTF-8"}
	case !json.Valid([]byte(args)):
		return "", &unclear{"not JSON"}
	}
	w := &walk{in: args}
	line, err := w.value("", false)
	if err != nil || len(line) <= short && !strings.Contains(line, "\n") {
		return line, err
	}
	w.at = 0
	return w.value("\n", true)
}

const (
	short   = 72  // bytes of arguments on one line
	deepest = 100 // values within values
)

// An unclear says why arguments have no one meaning.
type unclear struct{ why string }

func (e *unclear) Error() string { return "the arguments are unclear: " + e.why }

// A walk goes through valid JSON.
type walk struct {
	in   string
	at   int
	deep int
}

// value returns the next value, whose lines begin with a break; wide says that it has lines.
func (w *walk) value(line string, wide bool) (string, error) {
	switch w.next() {
	case '{', '[':
		return w.all(line, wide)
	case '"':
		_, shown, err := w.text(line)
		return shown, err
	}
	from := w.at
	for w.at < len(w.in) && !strings.ContainsRune(",]} \t\r\n", rune(w.in[w.at])) {
		w.at++
	}
	return w.in[from:w.at], nil
}

// next returns the byte at which the next token begins.
func (w *walk) next() byte {
	for strings.IndexByte(" \t\r\n", w.in[w.at]) >= 0 {
		w.at++
	}
	return w.in[w.at]
}

// all returns the object or array that begins here.
func (w *walk) all(line string, wide bool) (string, error) {
	if w.deep++; w.deep > deepest {
		return "", &unclear{fmt.Sprintf("nested deeper than %d", deepest)}
	}
	opens := w.in[w.at]
	closes := opens + 2
	var b strings.Builder
	b.WriteByte(opens)
	inner, colon := "", ":"
	if wide {
		inner, colon = line+"  ", ": "
	}
	names := map[string]bool{}
	for w.at++; w.next() != closes; {
		if w.in[w.at] == ',' {
			b.WriteByte(',')
			w.at++
			w.next()
		}
		b.WriteString(inner)
		if opens == '{' {
			name, shown, err := w.text("")
			switch {
			case err != nil:
				return "", err
			case names[name]:
				return "", &unclear{fmt.Sprintf("the member %s is there twice", text.Quote(name, 80))}
			}
			names[name] = true
			b.WriteString(shown + colon)
			w.next()
			w.at++ // the colon
		}
		shown, err := w.value(inner, wide)
		if err != nil {
			return "", err
		}
		b.WriteString(shown)
	}
	w.at++
	w.deep--
	if wide && b.Len() > 1 {
		b.WriteString(line)
	}
	b.WriteByte(closes)
	return b.String(), nil
}

// text returns the string that begins here, and how it is shown; with a break on several lines.
func (w *walk) text(line string) (said, shown string, err error) {
	from := w.at
	for w.at++; w.in[w.at] != '"'; w.at++ {
		if w.in[w.at] != '\\' {
			continue
		}
		if w.at++; w.in[w.at] == 'u' && !w.pairs() {
			return "", "", &unclear{"half of a surrogate pair"}
		}
	}
	w.at++
	if err := json.Unmarshal([]byte(w.in[from:w.at]), &said); err != nil {
		return "", "", err
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	_ = out.Encode(said) // a string always can be
	shown = string(text.JSON(bytes.TrimSuffix(b.Bytes(), []byte("\n"))))
	if line != "" {
		shown = lined(shown, line+"| ")
	}
	return said, shown, nil
}

// pairs reports whether the escape whose u is here is a character, and skips the second half of one.
func (w *walk) pairs() bool {
	r := w.escaped(w.at)
	switch {
	case !utf16.IsSurrogate(r):
		return true
	case w.at+10 >= len(w.in) || w.in[w.at+5:w.at+7] != `\u` || utf16.DecodeRune(r, w.escaped(w.at+6)) == utf8.RuneError:
		return false
	}
	w.at += 10
	return true
}

// escaped returns the number after the u at a place.
func (w *walk) escaped(at int) rune {
	r, _ := strconv.ParseUint(w.in[at+1:at+5], 16, 16) // it is valid
	return rune(r)
}

// lined breaks a string in JSON behind each of its newlines but the last.
func lined(s, line string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		b.WriteByte(s[i])
		if s[i] != '\\' {
			continue
		}
		i++
		b.WriteByte(s[i])
		if s[i] == 'n' && i+2 < len(s) {
			b.WriteString(line)
		}
	}
	return b.String()
}
