package said

import (
	"bytes"
	"encoding/json"
	"strings"
)

// inWords describes a payload that does not describe itself: the members of its JSON that
// say something, in their order: empty ones are left out.
func inWords(payload any) string {
	text, err := json.Marshal(payload)
	if err != nil {
		return err.Error()
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.UseNumber()
	if first, err := in.Token(); err != nil || first != json.Delim('{') {
		return string(text)
	}
	var all []string
	for in.More() {
		name, _ := in.Token()
		var value any
		if err := in.Decode(&value); err != nil {
			return string(text)
		}
		if said := words(value); said != "" {
			all = append(all, name.(string)+": "+said)
		}
	}
	return strings.Join(all, ", ")
}

// words describes a value of JSON, or returns "" if it says nothing.
func words(value any) string {
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return v
	case []any:
		var all []string
		for _, each := range v {
			if said := words(each); said != "" {
				all = append(all, said)
			}
		}
		return strings.Join(all, "; ")
	default:
		text, _ := json.Marshal(v)
		return string(text)
	}
}
