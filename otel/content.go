package otel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
)

// maxContent is the maximum number of bytes recorded of one signal, message or
// error.
const maxContent = 4096

// capture returns the part of a signal's content that may be recorded, as JSON.
// Each value is passed to Options.Content before it is encoded: a secret
// escaped by JSON no longer looks like one. A payload that describes itself in a sentence
// is recorded as that.
func (o *Observer) capture(s signals.Any) string {
	if text, ok := sentence(s.Body()); ok {
		return clip(o.content(s.Kind(), "", text))
	}
	text, err := json.Marshal(s.Body())
	if err != nil {
		return ""
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // keeps the digits of numbers
	var value any
	if err := decoder.Decode(&value); err != nil {
		return ""
	}
	return clip(marshal(o.permitted(s.Kind(), "", value)))
}

// sentence returns how a payload describes itself, unless it cannot.
func sentence(p signals.Payload) (text string, ok bool) {
	defer func() { _ = recover() }()
	if p, is := p.(fmt.Stringer); is {
		return p.String(), true
	}
	return "", false
}

// permitted returns a JSON value with only the permitted part of each scalar;
// field is its path.
func (o *Observer) permitted(k signals.Kind, field string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		all := make(map[string]any, len(v))
		for key, inner := range v {
			// A key of a map may hold a secret, too.
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

// marshal returns readable JSON, in which "<" is not escaped.
func marshal(value any) string {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if encoder.Encode(value) != nil {
		return ""
	}
	return strings.TrimSuffix(text.String(), "\n")
}

func clip(s string) string { return text.Cut(s, maxContent) }

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
