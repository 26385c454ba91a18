package consensus

import (
	"fmt"
	"slices"
	"strings"
)

// texts is the wire form of an enum: names by value; values before first have
// none.
type texts[E ~uint8] struct {
	kind, field string // its name in Go and on the wire
	first       E
	names       []string
}

func (t *texts[E]) valid(e E) bool { return e >= t.first && int(e) < len(t.names) }

func (t *texts[E]) string(e E) string {
	if e == 0 && t.first > 0 {
		return "unset"
	}
	if !t.valid(e) {
		return fmt.Sprintf("%s(%d)", t.kind, uint8(e))
	}
	return t.names[e]
}

func (t *texts[E]) marshal(e E) ([]byte, error) {
	if !t.valid(e) {
		return nil, &FieldError{Field: t.field, Value: uint8(e), Want: t.want()}
	}
	return []byte(t.names[e]), nil
}

func (t *texts[E]) unmarshal(text []byte, e *E) error {
	i := slices.Index(t.names, string(text))
	if i < int(t.first) {
		return &FieldError{Field: t.field, Value: string(text), Want: t.want()}
	}
	*e = E(i)
	return nil
}

func (t *texts[E]) want() string { return "one of " + strings.Join(t.names[t.first:], ", ") }
