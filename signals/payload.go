package signals

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// MarshalPayload writes the payload of a signal, as [Marshal] writes it within the
// signal, for formats that have places of their own for the header. It refuses what
// Marshal refuses.
func MarshalPayload(s Any) ([]byte, error) {
	if err := (Limits{TextBytes: -1}).Validate(s); err != nil {
		return nil, err
	}
	return s.payload()
}

func (s *Signal[P]) payload() ([]byte, error) {
	payload, err := marshalPayload(&s.Payload)
	if err != nil {
		return nil, fmt.Errorf("signals: payload of kind %q: %w", s.Kind(), err)
	}
	if isNull(payload) {
		return nil, &FieldError{Kind: s.Kind(), Field: "payload", Value: "null", Problem: "required"}
	}
	return payload, nil
}

// UnmarshalPayload reads the payload of a signal of kind k with header h, and refuses
// what [Codec.Unmarshal] refuses.
func (c *Codec) UnmarshalPayload(k Kind, h Header, payload []byte) (Any, error) {
	if !utf8.Valid(payload) {
		return nil, &FieldError{Kind: k, Field: "payload", Value: clipBytes(payload), Problem: "not UTF-8"}
	}
	if payload = bytes.TrimSpace(payload); isNull(payload) {
		return nil, &FieldError{Kind: k, Field: "payload", Problem: "required"}
	}
	h.Time = wallTime(h.Time)
	s, err := c.decoder(k)(h, k, payload)
	if err != nil {
		return nil, err
	}
	if err := c.Limits.Validate(s); err != nil {
		return nil, err
	}
	return s, nil
}
