package bus_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

const kindWord signals.Kind = "acme.example/word"

type word struct {
	Text string `json:"text"`
}

func (word) Kind() signals.Kind { return kindWord }

// says makes a layer append one word of each source; "" is the layer itself.
func says(text string, sources ...string) func(uint64, time.Time) ([]signals.Any, error) {
	return func(uint64, time.Time) (all []signals.Any, _ error) {
		for _, source := range sources {
			all = append(all, signals.New(signals.Header{Source: source}, word{text}))
		}
		return all, nil
	}
}

func TestRateBindsAgentsThatALayerSpeaksFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBus(t, &bus.Options{Rate: 2, Burst: 2, Sweep: -1})
		l := made(b.Layer("words", kindWord))
		refused := func(agent string, err error) {
			t.Helper()
			var limit *bus.LimitError
			if !errors.As(err, &limit) || limit.Agent != agent || limit.Retry != 500*time.Millisecond {
				t.Errorf("got %v, want a LimitError of %q with 500ms", err, agent)
			}
		}
		allowed := func(err error) {
			t.Helper()
			if err != nil {
				t.Error(err)
			}
		}
		allowed(l.Append(t.Context(), says("x", "ann", "ann", "ann", ""), nil)) // one act of ann
		must(t, agent(t, b, "ann"), found("x"))                                 // the same limit
		refused("ann", l.Append(t.Context(), says("x", "ann"), nil))
		allowed(l.Append(t.Context(), says("x", "bob"), nil))
		refused("ann", l.Append(t.Context(), says("x", "bob", "ann"), nil)) // charges bob nothing
		allowed(l.Append(t.Context(), says("x", "bob"), nil))
		refused("bob", l.Append(t.Context(), says("x", "bob"), nil))
		for range 9 {
			allowed(l.Append(t.Context(), says("x", "", bus.System), nil))
			allowed(l.Record(t.Context(), says("x", "ann"), nil))
		}
		time.Sleep(500 * time.Millisecond)
		allowed(l.Append(t.Context(), says("x", "ann"), nil))
		refused("ann", l.Append(t.Context(), says("x", "ann"), nil))
	})
}

func TestBytesBindAgentsThatALayerSpeaksFor(t *testing.T) {
	b := newBus(t, &bus.Options{Bytes: 10})
	l := made(b.Layer("words", kindWord))
	var limit *bus.LimitError
	if err := l.Append(t.Context(), says("123456", "ann", "bob", "", ""), nil); err != nil {
		t.Error(err)
	}
	if err := l.Append(t.Context(), says("12345", "bob"), nil); !errors.As(err, &limit) || limit.Agent != "bob" {
		t.Errorf("got %v, want a LimitError of bob", err)
	}
	if err := l.Append(t.Context(), says("123", "ann", "ann"), nil); !errors.As(err, &limit) || limit.Agent != "ann" {
		t.Errorf("got %v, want a LimitError of ann", err)
	}
	if err := l.Append(t.Context(), says("1234", "bob", ""), nil); err != nil {
		t.Error(err)
	}
}
