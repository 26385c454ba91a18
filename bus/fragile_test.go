package bus_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

const kindFragile signals.Kind = "acme.example/fragile"

// fragile is a payload whose Check panics unless it holds a number.
type fragile struct{ Numbers []int }

func (fragile) Kind() signals.Kind { return kindFragile }

func (f fragile) Check(signals.Limits) error {
	_ = f.Numbers[0]
	return nil
}

func TestPayloadWhoseCheckPanicsIsRefusedWhereverItComesIn(t *testing.T) {
	b := newBus(t, nil)
	good, bad := signals.New(signals.Header{}, fragile{[]int{1}}), signals.New(signals.Header{}, fragile{})
	layered := made(b.Layer("layer", kindFragile))
	known := b.System()
	must(t, known, good)
	for name, publish := range map[string]func(context.Context, signals.Any) error{
		"Publish": func(ctx context.Context, s signals.Any) error {
			_, err := b.System().Publish(ctx, s)
			return err
		},
		"Publish of a kind published before": func(ctx context.Context, s signals.Any) error {
			_, err := known.Publish(ctx, s)
			return err
		},
		"PublishAll": func(ctx context.Context, s signals.Any) error {
			_, err := known.PublishAll(ctx, good, s)
			return err
		},
		"Layer.Append": func(ctx context.Context, s signals.Any) error {
			return layered.Append(ctx, func(uint64, time.Time) ([]signals.Any, error) { return []signals.Any{s}, nil }, nil)
		},
		"Feed": func(ctx context.Context, s signals.Any) error {
			return b.Feed(ctx, signals.With(s, signals.Header{Seq: b.Last() + 1, ID: signals.MustID("f"), Source: "x", Time: time.Now()}))
		},
	} {
		last, field := b.Last(), new(signals.FieldError)
		if err := publish(t.Context(), bad); !errors.As(err, &field) || field.Kind != kindFragile {
			t.Errorf("%s: got %v, want a FieldError of the kind", name, err)
		}
		if b.Last() != last {
			t.Errorf("%s: it is in the log", name)
		}
		must(t, known, good) // the bus goes on
	}
}
