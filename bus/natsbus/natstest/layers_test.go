package natstest_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// coordinating joins a log with a layer that follows it.
func coordinating(t *testing.T, url string) (*natsbus.Log, *connectivity.Layer) {
	t.Helper()
	codec, err := signals.NewCodec(coordination.Entries()...)
	if err != nil {
		t.Fatal(err)
	}
	l := join(t, natsbus.Options{URL: url, Codec: codec})
	layer, err := connectivity.Rebuild(l.Bus(), nil, l.Bus().History(bus.Filter{}))
	if err != nil {
		t.Fatal(err)
	}
	return l, layer
}

func green(source, summary string) connectivity.Input {
	return connectivity.Input{Thread: "t", Source: source, Class: coordination.HandoffReady, Audience: coordination.All, Summary: summary}
}

func TestLayersOfAllProcessesHaveOneState(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	oneLog, one := coordinating(t, url)
	twoLog, two := coordinating(t, url)
	sent, err := one.Emit(soon(t), green("tester", "all green"))
	if err != nil {
		t.Fatal(err)
	}
	reach(t, twoLog.Bus(), oneLog.Bus().Last())
	if got, held := two.Get(sent.Signal.ID); !held || got.Summary != "all green" {
		t.Fatalf("the other process has %+v, %t", got, held)
	}
	if again, err := two.Emit(soon(t), green("tester", "all green")); err != nil || !again.Suppressed || again.Signal.ID != sent.Signal.ID {
		t.Errorf("the repetition in the other process: %+v %v", again, err)
	}
	if _, err := two.Resolve(soon(t), sent.Signal.ID); err != nil {
		t.Errorf("to resolve it there: %v", err)
	}
	reach(t, oneLog.Bus(), twoLog.Bus().Last())
	if got, _ := one.Get(sent.Signal.ID); got.State != coordination.Resolved {
		t.Errorf("the process that emitted it has it %s", got.State)
	}
}

func TestLayersThatEmitAtOnceAgree(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t, natstest.Options{})[0].URL()
	const processes, each = 3, 20
	var logs []*natsbus.Log
	var layers []*connectivity.Layer
	var calls sync.WaitGroup
	for range processes {
		l, layer := coordinating(t, url)
		logs, layers = append(logs, l), append(layers, layer)
	}
	for _, layer := range layers {
		calls.Go(func() {
			for n := range each {
				// All processes say this, and one of them is the first.
				if _, err := layer.Emit(soon(t), green(fmt.Sprint("tester ", n), "all green")); err != nil {
					t.Error(err)
				}
				if _, err := layer.AdvanceStep(soon(t), fmt.Sprint("steps ", n%2)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	calls.Wait()
	last := must(t, agent(t, logs[0], "a"), found("t", "end")).Seq
	late, fresh := coordinating(t, url)
	for i, layer := range append(layers, fresh) {
		l := append(logs, late)[i]
		reach(t, l.Bus(), last)
		all, err := layer.Query("t", coordination.Query{})
		if err != nil || len(all) != each {
			t.Errorf("process %d holds %d signals, want %d: %v", i, len(all), each, err)
		}
		if zero, one := layer.Step("steps 0"), layer.Step("steps 1"); zero != processes*each/2 || one != zero {
			t.Errorf("process %d is at steps %d and %d, want %d", i, zero, one, processes*each/2)
		}
	}
}
