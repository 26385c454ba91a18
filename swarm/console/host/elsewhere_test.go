package host_test

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
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

// saysOn says what the system says in a log, as another process that has it open does.
func saysOn(t *testing.T, log *journal.Memory) func(context.Context, signals.Any) (uint64, error) {
	codec, err := runlog.NewCodec()
	if err != nil {
		t.Fatal(err)
	}
	b, err := bus.New(&bus.Options{TTL: -1, Sweep: -1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return func(ctx context.Context, s signals.Any) (uint64, error) {
		if _, err := journal.Restore(ctx, b, log, codec); err != nil {
			return 0, err
		}
		receipt, err := b.System().Publish(ctx, s)
		if err != nil {
			return 0, err
		}
		for said := range b.History(bus.Filter{After: receipt.Seq - 1}) {
			record, err := journal.SignalRecord(said)
			if err == nil {
				_, err = log.Append(record)
			}
			if err != nil {
				return 0, err
			}
		}
		return receipt.Seq, nil
	}
}

// shows opens a host that shows a log of other processes.
func shows(t *testing.T, e afar) *api.Backend {
	t.Helper()
	hub := feed.New(feed.Options{})
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: hub, Elsewhere: []host.Elsewhere{e.at("far")}})
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
	there := afar{
		Log: log,
		Resume: func(_ context.Context, thread string, _ signals.Any) iter.Seq2[solves.Event, error] {
			resumed <- thread
			return func(yield func(solves.Event, error) bool) { yield(nil, errors.New("no agent is here")) }
		},
	}
	says := saysOn(t, log)
	first := func(by string) func(context.Context, signals.Any) (uint64, error) {
		return func(ctx context.Context, s signals.Any) (uint64, error) {
			a := s.Body().(asking.Answer)
			if a.By = by; by != "" { // in another console, a moment before
				if _, err := says(ctx, signals.New(s.Head(), a)); err != nil {
					return 0, err
				}
			}
			return says(ctx, s)
		}
	}
	watches := shows(t, afar{Log: log})
	items, err := watches.Inbox.Items(t.Context(), false)
	if err != nil || len(items) != 1 || items[0].Type != "tool" || items[0].Run != "far" {
		t.Fatalf("the inbox has %+v (%v)", items, err)
	}
	ada := api.Verdict{Verdict: "once", By: "Ada"}
	if _, err := watches.Inbox.Decide(t.Context(), items[0].ID, ada); status(err) != http.StatusConflict || !strings.Contains(err.Error(), "only watches") {
		t.Errorf("a verdict where nobody drives: %v", err)
	}
	there.Say = func(context.Context, signals.Any) (uint64, error) {
		return 0, &signals.FieldError{Field: "reason", Problem: "too long"}
	}
	if _, err := shows(t, there).Inbox.Decide(t.Context(), items[0].ID, ada); status(err) != http.StatusUnprocessableEntity {
		t.Errorf("a verdict that the log refuses: %v", err)
	}
	there.Say = first("Bob")
	_, err = shows(t, there).Inbox.Decide(t.Context(), items[0].ID, ada)
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
	there := afar{
		Log: log,
		Resume: func(_ context.Context, thread string, _ signals.Any) iter.Seq2[solves.Event, error] {
			resumed <- thread
			return func(func(solves.Event, error) bool) {}
		},
		Say: saysOn(t, log),
	}
	b := shows(t, there)
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
	shows(t, there) // the server starts again, and nobody has gone on
	if of := <-resumed; of != thread {
		t.Errorf("%s goes on after a restart, want %s", of, thread)
	}
}

