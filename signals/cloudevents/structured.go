package cloudevents

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/signals"
)

// Content types of what [Structured] and [Batch] write.
const (
	StructuredType = "application/cloudevents+json"
	BatchType      = "application/cloudevents-batch+json"
)

// Structured writes a signal as one JSON object.
func Structured(s signals.Any) ([]byte, error) {
	data, err := signals.MarshalPayload(s)
	if err != nil {
		return nil, err
	}
	all, err := attributesOf(s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteByte('{')
	for _, a := range all {
		value, err := json.Marshal(a.value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s,", a.name, value)
	}
	b.WriteString(`"data":`)
	b.Write(data)
	b.WriteByte('}')
	return b.Bytes(), nil
}

// Batch writes signals as a JSON array.
func Batch(all []signals.Any) ([]byte, error) {
	events := make([][]byte, len(all))
	for i, s := range all {
		var err error
		if events[i], err = Structured(s); err != nil {
			return nil, err
		}
	}
	return append(append([]byte{'['}, bytes.Join(events, []byte{','})...), ']'), nil
}

// ReadStructured reads what [Structured] wrote.
func (c Codec) ReadStructured(event []byte) (signals.Any, error) {
	if !utf8.Valid(event) { // encoding/json would replace it
		return nil, &signals.FieldError{Field: "event", Problem: "not UTF-8"}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(event, &members); err != nil {
		return nil, &signals.FieldError{Field: "event", Value: string(event[:min(len(event), 64)]), Problem: "not a JSON object"}
	}
	var wrong error
	k, h, err := headerOf(func(name string) (text string) {
		if value, ok := members[name]; ok && json.Unmarshal(value, &text) != nil && wrong == nil {
			wrong = &signals.FieldError{Field: name, Value: string(value[:min(len(value), 64)]), Problem: "not a string"}
		}
		return text
	})
	if wrong != nil {
		return nil, wrong
	}
	if err != nil {
		return nil, err
	}
	return c.signals().UnmarshalPayload(k, h, members["data"])
}

// ReadBatch reads what [Batch] wrote.
func (c Codec) ReadBatch(events []byte) ([]signals.Any, error) {
	if !utf8.Valid(events) {
		return nil, &signals.FieldError{Field: "batch", Problem: "not UTF-8"}
	}
	var each []json.RawMessage
	if err := json.Unmarshal(events, &each); err != nil {
		return nil, &signals.FieldError{Field: "batch", Value: string(events[:min(len(events), 64)]), Problem: "not a JSON array"}
	}
	all := make([]signals.Any, len(each))
	for i, event := range each {
		var err error
		if all[i], err = c.ReadStructured(event); err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
	}
	return all, nil
}
