package signals_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
)

// fragile is a payload whose Check panics.
type fragile struct{ Numbers []int }

func (fragile) Kind() signals.Kind { return "acme.example/fragile" }

func (f fragile) Check(signals.Limits) error {
	_ = f.Numbers[0]
	return nil
}

func TestCheckThatPanicsIsAnError(t *testing.T) {
	var field *signals.FieldError
	err := signals.Validate(signals.New(signals.Header{}, fragile{}))
	if !errors.As(err, &field) || field.Kind != "acme.example/fragile" || field.Field != "payload" {
		t.Errorf("got %v, want a FieldError of the payload", err)
	}
	if !strings.Contains(err.Error(), "signals_test.fragile") || !strings.Contains(err.Error(), "index out of range") {
		t.Errorf("%q does not name the type and the panic", err)
	}
	if err := signals.Validate(signals.New(signals.Header{}, fragile{[]int{1}})); err != nil {
		t.Errorf("a payload whose Check does not panic: %v", err)
	}
}
