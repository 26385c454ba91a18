package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// An Object is a JSON object of which no member has to be there, or of the type that one
// expects: what is not, is zero.
type Object map[string]json.RawMessage

// ObjectOf returns the object that a value is; nil: it is none. The members are parts of the value.
func ObjectOf(value json.RawMessage) Object {
	if value = bytes.TrimSpace(value); len(value) == 0 || value[0] != '{' || !json.Valid(value) {
		return nil
	}
	return fields(value)
}

// Has reports whether there is a member that says something: not null, false, "", {} or [].
func (o Object) Has(name string) bool {
	switch string(o[name]) {
	case "", "null", "false", `""`, "{}", "[]":
		return false
	}
	return true
}

// Object returns the first of the members that is an object.
func (o Object) Object(names ...string) Object {
	for _, name := range names {
		if value := o[name]; len(value) > 0 && value[0] == '{' {
			return fields(value)
		}
	}
	return nil
}

// List returns the elements of a list. An object is a list of one.
func (o Object) List(name string) (all []json.RawMessage) {
	value := o[name]
	switch {
	case len(value) > 0 && value[0] == '{':
		return []json.RawMessage{value}
	case len(value) > 0 && value[0] == '[':
		all = []json.RawMessage{}
		elements(value, func(one json.RawMessage) { all = append(all, one) })
	}
	return all
}

// Text returns the first of the members that is a string and not empty. It may end within
// a character: see [Text].
func (o Object) Text(names ...string) string {
	for _, name := range names {
		if text := TextOf(o[name]); text != "" {
			return text
		}
	}
	return ""
}

// Label returns the first of the members that is a string or a number, as a text.
func (o Object) Label(names ...string) string {
	for _, name := range names {
		if text := TextOf(o[name]); text != "" {
			return Clean(text)
		}
		if _, err := strconv.ParseFloat(string(o[name]), 64); err == nil {
			return string(o[name])
		}
	}
	return ""
}

// Number returns the first of the members that is a number other than zero, or a string of
// one, rounded up.
func (o Object) Number(names ...string) int {
	for _, name := range names {
		text := strings.Trim(string(o[name]), `"`)
		if x, err := strconv.ParseFloat(text, 64); err == nil && x != 0 && !math.IsNaN(x) {
			return int(math.Ceil(min(max(x, -1e15), 1e15)))
		}
	}
	return 0
}

// TextOf returns the text of a value that is a string, else "". Unlike package json it keeps
// what may be a part of a character: bytes that are no UTF-8, and halves of a surrogate pair as
// three bytes of their own. [Clean] joins them.
func TextOf(value json.RawMessage) string {
	if len(value) < 2 || value[0] != '"' {
		return ""
	}
	value = value[1 : len(value)-1]
	if bytes.IndexByte(value, '\\') < 0 {
		return string(value)
	}
	text := make([]byte, 0, len(value))
	for i := 0; i < len(value); i++ {
		if value[i] != '\\' || i+1 >= len(value) {
			text = append(text, value[i])
			continue
		}
		i++
		switch c := value[i]; c {
		case 'u':
			code, _ := strconv.ParseUint(string(value[i+1:min(i+5, len(value))]), 16, 16)
			text, i = appendUnit(text, rune(code)), i+4
		case 'b', 'f', 'n', 'r', 't':
			text = append(text, "\b\f\n\r\t"[strings.IndexByte("bfnrt", c)])
		default:
			text = append(text, c)
		}
	}
	return string(text)
}

// appendUnit appends a unit of UTF-16.
func appendUnit(text []byte, unit rune) []byte {
	if unit >= 0xD800 && unit < 0xE000 {
		return append(text, 0xED, 0x80|byte(unit>>6&0x3F), 0x80|byte(unit&0x3F))
	}
	return utf8.AppendRune(text, unit)
}

// half returns the first (0xD800) or second (0xDC00) half of a surrogate pair that a text
// begins with; 0: it begins with none.
func half(text string) (kind, bits rune) {
	if len(text) < 3 || text[0] != 0xED || text[1] < 0xA0 || text[1] > 0xBF || text[2]&0xC0 != 0x80 {
		return 0, 0
	}
	unit := 0xD000 | rune(text[1]&0x3F)<<6 | rune(text[2]&0x3F)
	return unit &^ 0x3FF, unit & 0x3FF
}

// Clean returns a text with its characters joined, and U+FFFD for what belongs to none.
func Clean(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	var to strings.Builder
	for text != "" {
		first, high := half(text)
		if first == 0xD800 {
			if second, low := half(text[3:]); second == 0xDC00 {
				to.WriteRune(0x10000 + high<<10 + low)
				text = text[6:]
				continue
			}
		}
		n := 3
		if first == 0 {
			_, n = utf8.DecodeRuneInString(text)
			to.WriteString(text[:n])
		} else {
			to.WriteRune(utf8.RuneError)
		}
		text = text[n:]
	}
	return strings.ToValidUTF8(to.String(), string(utf8.RuneError))
}

// A Text is a text that arrives in pieces, each of which may end within a character.
type Text struct {
	all  strings.Builder
	held string // the end, as far as it is part of a character
}

// Add adds a piece, and returns what is complete of it and of what was held.
func (t *Text) Add(piece string) string {
	t.all.WriteString(piece)
	text := t.held + piece
	end := len(text)
	for i := 1; i <= min(3, end); i++ {
		start := text[end-i:]
		if kind, _ := half(start); kind == 0xD800 || utf8.RuneStart(start[0]) && !utf8.FullRuneInString(start) {
			end -= i
			break
		}
	}
	t.held = text[end:]
	return Clean(text[:end])
}

// Rest returns what is held, when no piece will follow.
func (t *Text) Rest() string {
	rest := t.held
	t.held = ""
	return Clean(rest)
}

// String returns the text.
func (t *Text) String() string { return Clean(t.all.String()) }

// Raw returns the text as it arrived.
func (t *Text) Raw() string { return t.all.String() }
