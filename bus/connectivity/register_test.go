package connectivity_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A class of a program has its own audience, priority and band of grades.
func ExampleLayer_Emit_registered() {
	flaky, err := coordination.Register(coordination.Rule{
		Name: "confidence.acme.example/flaky", Audience: coordination.All, Priority: coordination.High, Least: 0.2, Most: 0.6,
	})
	if err != nil {
		panic(err)
	}
	b, _ := bus.New(nil)
	defer b.Close()
	layer, _ := connectivity.New(b, nil)
	_ = layer.Register("review", "tester", "lead")
	e, err := layer.Emit(ctx, connectivity.Input{Thread: "review", Source: "tester", Class: flaky, Summary: "two tests are flaky", Confidence: coordination.Graded(0.5)})
	fmt.Println(e.Signal.Class, e.Signal.Audience, e.Signal.Priority, err)
	_, err = layer.Emit(ctx, connectivity.Input{Thread: "review", Source: "tester", Class: flaky, Summary: "nearly all pass", Confidence: coordination.Graded(0.9)})
	fmt.Println(err)
	// Output:
	// confidence.acme.example/flaky all high <nil>
	// connectivity: confidence = "0.9": not in [0.2,0.6] for confidence.acme.example/flaky
}

// The eleven stay the default: what is not registered is refused, and so is a rule that says nothing
// of the kind, or says it twice.
func TestAClassOfAProgramIsRegisteredOnce(t *testing.T) {
	const name = "handoff.acme.example/shipped"
	var c coordination.Class
	if err := c.UnmarshalText([]byte(name)); err == nil {
		t.Error("a class that nobody registered is read")
	}
	rule := coordination.Rule{Name: name, Priority: coordination.Low}
	first, err := coordination.Register(rule)
	again, err2 := coordination.Register(rule)
	if err != nil || err2 != nil || first != again || c.UnmarshalText([]byte(name)) != nil || c != first {
		t.Errorf("%v, %v: %v and %v, read as %v", err, err2, first, again, c)
	}
	if m := first.Message(); m != coordination.AboutHandoff {
		t.Errorf("it is about %v", m)
	}
	for field, wrong := range map[string]coordination.Rule{
		"class.name": {Name: name, Priority: coordination.High}, "class.least": {Name: "attention.x/y", Least: 0.7, Most: 0.3},
		"class.priority": {Name: "attention.x/z", Priority: 99}, "class.audience": {Name: "attention.x/z", Audience: 99},
	} {
		var refused *signals.FieldError
		if _, err := coordination.Register(wrong); !errors.As(err, &refused) || refused.Field != field {
			t.Errorf("%+v: got %v, want an error of %s", wrong, err, field)
		}
	}
	for _, name := range []string{"attention.raise", "attention", "attention.", "weather.storm", "attention.a\nb", ""} {
		if _, err := coordination.Register(coordination.Rule{Name: name}); err == nil {
			t.Errorf("%q is registered", name)
		}
	}
}
