package desk_test

import (
	"context"
	"errors"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair returns the options of ann and bob, who agree with what ann proposes; turns wait for may.
func pair(may <-chan struct{}) swarm.Options {
	o := swarm.Options{Quorum: 2, Seed: 1}
	for _, name := range []string{"ann", "bob"} {
		o.Agents = append(o.Agents, &agents.Agent{ID: name, Reactor: agents.Func(func(ctx context.Context, turn *agents.Turn) iter.Seq2[signals.Any, error] {
			select {
			case <-may:
			case <-ctx.Done():
				return agents.Fail(context.Cause(ctx))
			}
			switch {
			case len(turn.Proposals) > 0 && turn.Proposals[0].VoteOf(name) == nil:
				return agents.Emit(agents.Agree("x", 0.9, "it fits"))
			case len(turn.Proposals) == 0 && name == "ann":
				return agents.Emit(agents.Propose("x", turn.Task.Task, 0.9, "it fits"))
			}
			return agents.Emit()
		})})
	}
	return o
}

func free() <-chan struct{} {
	may := make(chan struct{})
	close(may)
	return may
}

func open(t *testing.T, team desk.Team, at desk.Place, o desk.Options) *desk.Desk {
	t.Helper()
	d, err := desk.Open(t.Context(), team, at, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return d
}

func start(t *testing.T, d *desk.Desk, task string) string {
	t.Helper()
	thread, _, err := d.Start(t.Context(), desk.Task{Task: signals.Task{Task: task}})
	if err != nil {
		t.Fatal(err)
	}
	return thread
}

// stopped returns how a solve has stopped, after the last of its stops from which it was resumed.
func stopped(t *testing.T, d *desk.Desk, thread string) (r *solves.Result) {
	t.Helper()
	for e, err := range d.Follow(t.Context(), thread) {
		if err != nil {
			t.Fatal(err)
		}
		if s, ok := e.(solves.Stopped); ok {
			r = s.Result
		}
	}
	if r == nil {
		t.Fatal("it ended without a result")
	}
	return r
}

func TestASolveIsFollowedFromItsBeginning(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]journal.Store{"a journal": new(journal.Memory), "nowhere": nil} {
		may := make(chan struct{})
		d := open(t, desk.Team{Name: "pair", Open: desk.Made(pair(may))}, desk.NewLocal(store, nil), desk.Options{})
		thread := start(t, d, "which?")
		var kinds []string
		for e, err := range d.Follow(t.Context(), thread) {
			if err != nil {
				t.Fatal(err)
			}
			switch e := e.(type) {
			case solves.Started:
				kinds = append(kinds, "started "+e.Agents[0].ID)
				close(may)
			case solves.Stopped:
				kinds = append(kinds, "stopped "+e.Result.Answer)
			default: // in between
			}
		}
		if want := []string{"started ann", "stopped which?"}; !slices.Equal(kinds, want) {
			t.Errorf("kept in %s: got %q, want %q", name, kinds, want)
		}
		if store == nil {
			continue
		}
		if again := stopped(t, d, thread); again.Answer != "which?" {
			t.Errorf("by the log: %+v", again)
		}
	}
}

// A follower gets what it has missed of an answer in one piece.
func TestAFollowerHearsWhatAgentsSay(t *testing.T) {
	t.Parallel()
	file := &teams.Team{Models: map[string]teams.Model{"m": {Provider: teams.Ollama, Name: "m"}}, Agents: []teams.Agent{{ID: "ann", Role: "You help.", Model: "m"}}}
	said, heard := make(chan struct{}), make(chan struct{})
	openers := desk.Openers{Models: func(*teams.Team) (map[string]models.Model, *limits.Budget, error) {
		m := &models.Scripted{Name: "m", Answer: func(ctx context.Context, r *models.Request) (*models.Answer, error) {
			for _, p := range []models.Piece{{Text: "no"}, {Text: "I ", Again: true}, {Text: "propose"}} {
				r.Show(p)
			}
			close(said)
			<-heard
			return nil, errors.New("that is all")
		}}
		return map[string]models.Model{"m": m}, nil, nil
	}}
	d := open(t, desk.Team{Name: "one", File: file, Open: desk.Opener(file, openers)}, desk.NewLocal(new(journal.Memory), nil), desk.Options{})
	thread := start(t, d, "which?")
	<-said
	var text string
	for e, err := range d.Follow(t.Context(), thread) {
		if err != nil {
			t.Fatal(err)
		}
		if p, ok := e.(solves.Saying); ok {
			if text == "" {
				close(heard)
			}
			text = p.Words
		}
	}
	if text != "I propose" {
		t.Errorf("heard %q", text)
	}
}

func TestACancelledSolveEndsAndOneThatDoesNotRunIsNotCancelled(t *testing.T) {
	t.Parallel()
	d := open(t, desk.Team{Name: "pair", Open: desk.Made(pair(nil))}, desk.NewLocal(new(journal.Memory), nil), desk.Options{})
	thread := start(t, d, "which?")
	if err := d.Cancel(t.Context(), thread, "Ada"); err != nil {
		t.Fatal(err)
	}
	if r := stopped(t, d, thread); r.Stop != runlog.StopCancelled || !strings.Contains(r.Detail, desk.ErrCancelled.Error()) {
		t.Errorf("it stopped by %v: %s", r.Stop, r.Detail)
	}
	if err := d.Cancel(t.Context(), thread, "Ada"); !errors.Is(err, desk.ErrIdle) {
		t.Errorf("again: %v", err)
	}
}

// A held is a journal whose followers get the stop of a solve when free is closed.
type held struct {
	*journal.Memory
	free <-chan struct{}
}

func (h held) Follow(ctx context.Context, after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for record, err := range h.Memory.Follow(ctx, after) {
			if kind, _, _ := record.About(); kind == runlog.KindDecided {
				<-h.free
			}
			if !yield(record, err) {
				return
			}
		}
	}
}

