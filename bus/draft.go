package bus

import (
	"errors"

	"github.com/swarmbus/swarmbus/bus/internal/store"
	"github.com/swarmbus/swarmbus/signals"
)

// A draft is a signal that is being published. The caller's signal is copied once,
// when everything has been decided.
type draft struct {
	store.Entry
	head   *signals.Header // the caller's; read only
	record bool            // by Layer.Record
	charge float64         // signals of its source's limit that it took
}

func (d *draft) checkName(field, name string) error {
	err := (signals.Limits{}).Name(field, name)
	if invalid, ok := errors.AsType[*signals.FieldError](err); ok {
		invalid.Kind = d.KindText
	}
	return err
}

func (d *draft) invalid(field, value, problem string) error {
	return &signals.FieldError{Kind: d.KindText, Field: field, Value: value, Problem: problem}
}
