package votes

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// A value is JSON that is looked at later; nil where there is none.
type value json.RawMessage

func (v *value) UnmarshalJSON(text []byte) error {
	*v = bytes.Clone(text)
	return nil
}

// scalar returns a string, a number as it is written or a truth value; "" for null and
// for nothing.
func (v value) scalar() (string, error) {
	switch {
	case len(v) == 0 || string(v) == "null":
		return "", nil
	case v[0] == '"':
		var text string
		err := json.Unmarshal(v, &text)
		return strings.TrimSpace(text), err
	case v[0] == '[':
		return "", errors.New("a list, not one value")
	case v[0] == '{':
		return "", errors.New("an object, not one value")
	default:
		return string(v), nil
	}
}

// list returns the values of an array; a value that is none is a list of itself.
func (v value) list() []value {
	var all []value
	if len(v) > 0 && v[0] == '[' && json.Unmarshal(v, &all) == nil {
		return all
	}
	return []value{v}
}

// decode is json.Unmarshal with errors in the words of a file, not of Go.
func decode(text []byte, into any) error {
	if !utf8.Valid(text) {
		return errors.New("not UTF-8")
	}
	err := json.Unmarshal(text, into)
	if wrong := (*json.UnmarshalTypeError)(nil); errors.As(err, &wrong) {
		what := wrong.Value
		if wrong.Field != "" {
			what += " in " + wrong.Field
		}
		return fmt.Errorf("a %s where there must be another type", what)
	}
	return err
}

// eachLine calls do for each line that is not blank.
func eachLine(r io.Reader, do func(line int, text []byte) error) error {
	in := bufio.NewReader(r)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if line == 1 {
			text = bytes.TrimPrefix(text, []byte("\ufeff"))
		}
		if text = bytes.TrimSpace(text); len(text) > 0 {
			if err := do(line, text); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// eachItem calls do for each value of the array that a file is, with the line where it
// begins.
func (im *Import) eachItem(file string, r io.Reader, do func(line int, text []byte) error) error {
	all, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	all = bytes.TrimPrefix(all, []byte("\ufeff"))
	in := json.NewDecoder(bytes.NewReader(all))
	line, counted := 1, 0
	here := func() int {
		at := int(in.InputOffset())
		for at < len(all) && strings.IndexByte(" \t\r\n,", all[at]) >= 0 {
			at++
		}
		line, counted = line+bytes.Count(all[counted:at], []byte("\n")), at
		return line
	}
	first, err := in.Token()
	if err != nil || first != json.Delim('[') {
		return fmt.Errorf("%s:%d: not an array of JSON", file, here())
	}
	for in.More() {
		at := here()
		var text json.RawMessage
		if err := in.Decode(&text); err != nil {
			return fmt.Errorf("%s:%d: %w; the rest of the file was not read", file, at, err)
		}
		if err := do(at, text); err != nil {
			return err
		}
	}
	if _, err := in.Token(); err != nil {
		return fmt.Errorf("%s:%d: %w; the array does not end", file, here(), err)
	}
	return nil
}