// A solve that has stopped runs until the fold has its end.
func TestASolveThatHasStoppedIsNotCancelled(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		shown := make(chan struct{})
		d := open(t, desk.Team{Name: "pair", Open: desk.Made(pair(free()))}, desk.NewLocal(held{new(journal.Memory), shown}, nil), desk.Options{})
		thread := start(t, d, "which?")
		synctest.Wait()
		said := make(chan error)
		go func() { said <- d.Cancel(t.Context(), thread, "Ada") }()
		synctest.Wait()
		close(shown)
		if err := <-said; !errors.Is(err, desk.ErrIdle) {
			t.Errorf("got %v", err)
		}
	})
}

func TestTheNextDeskContinuesWhatEndedWithTheFirst(t *testing.T) {
	t.Parallel()
	store := new(journal.Memory)
	first, err := desk.Open(t.Context(), desk.Team{Name: "pair", Open: desk.Made(pair(nil))}, desk.NewLocal(store, nil), desk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	thread := start(t, first, "which?")
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, _, err := first.Start(t.Context(), desk.Task{Task: signals.Task{Task: "another"}}); !errors.Is(err, desk.ErrStopping) {
		t.Errorf("a task for a desk that is closed: %v", err)
	}
	idle := open(t, desk.Team{Name: "pair", Open: desk.Made(pair(free()))}, desk.NewLocal(copied(t, store), nil), desk.Options{})
	if err := idle.Ready(t.Context()); err != nil || len(idle.Running()) > 0 {
		t.Errorf("without Continue %v runs (%v)", idle.Running(), err)
	}
	second := open(t, desk.Team{Name: "pair", Open: desk.Made(pair(free()))}, desk.NewLocal(copied(t, store), nil), desk.Options{Continue: true})
	if err := second.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := stopped(t, second, thread); r.Answer != "which?" {
		t.Errorf("it stopped by %v: %s", r.Stop, r.Detail)
	}
}

// copied returns a journal with the same records.
func copied(t *testing.T, from *journal.Memory) *journal.Memory {
	t.Helper()
	all := new(journal.Memory)
	for record, err := range from.Read(0) {
		if err == nil {
			_, err = all.Append(record)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

func TestATeamThatCannotBeOpenedReleasesWhatWas(t *testing.T) {
	t.Parallel()
	file := &teams.Team{Memory: &teams.Memory{Store: "facts.db"}}
	var ended []string
	ends := func(what string) func() error {
		return func() error { ended = append(ended, what); return nil }
	}
	missing := errors.New("the token is missing")
	openers := desk.Openers{
		Models: func(*teams.Team) (map[string]models.Model, *limits.Budget, error) { return nil, nil, nil },
		Joined: func(context.Context, *teams.Team) (func() agents.Reactor, func() error, error) {
			return nil, ends("joined"), missing
		},
	}
	store := new(journal.Memory)
	_, err := desk.Open(t.Context(), desk.Team{Name: "review", Open: desk.Opener(file, openers)}, desk.NewLocal(store, nil), desk.Options{})
	if !errors.Is(err, missing) || !strings.HasPrefix(err.Error(), "team review: ") || !slices.Equal(ended, []string{"joined"}) {
		t.Errorf("got %v, ended %v", err, ended)
	}
	if _, err := store.Append(journal.Record{Type: journal.TypeResult}); !errors.Is(err, journal.ErrClosed) {
		t.Errorf("the journal is open: %v", err)
	}
}

// A lingering place lets go of a solve that has stopped when free is closed.
type lingering struct {
	*desk.Local
	free <-chan struct{}
}

func (l lingering) Drive(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		l.Local.Drive(ctx, task)(yield)
		<-l.free
	}
}

func TestASolveDoesNotRunOnceTheLogHasItsEnd(t *testing.T) {
	t.Parallel()
	let := make(chan struct{})
	d := open(t, desk.Team{Name: "pair", Open: desk.Made(pair(free()))}, lingering{desk.NewLocal(new(journal.Memory), nil), let}, desk.Options{})
	thread := start(t, d, "which?")
	if err := d.Log().Until(t.Context(), func() bool { one, _ := d.Log().Fold().Solve(thread); return one.Stop != 0 }); err != nil {
		t.Fatal(err)
	}
	if d.Running()[thread] {
		t.Error("it runs, though it has stopped")
	}
	close(let)
}
