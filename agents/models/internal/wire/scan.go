package wire

import (
	"bytes"
	"encoding/json"
)

// fields returns the members of a valid object. Package json does the same in three times the time,
// which was a quarter of what a call took.
func fields(object json.RawMessage) Object {
	o, name := make(Object, 8), json.RawMessage(nil)
	elements(object, func(one json.RawMessage) {
		if name == nil {
			name = one
			return
		}
		key := string(name[1 : len(name)-1])
		for i := range len(key) {
			if key[i] == '\\' || key[i] >= 0x80 {
				_ = json.Unmarshal(name, &key)
				break
			}
		}
		o[key], name = one, nil
	})
	return o
}

// elements calls f with each value in a valid list, and with each name and value in a valid object.
func elements(of json.RawMessage, f func(json.RawMessage)) {
	for at := 1; at < len(of)-1; {
		switch of[at] {
		case ' ', '\t', '\n', '\r', ',', ':', ']', '}':
			at++
			continue
		}
		end := at + width(of[at:])
		f(of[at:end:end])
		at = end
	}
}

// width returns how long the value is that a valid text begins with.
func width(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
			if depth == 0 {
				return i + 1
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth <= 0 {
				return i + min(depth+1, 1)
			}
		default:
			if depth == 0 && i > 0 && bytes.IndexByte([]byte(" \t\n\r,:"), text[i]) >= 0 {
				return i
			}
		}
	}
	return len(text)
}
