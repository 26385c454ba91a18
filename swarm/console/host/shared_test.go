package host_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
)

// far has rooms whose router another process runs: it reads their log, and asks that router.
type far struct {
	*rooms.Follower
	router *rooms.Router
	ran    chan struct{}
}

func (f *far) Create(ctx context.Context, room string) error { return f.router.Create(ctx, room) }

func (f *far) Join(ctx context.Context, agent, room string) error {
	return f.router.Join(ctx, agent, room)
}

func (f *far) Leave(ctx context.Context, agent, room string) error {
	return f.router.Leave(ctx, agent, room)
}

func (f *far) Say(ctx context.Context, room string, m rooms.Message) (rooms.Receipt, error) {
	return f.router.Say(ctx, room, m)
}

func (f *far) Read(ctx context.Context, room string, through uint64) error {
	return f.router.Read(ctx, room, through)
}

// Run waits for the lease, which the other process has.
func (f *far) Run(ctx context.Context) error {
	close(f.ran)
	<-ctx.Done()
	return context.Cause(ctx)
}

// shared returns an office whose router runs elsewhere until the test ends.
func shared(t *testing.T) (*host.Office, *far) {
	t.Helper()
	store := new(journal.Memory)
	options, err := of("office").Make(store, &events.Keys{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	f := &far{ran: make(chan struct{})}
	if f.router, err = rooms.New(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	if f.Follower, err = rooms.NewFollower(store); err != nil {
		t.Fatal(err)
	}
	ran := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { ran <- f.router.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		<-ran
		if err := f.router.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return &host.Office{Name: "office", Shared: &host.Shared{Log: store, Router: f, Agents: options.Agents}}, f
}

func TestRoomsOfOtherProcessesAreShownAndSpokenIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	office, router := shared(t)
	if _, err := router.Say(t.Context(), "ops", rooms.Message{Content: "before"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "office.journal"), nil, 0o600); err != nil { // of the same name
		t.Fatal(err)
	}
	h, hub := opened(t, dir, office)
	b := h.Backend()
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	<-router.ran // it would drive them, too
	c, err := hub.Join("test", "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Leave(c)
	hub.Subscribe(c, api.Subscription{Rooms: []string{"ops"}}, map[string]uint64{})
	if _, err := b.Rooms.Say(t.Context(), "ops", api.NewMessage{Content: "please"}); err != nil {
		t.Fatal(err)
	}
	for f := range hub.Frames(t.Context(), c) {
		if strings.Contains(string(f.Event), `"content":"ok"`) {
			break
		}
	}
	page, err := b.Rooms.Page(t.Context(), "ops", 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	if said, _ := contents(t, page); !slices.Equal(said, []string{"before", "please"}) {
		t.Errorf("it shows %q", said)
	}
	if room, err := b.Rooms.Read(t.Context(), "ops", page.Seq); err != nil || room.ReadTo != page.Seq || room.Log != "office" {
		t.Errorf("the room is %+v, %v", room, err)
	}
	if _, err := b.Rooms.Create(t.Context(), "war"); err != nil {
		t.Error(err)
	}
	agent := office.Shared.Agents[0].Agent.ID
	has := func(room api.Room) bool {
		return slices.ContainsFunc(room.Members, func(m api.Member) bool { return m.Name == agent })
	}
	if room, err := b.Rooms.Seat(t.Context(), "war", api.Seat{Agent: agent}); err != nil || !has(room) {
		t.Errorf("%s has not joined: %+v, %v", agent, room, err)
	}
	if room, err := b.Rooms.Seat(t.Context(), "war", api.Seat{Agent: agent, Leaves: true}); err != nil || has(room) {
		t.Errorf("%s has not left: %+v, %v", agent, room, err)
	}
	if all, err := b.Rooms.Rooms(t.Context()); err != nil || len(all) != 3 {
		t.Errorf("rooms: %+v, %v", all, err)
	}
	if v, err := b.Runs.Verify(t.Context(), "office", true); err != nil || !v.Whole || len(v.Rooms) != 4 || v.Last == 0 { // and the keys
		t.Errorf("verified: %+v, %v", v, err)
	}
	if s, err := b.Runs.Signals(t.Context(), api.SignalsQuery{Run: "office", Limit: 1000}); err != nil || len(s.Signals) == 0 {
		t.Errorf("signals: %+v, %v", s, err)
	}
	runs, err := b.Runs.Runs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	runs = slices.DeleteFunc(runs, func(r api.Run) bool { return r.Name != "office" })
	if len(runs) != 1 || runs[0].Type != "rooms" || !runs[0].Live || runs[0].Problem != "" {
		t.Errorf("runs: %+v", runs)
	}
	if health, err := b.System.Health(t.Context()); err != nil || !health.OK || health.Logs[1].Seq == 0 {
		t.Errorf("health: %+v, %v", health.Logs, err)
	}
	if all, err := b.Agents.Agents(t.Context()); err != nil || !slices.ContainsFunc(all, func(a api.Agent) bool { return a.ID == "office/Reed" }) {
		t.Errorf("agents: %+v, %v", all, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "office.keys")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it made keys: %v", err)
	}
}

// A process that may not or cannot drive the rooms shows them, and says why.
func TestRoomsThatThisProcessCannotDriveAreShown(t *testing.T) {
	t.Parallel()
	office, router := shared(t)
	office.Shared.Router = denied{router}
	h, hub := opened(t, t.TempDir(), office)
	b := h.Backend()
	sayAll(t, b, hub, "ops", "hi")
	for ctx := t.Context(); ; {
		health, err := b.System.Health(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if health.Logs[1].Problem != "" {
			break
		}
	}
	if run, err := b.Runs.Run(t.Context(), "office"); err != nil || !strings.Contains(run.Problem, "no lease") {
		t.Errorf("the run is %+v, %v", run, err)
	}
	if _, err := b.Rooms.Room(t.Context(), "none"); status(err) != http.StatusNotFound {
		t.Errorf("a room that does not exist: %v", err)
	}
}

// denied are rooms that the process may not drive.
type denied struct{ *far }

func (denied) Run(context.Context) error { return errors.New("no lease") }

func TestAnOfficeWithoutALogOrWithTheNameOfARunIsRefused(t *testing.T) {
	t.Parallel()
	office, _ := shared(t)
	office.Name = demo.Team(0).Name
	for want, o := range map[string]*host.Office{"is the name of another run": office, "no log of rooms": {Name: "office", Shared: &host.Shared{}}} {
		_, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: feed.New(feed.Options{}), Office: o, Teams: []host.Team{demo.Team(0)}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

func TestTwoTeamsOfOneNameOrOnOneLogAreRefused(t *testing.T) {
	t.Parallel()
	log := new(journal.Memory)
	at := func(run, team string) host.Elsewhere {
		e := afar{Log: log}.at(run)
		e.Team.Name = team
		return e
	}
	for want, other := range map[string]host.Elsewhere{
		`"one" is the name of another run`:   at("one", "b"),
		`"a" is the name of another team`:    at("two", "a"),
		`"demo" is the name of another team`: at("two", "demo"),
	} {
		team := demo.Team(0)
		team.Name, team.Run = "demo", "three"
		_, err := host.Open(t.Context(), host.Options{
			Dir: t.TempDir(), Hub: feed.New(feed.Options{}), Teams: []host.Team{team}, Elsewhere: []host.Elsewhere{at("one", "a"), other},
		})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
