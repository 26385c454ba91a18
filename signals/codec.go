package signals

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Codec reads signals from JSON. The zero Codec knows the built-in kinds
// and allows the default limits. A Codec may be used concurrently.
//
// Writing needs no codec: see [Marshal].
type Codec struct {
	Limits Limits

	decoders map[Kind]decoder // nil: the built-in kinds
}

// A Registration tells a codec the payload type of a kind; [For] makes it.
// The zero Registration is refused.
type Registration struct {
	kind   Kind
	decode decoder
	err    error
}

// Err returns why the payload type cannot be in a signal; nil if it can.
func (r Registration) Err() error { return r.err }

type decoder func(Header, Kind, json.RawMessage) (Any, error)

var builtIn = mustCodec(
	For[Task](), For[Discovery](), For[Proposal](), For[Doubt](), For[Challenge](), For[Vote](),
	For[Conflict](), For[Consensus](), For[Escalation](), For[Memory](), For[ToolResult](),
)

// For returns the registration of payload type P for the kind that its zero
// value names.
func For[P Payload]() Registration {
	if err := checkType[P](); err != nil {
		return Registration{err: err}
	}
	var zero P
	return Registration{kind: zero.Kind(), decode: decode[P], err: zero.Kind().check()}
}

// NewCodec returns a codec that knows the built-in kinds and the given ones. It
// returns an error for a payload type that is not a value type and for a kind
// that is already registered.
func NewCodec(kinds ...Registration) (*Codec, error) {
	return register(maps.Clone(builtIn.decoders), kinds)
}

// Kinds returns the kinds that the codec knows, sorted.
func (c *Codec) Kinds() []Kind { return slices.Sorted(maps.Keys(c.decoders)) }

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
		if r.decode == nil {
			return nil, &FieldError{Field: "type", Problem: "not made by For"}
		}
		if _, taken := decoders[r.kind]; taken {
			return nil, &FieldError{Kind: r.kind, Field: "type", Value: string(r.kind), Problem: "registered twice"}
		}
		decoders[r.kind] = r.decode
	}
	return &Codec{decoders: decoders}, nil
}

// Unmarshal reads one signal with the zero [Codec].
func Unmarshal(data []byte) (Any, error) { return new(Codec).Unmarshal(data) }

// Unmarshal reads one signal: a *Signal[P] of the registered type, or a
// *Signal[[Raw]] for other kinds. It refuses what [Limits.Validate] refuses, a
// missing or null payload, and bytes that are not UTF-8. Every error except a
// [Checker]'s own is a [*FieldError]. The signal keeps no reference to data.
//
// Unknown members are ignored, so that older programs can read what newer ones
// write; a missing number is 0. As everywhere in encoding/json, names match
// case-insensitively and the last of several duplicates wins. Duplicates are
// not passed on: a signal that is read and written again has each name once.
func (c *Codec) Unmarshal(data []byte) (Any, error) {
	w, h, err := readWire(data)
	if err != nil {
		return nil, err
	}
	s, err := c.decoder(w.Type)(h, w.Type, w.Payload)
	if err != nil {
		return nil, err
	}
	if err := c.Limits.Validate(s); err != nil {
		return nil, err
	}
	return s, nil
}

func (c *Codec) decoder(k Kind) decoder {
	known := c.decoders
	if known == nil {
		known = builtIn.decoders
	}
	if d, ok := known[k]; ok {
		return d
	}
	return decode[Raw]
}

// readWire reads everything except the payload, which it requires but does not
// decode.
func readWire(data []byte) (*wire, Header, error) {
	// encoding/json would replace invalid UTF-8 with U+FFFD.
	if !utf8.Valid(data) {
		return nil, Header{}, &FieldError{Field: "signal", Value: clipBytes(data), Problem: "not UTF-8"}
	}
	w := new(wire)
	if err := json.Unmarshal(data, w); err != nil {
		refused := decodeError[wire]("signal", data, err)
		refused.Field = strings.TrimPrefix(refused.Field, "metadata.")
		return nil, Header{}, refused
	}
	if err := w.Type.check(); err != nil {
		return nil, Header{}, err
	}
	h, err := w.header()
	if err != nil {
		return nil, Header{}, withKind(err, w.Type)
	}
	if isNull(w.Payload) {
		return nil, Header{}, &FieldError{Kind: w.Type, Field: "payload", Problem: "required"}
	}
	return w, h, nil
}

func decode[P Payload](h Header, kind Kind, data json.RawMessage) (Any, error) {
	s := &Signal[P]{Header: h}
	if raw, ok := any(&s.Payload).(*Raw); ok {
		*raw = Raw{Type: kind, JSON: string(data)}
		return s, nil
	}
	if want := s.Payload.Kind(); kind != want {
		return nil, &FieldError{Kind: kind, Field: "type", Value: string(kind), Problem: fmt.Sprintf("not %q", want)}
	}
	if err := json.Unmarshal(data, &s.Payload); err != nil {
		return nil, withKind(decodeError[P]("payload", data, err), kind)
	}
	return s, nil
}

// Marshal writes one signal so that [Codec.Unmarshal] reads an equal one. It
// refuses what [Validate] refuses, except that it does not limit the length of
// texts: the reader and the log do that. A payload is written as encoding/json
// writes it, and a [Raw] payload byte for byte, line breaks included.
// json.Marshal of a signal writes the same, except that it compacts a Raw
// payload into one line.
func Marshal(s Any) ([]byte, error) {
	if err := (Limits{TextBytes: -1}).Validate(s); err != nil {
		return nil, err
	}
	return s.marshal()
}

// MarshalJSON is [Marshal].
func (s *Signal[P]) MarshalJSON() ([]byte, error) { return Marshal(s) }

func (s *Signal[P]) marshal() ([]byte, error) {
	payload, err := s.payload()
	if err != nil {
		return nil, err
	}
	head, err := json.Marshal(newWire(s.Kind(), s.Header))
	if err != nil {
		return nil, err
	}
	// encoding/json would compact the payload, twice, so it is appended by
	// hand.
	out := make([]byte, 0, len(head)+len(`,"payload":`)+len(payload))
	out = append(out, head[:len(head)-1]...)
	out = append(out, `,"payload":`...)
	out = append(out, payload...)
	return append(out, '}'), nil
}

// marshalPayload takes a pointer because the methods that json.Unmarshal uses
// may have pointer receivers, and then so may those that json.Marshal uses.
func marshalPayload(p any) ([]byte, error) {
	if raw, ok := p.(*Raw); ok {
		return []byte(raw.JSON), nil
	}
	return json.Marshal(p)
}

func isNull(payload []byte) bool { return len(payload) == 0 || string(payload) == "null" }

// UnmarshalJSON reads a signal of this kind, or for [Raw] of any kind that is
// not built in, within the default limits.
func (s *Signal[P]) UnmarshalJSON(data []byte) error {
	if err := checkType[P](); err != nil {
		return err
	}
	w, h, err := readWire(data)
	if err != nil {
		return err
	}
	read, err := decode[P](h, w.Type, w.Payload)
	if err != nil {
		return err
	}
	if err := Validate(read); err != nil {
		return err
	}
	*s = *read.(*Signal[P])
	return nil
}
