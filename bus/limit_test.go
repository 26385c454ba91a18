package bus_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
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

type blob struct {
	Raw   []byte                    `json:"raw"`
	Table map[string]map[string]any `json:"table"`
	Past  [4]float64                `json:"past"`
}

func (blob) Kind() signals.Kind { return "acme.example/blob" }

func TestBytesCountWhateverAPayloadHoldsAndItsRecipients(t *testing.T) {
	for name, s := range map[string]signals.Any{
		"bytes":      signals.New(signals.Header{}, blob{Raw: make([]byte, 11)}),
		"map":        signals.New(signals.Header{}, blob{Table: map[string]map[string]any{"12345": {"12345": "1"}}}),
		"slice":      signals.New(signals.Header{}, blob{Table: map[string]map[string]any{"": {"": []string{"123456", "12345"}}}}),
		"recipients": signals.New(signals.Header{Recipients: signals.To("123456", "12345")}, blob{}),
	} {
		b := newBus(t, &bus.Options{Bytes: 10})
		var limit *bus.LimitError
		if _, err := agent(t, b, "ann").Publish(t.Context(), s); !errors.As(err, &limit) {
			t.Errorf("11 bytes of %s: got %v, want a LimitError", name, err)
		}
		b = newBus(t, &bus.Options{Bytes: 11, History: 1})
		for range 3 { // each makes room for the next
			must(t, b.System(), found("x"))
			must(t, agent(t, b, "ann"), s)
		}
	}
}

func TestSignalsThatAreNotPublishedCountForNoLimit(t *testing.T) {
	var shared sequenced
	a, b := shared.join(t, bus.Options{}), shared.join(t, bus.Options{Rate: 1e-6, Burst: 2})
	l := made(b.Layer("words", kindWord))
	for range 2 { // each is decided twice
		must(t, a.System(), found("x"))
		if err := l.Append(t.Context(), says("x", "ann"), nil); err != nil {
			t.Error(err)
		}
	}
	var limit *bus.LimitError
	if err := l.Append(t.Context(), says("x", "ann"), nil); !errors.As(err, &limit) {
		t.Errorf("a third signal: got %v, want a LimitError", err)
	}
	must(t, a.System(), proposes("t", "p", "1"))
	taken := signals.New(signals.Header{Thread: "t"}, signals.Proposal{ProposalID: "p", Content: "2"})
	for range 3 {
		var owned *conflict.ProposalError
		if _, err := agent(t, b.Bus, "bob").PublishAll(t.Context(), taken, taken); !errors.As(err, &owned) {
			t.Errorf("got %v, want a ProposalError", err)
		}
	}
}