// Two consoles show a log, one with another team: its people see the question, and it lets them neither
// answer it nor goes on with what others answer.
func TestASolveOfAnotherTeamIsShownAndNeitherAnsweredNorDriven(t *testing.T) {
	t.Parallel()
	log := waiting(t)
	driven := make(chan string, 2)
	console := func(name string, fits error) *api.Backend {
		return shows(t, afar{
			Log: log, Fits: func([]signals.Any) error { return fits },
			Resume: func(context.Context, string, signals.Any) iter.Seq2[solves.Event, error] {
				driven <- name
				return func(func(solves.Event, error) bool) {}
			},
			Say: saysOn(t, log),
		})
	}
	other := console("other", errors.New("with threshold 0.7, and is asked now with 0.6"))
	items, err := other.Inbox.Items(t.Context(), false)
	if err != nil || len(items) != 1 {
		t.Fatalf("the inbox has %+v (%v)", items, err)
	}
	_, err = other.Inbox.Decide(t.Context(), items[0].ID, api.Verdict{Verdict: "once", By: "Ada"})
	if status(err) != http.StatusConflict || !strings.Contains(err.Error(), "asked now with 0.6") {
		t.Errorf("a verdict: %v", err)
	}
	if items, err := other.Inbox.Items(t.Context(), false); err != nil || len(items) != 1 {
		t.Fatalf("after the verdict the inbox has %+v (%v)", items, err)
	}
	if err := solves.Answer(t.Context(), log, strings.TrimPrefix(items[0].Solve, "far."), asking.Answer{ID: items[0].Tool.ID, Verdict: asking.Once, By: "Ada"}); err != nil {
		t.Fatal(err)
	}
	console("own", nil)
	if by := <-driven; by != "own" { // the other one has looked at it for as long
		t.Errorf("it is driven by the %s team", by)
	}
}

func TestVerdictsAreOfPeopleWithNames(t *testing.T) {
	t.Parallel()
	log := waiting(t)
	b := shows(t, afar{Log: log, Say: saysOn(t, log)})
	items, err := b.Inbox.Items(t.Context(), false)
	if err != nil || len(items) != 1 {
		t.Fatalf("the inbox has %+v (%v)", items, err)
	}
	for _, by := range []string{" ", "\x1b[2J", "\u202eada"} {
		if _, err := b.Inbox.Decide(t.Context(), items[0].ID, api.Verdict{Verdict: "once", By: by}); status(err) != http.StatusUnprocessableEntity {
			t.Errorf("by %q: %v", by, err)
		}
	}
}

// While no server of the log answers, what has to be written on it is refused: it would be done once one
// answers, whether somebody still waits or not.
func TestWhatHasToBeWrittenIsRefusedWhileNoServerAnswers(t *testing.T) {
	t.Parallel()
	log := waiting(t)
	b := shows(t, afar{
		Log: log, Health: func() *desk.Stream {
			return &desk.Stream{Name: "far", Problem: "disconnected, trying again"}
		},
		Solve: func(context.Context, signals.Task) iter.Seq2[solves.Event, error] {
			t.Error("it drives a solve")
			return func(func(solves.Event, error) bool) {}
		},
		Say: func(context.Context, signals.Any) (uint64, error) {
			t.Error("it records a verdict")
			return 0, errors.New("no server answers")
		},
	})
	items, err := b.Inbox.Items(t.Context(), false)
	if err != nil || len(items) != 1 {
		t.Fatalf("the inbox has %+v (%v)", items, err)
	}
	_, err = b.Inbox.Decide(t.Context(), items[0].ID, api.Verdict{Verdict: "once", By: "Ada"})
	if status(err) != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "the stream far does not answer since") {
		t.Errorf("a verdict: %v", err)
	}
	_, err = b.Solves.Start(t.Context(), api.NewSolve{Team: "far", Task: "another"})
	if status(err) != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "disconnected, trying again") {
		t.Errorf("a task: %v", err)
	}
	if _, err := b.Solves.Cancel(t.Context(), items[0].Solve); status(err) != http.StatusServiceUnavailable || !strings.Contains(err.Error(), "disconnected, trying again") {
		t.Errorf("cancel: %v", err)
	}
}
