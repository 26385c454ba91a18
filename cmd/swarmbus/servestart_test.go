package main

import (
	"context"
	"io"
	"iter"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// A counting journal counts how often its records are read.
type counting struct {
	journal.Memory
	reads atomic.Int32
}

func (c *counting) Read(after uint64) iter.Seq2[journal.Record, error] {
	c.reads.Add(1)
	return c.Memory.Read(after)
}

func (c *counting) Follow(ctx context.Context, after uint64) iter.Seq2[journal.Record, error] {
	c.reads.Add(1)
	return c.Memory.Follow(ctx, after)
}

// The console waits for what is made of a file before it is there. With a long journal each
// reading of it would take longer than all else.
func TestStartupWaitsForNoJournal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	config := &serveConfig{
		Teams:  []teamAt{{Team: file("team.yaml", "models: {m: {provider: ollama, name: x}}\nbudget: 100tokens\nagents: [{id: ann, role: You help.}]\n")}},
		Office: officeAt{File: file("office.yaml", "agents: [{name: Reed, rooms: [ops], script: [{say: ok}]}]\n")},
	}
	var o host.Options
	if _, err := config.teams(&o, io.Discard); err != nil {
		t.Fatal(err)
	}
	rooms, err := new(serveFlags).office(t.Context(), config, new(ends), nil, io.Discard) // without servers
	if err != nil {
		t.Fatal(err)
	}
	begins := map[string]int32{} // reads when its solves may begin
	for _, team := range append(o.Teams, demo.Team(0)) {
		store := new(counting)
		at := desk.NewLocal(store, nil)
		k, err := at.Keep(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		crew, err := team.Open(t.Context(), k)
		if err != nil {
			t.Fatal(err)
		}
		build := func(k desk.Keep) (swarm.Options, error) { return crew.Build(k, nil) }
		if _, err := at.Seat(desk.Seat{Build: build, Budget: crew.Budget}); err != nil {
			t.Fatal(err)
		}
		if n := store.reads.Load(); n != 0 {
			t.Errorf("team %s: it was read %d times", team.Name, n)
		}
		if err := at.Begin(t.Context()); err != nil {
			t.Error(err)
		}
		begins[team.Name] = store.reads.Load()
		if err := at.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if crew.End != nil {
			if err := crew.End(); err != nil {
				t.Error(err)
			}
		}
	}
	if begins["team"] != begins["platform"]+1 {
		t.Errorf("reads at the beginning: %v, want one more of the team with a budget, for its account", begins)
	}
	for _, of := range []*host.Office{rooms, demo.Office()} {
		store := new(counting)
		if _, err := of.Make(store, &events.Keys{Dir: filepath.Join(dir, of.Name+".keys")}); err != nil {
			t.Fatal(err)
		}
		if n := store.reads.Load(); n != 0 {
			t.Errorf("office %s: it was read %d times", of.Name, n)
		}
	}
}
