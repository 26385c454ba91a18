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

	"github.com/swarmbus/swarmbus/internal/items"
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

// eachItem calls do for each value of the arrays that a file is, with the line where it
// begins.
func (im *Import) eachItem(file string, r io.Reader, do func(line int, text []byte) error) error {
	all, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	line, counted := 1, 0
	here := func(at int) int {
		line, counted = line+bytes.Count(all[counted:at], []byte("\n")), at
		return line
	}
	at := items.Space(all, 0)
	for first := true; first || at < len(all); first = false {
		switch {
		case at < len(all) && all[at] == '[':
		case first:
			return fmt.Errorf("%s:%d: not an array of JSON", file, here(at))
		default:
			return fmt.Errorf("%s:%d: text behind the array; the rest of the file was not read", file, here(at))
		}
		var wrong error // what do returns
		end, err := items.Each(all, at, func(at int, text []byte) error {
			wrong = do(here(at), text)
			return wrong
		})
		switch {
		case wrong != nil:
			return wrong
		case err != nil:
			return fmt.Errorf("%s:%d: %w; the rest of the file was not read", file, here(end), err)
		}
		at = items.Space(all, end)
	}
	return nil
}
