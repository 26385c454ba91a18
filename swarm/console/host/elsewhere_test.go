package host_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// waiting returns a log in which a solve waits for a verdict.
func waiting(t *testing.T) *journal.Memory {
	t.Helper()
	dir := t.TempDir()
	h, _ := open(t, dir, nil)
	item := asks(t, h.Backend())
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	view, err := journal.NewView(filepath.Join(dir, item.Run+".journal"))
	if err != nil {
		t.Fatal(err)
	}
	log := new(journal.Memory)
	for record, err := range view.Read(0) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(record); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

// shows opens a host that shows a log of other processes.
func shows(t *testing.T, e host.Elsewhere) *api.Backend {
	t.Helper()
	hub := feed.New(feed.Options{})
	e.Run = "far"
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: hub, Elsewhere: []host.Elsewhere{e}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hub.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h.Backend()
}

func TestVerdictsOnALogOfOtherProcessesAreRecordedThere(t *testing.T) {
	t.Parallel()
	log := waiting(t)
	resumed := make(chan string, 1)
	far := host.Elsewhere{
		Log: log,
		Resume: func(_ context.Context, thread string, _ signals.Any) iter.Seq2[solves.Event, error] {
			resumed <- thread
			return func(yield func(solves.Event, error) bool) { yield(nil, errors.New("no agent is here")) }
		},
	}
	first := func(by string) func(context.Context, tools.Question, tools.Answer) error {
		return func(_ context.Context, q tools.Question, a tools.Answer) error {
			if by != "" { // in another console, a moment before
				if err := cassette.Answer(log, q, tools.Answer{Verdict: a.Verdict, By: by}); err != nil {
					return err
				}
			}
			return cassette.Answer(log, q, a)
		}
	}
	watches := shows(t, host.Elsewhere{Log: log})
	items, err := watches.Inbox.Items(t.Context(), false)
	if err != nil || len(items) != 1 || items[0].Type != "tool" || items[0].Run != "far" {
		t.Fatalf("the inbox has %+v (%v)", items, err)
	}
	ada := api.Verdict{Verdict: "once", By: "Ada"}
	if _, err := watches.Inbox.Decide(t.Context(), items[0].ID, ada); status(err) != http.StatusConflict || !strings.Contains(err.Error(), "only watches") {
		t.Errorf("a verdict where nobody drives: %v", err)
	}
	far.Answer = func(context.Context, tools.Question, tools.Answer) error {
		return &signals.FieldError{Field: "reason", Problem: "too long"}
	}
	if _, err := shows(t, far).Inbox.Decide(t.Context(), items[0].ID, ada); status(err) != http.StatusUnprocessableEntity {
		t.Errorf("a verdict that the log refuses: %v", err)
	}
	far.Answer = first("Bob")
	_, err = shows(t, far).Inbox.Decide(t.Context(), items[0].ID, ada)
	if refused := (*api.Error)(nil); !errors.As(err, &refused) || refused.Answered == nil || refused.Answered.By != "Bob" {
		t.Errorf("the second verdict: %v", err)
	}
	if len(resumed) > 0 {
		t.Errorf("the solve %s goes on, and none of these verdicts counts", <-resumed)
	}
}

func TestAVerdictThatCountsGoesOnWithASolveOfOtherProcesses(t *testing.T) {
	t.Parallel()
	log := waiting(t)
	resumed := make(chan string, 2)
	far := host.Elsewhere{
		Log: log,
		Resume: func(_ context.Context, thread string, _ signals.Any) iter.Seq2[solves.Event, error] {
			resumed <- thread
			return func(func(solves.Event, error) bool) {}
		},
		Answer: func(_ context.Context, q tools.Question, a tools.Answer) error { return cassette.Answer(log, q, a) },
	}
	b := shows(t, far)
	items, err := b.Inbox.Items(t.Context(), false)
	if err != nil || len(items) != 1 {
		t.Fatalf("the inbox has %+v (%v)", items, err)
	}
	got, err := b.Inbox.Decide(t.Context(), items[0].ID, api.Verdict{Verdict: "once", By: "Ada"})
	if err != nil || got.Open || got.Answer.By != "Ada" {
		t.Fatalf("%+v, %v", got, err)
	}
	_, thread, _ := strings.Cut(items[0].Solve, ".")
	if of := <-resumed; of != thread {
		t.Errorf("%s goes on, want %s", of, thread)
	}
	shows(t, far) // the server starts again, and nobody has gone on
	if of := <-resumed; of != thread {
		t.Errorf("%s goes on after a restart, want %s", of, thread)
	}
}
