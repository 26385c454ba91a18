package signals_test

import (
	"errors"

	"github.com/swarmbus/swarmbus/signals"
)

// tick is a kind of another program.
type tick struct {
	N int `json:"n"`
}

func (tick) Kind() signals.Kind { return "acme.example/tick" }

// word is a kind whose payload is not a JSON object.
type word string

func (word) Kind() signals.Kind { return "word" }

// ranked has its Check method on the pointer.
type ranked struct{ Rank int }

func (ranked) Kind() signals.Kind { return "acme.example/ranked" }

func (r *ranked) Check(signals.Limits) error {
	return signals.AtLeastZero("rank", float64(r.Rank))
}

// ruled returns errors of its own type from Check.
type ruled struct{ Err error }

func (ruled) Kind() signals.Kind                 { return "acme.example/ruled" }
func (r ruled) Check(l signals.Limits) error     { return r.Err }
func (ruled) MarshalJSON() ([]byte, error)       { return []byte("null"), nil }
func (r *ruled) UnmarshalJSON(data []byte) error { return errors.New("no thanks") }

// mistaken has an empty kind by mistake.
type mistaken struct{}

func (mistaken) Kind() signals.Kind { return "" }

// Payload types that are not value types. Their Kind methods panic on a nil
// value if the package calls them.
type (
	onPointer struct{ kind signals.Kind }
	onMap     map[string]string
	onSlice   []signals.Kind
	onFunc    func() signals.Kind
	onChan    chan signals.Kind
)

func (p *onPointer) Kind() signals.Kind { return p.kind }
func (p onMap) Kind() signals.Kind      { p["called"] = "yes"; return "map" }
func (p onSlice) Kind() signals.Kind    { return p[0] }
func (p onFunc) Kind() signals.Kind     { return p() }
func (p onChan) Kind() signals.Kind     { close(p); return "chan" }
