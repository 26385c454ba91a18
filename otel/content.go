package otel

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/signals"
)

// maxContent is how much of one signal, message or error is recorded, in bytes.
const maxContent = 4096

// capture returns what of a signal's content may be recorded, as JSON. Each
// value goes through Options.Content before it is part of JSON: a secret
// that JSON has escaped does not look like one any more.
func (o *Observer) capture(s signals.Any) string {
	text, err := json.Marshal(s.Body())
	if err != nil {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // digits stay as they were said
	var value any
	if err := decoder.Decode(&value); err != nil {
		return ""
	}
	return clip(marshal(o.permitted(s.Kind(), "", value)))
}

// permitted returns a JSON value with what may be recorded of each of its
// scalars; field is its path.
func (o *Observer) permitted(k signals.Kind, field string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, inner := range v {
			// A name may hold a secret, too: that of a map, say.
			all[o.content(k, field, key)] = o.permitted(k, strings.TrimPrefix(field+"."+key, "."), inner)
		}
		return all
	case []any:
		all := make([]any, len(v))
		for i, inner := range v {
			all[i] = o.permitted(k, field, inner)
		}
		return all
	case string:
		return o.content(k, field, v)
	case json.Number:
		if text := o.content(k, field, v.String()); text != v.String() {
			return text
		}
	}
	return value
}

// marshal returns JSON that a person can read: "<" stays "<".
func marshal(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return ""
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func clip(text string) string {
	if len(text) <= maxContent {
		return text
	}
	end := maxContent
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// messages returns one message in the form of the conventions.
func (o *Observer) messages(role, finish string, k signals.Kind, path, text string) string {
	type part struct {
		Type    string `json:"type"`
		Content string `json:"content"`
	}
	type message struct {
		Role   string `json:"role"`
		Parts  []part `json:"parts"`
		Finish string `json:"finish_reason,omitempty"`
	}
	return marshal([]message{{role, []part{{"text", clip(o.content(k, path, text))}}, finish}})
}
