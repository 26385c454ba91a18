package swarm_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// cancelled solves a task on a journal and cancels the solve behind its n-th signal. It
// returns the result, and whether there was such a signal.
func cancelled(t *testing.T, o swarm.Options, n int) (r *solves.Result, was bool) {
	t.Helper()
	s, err := swarm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	for e, err := range s.Stream(ctx, signals.Task{Task: "x"}) {
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case solves.Spoke:
			if n--; n == 0 {
				was = true
				cancel(errors.New("the server stops"))
			}
		case solves.Stopped:
			r = e.Result
		}
	}
	return r, was
}

// A solve that is stopped as a server stops it goes on, wherever it was, and decides what it
// would have decided.
func TestACancelledSolveGoesOnBehindAnyOfItsSignals(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/settling/*.txtar")
	if err != nil || len(files) < 15 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			o, _ := scene(t, archive.Files[0].Data)
			o.Journal = new(journal.Memory)
			want, _ := cancelled(t, o, 0)
			for n := 1; ; n++ {
				o, _ := scene(t, archive.Files[0].Data)
				o.Journal = new(journal.Memory)
				r, was := cancelled(t, o, n)
				if !was {
					break
				}
				if r.Stop != runlog.StopCancelled {
					continue // it had ended
				}
				again, _ := scene(t, archive.Files[0].Data)
				again.Journal = o.Journal
				s := newSwarm(t, again)
				past, err := s.Results()
				if err != nil {
					t.Fatal(err)
				}
				got, err := s.Resume(t.Context(), past[0].Log, nil)
				if err != nil {
					t.Errorf("cancelled behind signal %d, it does not go on: %v", n, err)
					continue
				}
				if got.Stop != want.Stop || got.Answer != want.Answer {
					t.Errorf("cancelled behind signal %d, it ends with %v %q (%s), want %v %q", n, got.Stop, got.Answer, got.Detail, want.Stop, want.Answer)
				}
				s.Close()
				if _, err := replayed(t, again.Journal); err != nil {
					t.Errorf("cancelled behind signal %d: %v", n, err)
				}
			}
		})
	}
}
