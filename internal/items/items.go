package items

import (
	"bytes"
	"errors"
	"fmt"
)

// errOpen says that an array does not end.
var errOpen = errors.New("the array does not end")

// Each calls do with each element of the array that text[at] opens, without the space around
// it, and with its offset in the text. An element is not checked, and may be empty. It returns
// the offset behind the array. If it returns an error, that is errOpen, what is wrong with
// the brackets or strings of the element at end, or the error of do.
func Each(text []byte, at int, do func(at int, element []byte) error) (end int, err error) {
	for first, last := true, false; !last; first = false {
		begin := Space(text, at+1)
		at, err = element(text, begin)
		if err != nil {
			return begin, err
		}
		one := bytes.TrimSpace(text[begin:at])
		last = at == len(text) || text[at] == ']'
		if len(one) > 0 || at < len(text) && (!first || !last) {
			if err := do(begin, one); err != nil {
				return begin, err
			}
		}
	}
	if at == len(text) {
		return at, errOpen
	}
	return at + 1, nil
}

// Space returns the offset of the first byte from at on that is no space, or the end.
func Space(text []byte, at int) int {
	for at < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[at]) >= 0 {
		at++
	}
	return min(at, len(text))
}

// element returns the offset of the comma or bracket that ends the element at an offset, or
// the end of the text.
func element(text []byte, at int) (int, error) {
	var open []byte
	for ; at < len(text); at++ {
		switch c := text[at]; c {
		case '"':
			n := quoted(text[at:])
			if n == 0 {
				return at, errors.New("a string that does not end in its line")
			}
			at += n - 1
		case '[', '{':
			open = append(open, c+2) // in ASCII, the bracket that closes it
		case ']', '}', ',':
			switch n := len(open); {
			case n == 0 && c != '}':
				return at, nil
			case c == ',':
			case n == 0 || open[n-1] != c:
				return at, fmt.Errorf("%q closes what is not open", c)
			default:
				open = open[:n-1]
			}
		}
	}
	if len(open) > 0 {
		return at, errOpen
	}
	return at, nil
}

// quoted returns the length of the string that a text begins with; 0 if it does not end in
// its line.
func quoted(text []byte) int {
	for i := 1; i < len(text) && text[i] != '\n'; i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}
