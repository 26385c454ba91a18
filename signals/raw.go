package signals

import (
	"encoding/json"
	"strings"
)

// Raw is the payload of a kind that the reader does not know: its JSON, byte
// for byte, so that it can be kept, shown and passed on.
type Raw struct {
	Type Kind
	JSON string // one value, not null, without white space around it
}

// rawDepth leaves room for what a signal may be wrapped in: encoding/json
// refuses to read more than 10000 levels of nesting, so a deeper Raw could be
// written but never read again.
const rawDepth = 1000

// Kind returns the kind that the payload arrived with.
func (r Raw) Kind() Kind { return r.Type }

// Check implements [Checker]. It refuses built-in kinds, which would escape the
// checks of their own types. The length of the JSON is limited like that of one
// text, its nesting to 1000 levels.
func (r Raw) Check(l Limits) error {
	if r.Type.BuiltIn() {
		return &FieldError{Field: "payload", Value: clip(r.JSON), Problem: "a built-in kind as raw JSON"}
	}
	if err := l.Required("payload", r.JSON); err != nil {
		return err
	}
	if problem := rawProblem(r.JSON); problem != "" {
		return &FieldError{Field: "payload", Value: clip(r.JSON), Problem: problem}
	}
	return nil
}

func rawProblem(text string) string {
	const space = " \t\r\n"
	switch {
	case !json.Valid([]byte(text)):
		return "not JSON"
	case text == "null":
		return "null"
	case strings.Trim(text, space) != text:
		return "has white space around it"
	case depth(text) > rawDepth:
		return "nested too deeply"
	}
	return ""
}

// depth returns how deeply arrays and objects are nested in valid JSON.
func depth(text string) int {
	open, most := 0, 0
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			open++
			most = max(most, open)
		case c == ']' || c == '}':
			open--
		}
	}
	return most
}

// MarshalJSON returns the JSON unchanged.
func (r Raw) MarshalJSON() ([]byte, error) { return []byte(r.JSON), nil }
