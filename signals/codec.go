package signals

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
)

// A Codec reads signals from JSON. The zero Codec knows the built-in kinds
// and allows the default limits. A Codec may be used concurrently.
//
// Writing needs no codec: a *Signal[P] is a json.Marshaler. A payload is
// written as encoding/json writes it.
type Codec struct {
	Limits Limits

	decoders map[Kind]decoder // nil: the built-in kinds
}

// A Registration tells a codec the payload type of a kind; [For] makes it.
type Registration struct {
	kind   Kind
	decode decoder
	err    error
}

// Err returns why the payload type cannot be in a signal; nil if it can.
func (r Registration) Err() error { return r.err }

type decoder func(Header, json.RawMessage) (Any, error)

var builtIn = mustCodec(
	For[Task](), For[Discovery](), For[Proposal](), For[Doubt](), For[Challenge](), For[Vote](),
	For[Conflict](), For[Consensus](), For[Escalation](), For[Memory](), For[ToolResult](),
)

// For is the registration of payload type P for the kind that its zero value
// names.
func For[P Payload]() Registration {
	var zero P
	if problem := notValue[P](); problem != "" {
		return Registration{err: &FieldError{Field: "payload", Problem: problem}}
	}
	return Registration{kind: zero.Kind(), decode: decode[P], err: zero.Kind().check()}
}

// NewCodec returns a codec that knows the built-in kinds and the given ones.
// A payload type that is no value type and a kind that is taken are errors.
func NewCodec(kinds ...Registration) (*Codec, error) {
	return register(maps.Clone(builtIn.decoders), kinds)
}

func mustCodec(kinds ...Registration) *Codec {
	c, err := register(map[Kind]decoder{}, kinds)
	if err != nil {
		panic(err)
	}
	return c
}

func register(decoders map[Kind]decoder, kinds []Registration) (*Codec, error) {
	for _, r := range kinds {
		if r.err != nil {
			return nil, r.err
		}
		if _, taken := decoders[r.kind]; taken {
			return nil, &FieldError{Kind: r.kind, Field: "type", Value: clip(string(r.kind)), Problem: "registered twice"}
		}
		decoders[r.kind] = r.decode
	}
	return &Codec{decoders: decoders}, nil
}

// Unmarshal reads one signal with the zero [Codec].
func Unmarshal(data []byte) (Any, error) { return new(Codec).Unmarshal(data) }

// Unmarshal reads one signal: a *Signal[P] of the registered type, or a
// *Signal[[Raw]] for other kinds. What [Limits.Validate] refuses is refused
// here. Members that a known kind does not have are ignored, so that older
// programs read what newer ones write.
func (c *Codec) Unmarshal(data []byte) (Any, error) {
	var w wire
	if err := json.Unmarshal(data, &w); err != nil {
		return nil, decodeError("", "", data, err)
	}
	h, err := w.header()
	if err != nil {
		return nil, withKind(err, w.Type)
	}
	if len(w.Payload) == 0 || bytes.Equal(w.Payload, []byte("null")) {
		return nil, &FieldError{Kind: w.Type, Field: "payload", Problem: "required"}
	}
	s, err := c.payload(w.Type)(h, w.Payload)
	if err != nil {
		return nil, decodeError(w.Type, "payload", w.Payload, err)
	}
	if err := c.Limits.Validate(s); err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Codec) payload(k Kind) decoder {
	known := c.decoders
	if known == nil {
		known = builtIn.decoders
	}
	if d, ok := known[k]; ok {
		return d
	}
	return func(h Header, data json.RawMessage) (Any, error) {
		return &Signal[Raw]{h, Raw{k, string(data)}}, nil
	}
}

func decode[P Payload](h Header, data json.RawMessage) (Any, error) {
	s := &Signal[P]{Header: h}
	if err := json.Unmarshal(data, &s.Payload); err != nil {
		return nil, err
	}
	return s, nil
}

// decodeError turns what encoding/json says into a FieldError.
func decodeError(kind Kind, field string, data []byte, err error) error {
	var typed *json.UnmarshalTypeError
	var refused *FieldError
	switch {
	case errors.As(err, &refused):
		return withKind(refused, kind)
	case errors.As(err, &typed):
		if typed.Field != "" {
			field = typed.Field
		}
		return &FieldError{Kind: kind, Field: field, Value: typed.Value, Problem: fmt.Sprintf("not a %v", typed.Type)}
	default:
		if field == "" {
			field = "signal"
		}
		return &FieldError{Kind: kind, Field: field, Value: clip(string(data)), Problem: err.Error()}
	}
}

// MarshalJSON writes the signal with the names of the wire format. It refuses
// what [Validate] refuses but for the length of texts, which is the reader's
// and the log's to bound.
func (s *Signal[P]) MarshalJSON() ([]byte, error) {
	if err := s.check(Limits{TextBytes: -1}); err != nil {
		return nil, err
	}
	payload, err := json.Marshal(s.Payload)
	if err != nil {
		return nil, err
	}
	return json.Marshal(newWire(s.Payload.Kind(), s.Header, payload))
}

// UnmarshalJSON reads a signal of this kind; another kind is an error.
func (s *Signal[P]) UnmarshalJSON(data []byte) error {
	r := For[P]()
	if r.err != nil {
		return r.err
	}
	c := Codec{decoders: map[Kind]decoder{r.kind: r.decode}}
	read, err := c.Unmarshal(data)
	if err != nil {
		return err
	}
	typed, ok := As[P](read)
	if !ok {
		return &FieldError{Kind: read.Kind(), Field: "type", Value: clip(string(read.Kind())), Problem: fmt.Sprintf("not %q", r.kind)}
	}
	*s = *typed
	return nil
}
