package bus_test

import (
	"errors"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

func TestRequirementBindsEveryPublisherUntilItIsReleased(t *testing.T) {
	b, err := bus.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	agent, err := b.Agent("a", bus.Permissions{})
	if err != nil {
		t.Fatal(err)
	}
	layer, err := b.Layer("l", signals.KindMemory)
	if err != nil {
		t.Fatal(err)
	}
	short, long := errors.New("too short"), errors.New("too long")
	length := func(s signals.Any) int {
		if m, ok := s.Body().(signals.Memory); ok {
			return len(m.Content)
		}
		return len(s.Body().(signals.Discovery).Finding)
	}
	atLeast := func(n int, why error) func() {
		return b.Require(func(s signals.Any) error {
			if length(s) < n {
				return why
			}
			return nil
		})
	}
	say := func(finding string) (all []error) {
		s := signals.New(signals.Header{}, signals.Discovery{Finding: finding})
		_, err := agent.Publish(t.Context(), s)
		all = append(all, err)
		_, err = agent.PublishAll(t.Context(), s, s)
		all = append(all, err)
		_, err = b.System().Publish(t.Context(), s)
		all = append(all, err)
		kept := signals.New(signals.Header{}, signals.Memory{Content: finding, Category: "c"})
		all = append(all, layer.Append(t.Context(), func(uint64, time.Time) ([]signals.Any, error) { return []signals.Any{kept}, nil }, nil))
		fed := signals.With(s, signals.Header{Seq: b.Last() + 1, ID: signals.MustID("fed-" + finding), Source: "x", Time: time.Now()})
		return append(all, b.Feed(t.Context(), fed))
	}
	first, second := atLeast(3, short), atLeast(5, long)
	for finding, want := range map[string]error{"a": short, "abcd": long, "abcdef": nil} {
		for i, err := range say(finding) {
			if !errors.Is(err, want) || want == nil && err != nil {
				t.Errorf("%s, way %d: got %v, want %v", finding, i, err, want)
			}
		}
	}
	first()
	first()
	if err := say("a")[0]; !errors.Is(err, long) {
		t.Errorf("got %v", err)
	}
	second()
	for i, err := range say("a") {
		if err != nil {
			t.Errorf("after the release, way %d: %v", i, err)
		}
	}
}
