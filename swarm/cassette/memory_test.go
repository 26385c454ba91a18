package cassette_test

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

// facts is a memory that counts what it is asked and told.
type facts struct {
	all            []signals.Any
	briefed, given int
}

func (f *facts) Brief(context.Context, signals.Task) ([]signals.Any, error) {
	f.briefed++
	return f.all, nil
}

func (f *facts) Keep(context.Context, []signals.Any, string) error {
	f.given++
	return nil
}

func TestRecallReplaysWithoutTheMemory(t *testing.T) {
	t.Parallel()
	known := &facts{all: []signals.Any{signals.New(signals.Header{Confidence: 0.5}, signals.Memory{
		Content: "The port is 8080.", Category: "discovery", Importance: 0.9,
		Origin: signals.Origin{Fact: "fact_1", State: "confirmed", Source: "ada", Time: time.Unix(7, 8).UTC()},
	})}}
	store := &journal.Memory{}
	recorder, err := journal.NewRecorder(store)
	if err != nil {
		t.Fatal(err)
	}
	task := signals.Task{Task: "Which port?"}
	play := func(m cassette.Memory) {
		got, err := m.Brief(t.Context(), task)
		if err != nil || len(got) != 1 {
			t.Fatal(got, err)
		}
		want := known.all[0]
		if !reflect.DeepEqual(want.Body(), got[0].Body()) || got[0].Head().Confidence != want.Head().Confidence {
			t.Errorf("got %+v, want %+v", got[0], want)
		}
		if err := m.Keep(t.Context(), got, ""); err != nil {
			t.Error(err)
		}
	}
	play(cassette.Remembers(known, recorder))
	play(cassette.Remembers(known, recorder))
	results, err := journal.ReadResults(store)
	if err != nil {
		t.Fatal(err)
	}
	played := cassette.Remembers(nil, results)
	play(played)
	if _, err := played.Brief(t.Context(), signals.Task{Task: "Another?"}); !errors.As(err, new(*journal.MissError)) {
		t.Errorf("got %v for what is not on record", err)
	}
	if known.briefed != 1 || known.given != 2 {
		t.Errorf("asked %d times, told %d times, want 1 and 2", known.briefed, known.given)
	}
	known.all = []signals.Any{signals.New(signals.Header{}, signals.Task{Task: "x"})}
	if _, err := cassette.Remembers(known, recorder).Brief(t.Context(), signals.Task{Task: "Another?"}); err == nil {
		t.Error("a task was recorded as a fact")
	}
}
