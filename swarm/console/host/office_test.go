package host_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/office"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// of returns an office with one agent, which answers ok to messages with the word please.
func of(name string) *host.Office {
	return &host.Office{Name: name, Make: func(store journal.Store, keys *events.Keys) (*rooms.Options, error) {
		o, err := office.Parse("o.yaml", []byte("agents:\n  - name: Reed\n    rooms: [ops, front]\n    script:\n      - when: please\n        say: ok\n"))
		if err != nil {
			return nil, err
		}
		return o.Build(office.Parts{Store: store, Keys: keys})
	}}
}

// opened opens a host with the team of the demo and an office, and closes it when the test ends.
func opened(t *testing.T, dir string, o *host.Office) (*host.Host, *feed.Hub) {
	t.Helper()
	hub := feed.New(feed.Options{})
	h, err := host.Open(t.Context(), host.Options{Dir: dir, Hub: hub, Office: o, Teams: []host.Team{demo.Team(0)}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hub.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	hubs.Store(h.Backend().Solves, hub)
	return h, hub
}

func withOffice(t *testing.T, dir string, o *host.Office) *api.Backend {
	t.Helper()
	h, _ := opened(t, dir, o)
	return h.Backend()
}

// sayAll posts texts in a room, and waits until the last of them is on the newest page.
func sayAll(t *testing.T, b *api.Backend, hub *feed.Hub, room string, all ...string) {
	t.Helper()
	var last api.Receipt
	for _, text := range all {
		var err error
		if last, err = b.Rooms.Say(t.Context(), room, api.NewMessage{Content: text}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := hub.Join("test", "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Leave(c)
	hub.Subscribe(c, api.Subscription{}, map[string]uint64{"office": 0})
	for f := range hub.Frames(t.Context(), c) {
		if f.Type == api.FrameResync && f.Cursor["office"] >= last.Seq || f.Seq >= last.Seq {
			return
		}
	}
}

// Run it with -race.
func TestPagesAreReadWhileRoomsGetMessages(t *testing.T) {
	t.Parallel()
	b := withOffice(t, t.TempDir(), of("office"))
	var wg sync.WaitGroup
	said := make(chan struct{})
	wg.Go(func() {
		defer close(said)
		for n := range 100 {
			room := fmt.Sprintf("r%d", n)
			if _, err := b.Rooms.Create(t.Context(), room); err != nil {
				t.Error(err)
			}
			if _, err := b.Rooms.Say(t.Context(), room, api.NewMessage{Content: "hi"}); err != nil {
				t.Error(err)
			}
		}
	})
	for range 2 {
		wg.Go(func() {
			for {
				if _, err := b.Rooms.Page(t.Context(), "front", 0, 200); err != nil {
					t.Error(err)
				}
				select {
				case <-said:
					return
				default:
				}
			}
		})
	}
	wg.Wait()
}

// contents returns the users' messages in the events of a page, and their positions.
func contents(t *testing.T, page api.RoomEvents) (all []string, seqs []uint64) {
	t.Helper()
	for _, text := range page.Events {
		var e struct {
			Seq           uint64
			Type, Content string
		}
		if err := json.Unmarshal(text, &e); err != nil {
			t.Fatal(err)
		}
		if seqs = append(seqs, e.Seq); e.Type == "user" {
			all = append(all, e.Content)
		}
	}
	return all, seqs
}

// The messages of the room are too large to be all at hand.
func TestPagesOfARoomHaveAllEventsOnce(t *testing.T) {
	t.Parallel()
	h, hub := opened(t, t.TempDir(), of("office"))
	b := h.Backend()
	var want []string
	for n := range 90 {
		want = append(want, fmt.Sprintf("%d %s", n, strings.Repeat("x", 60<<10)))
	}
	sayAll(t, b, hub, "ops", want...)
	for _, limit := range []int{20, 1000} {
		var got []string
		var before uint64
		for more := true; more; {
			page, err := b.Rooms.Page(t.Context(), "ops", before, limit)
			if err != nil {
				t.Fatal(err)
			}
			said, seqs := contents(t, page)
			if len(seqs) == 0 {
				t.Fatalf("limit %d: an empty page before %d", limit, before)
			}
			if before > 0 && seqs[len(seqs)-1] >= before {
				t.Fatalf("limit %d: the page before %d ends with %d", limit, before, seqs[len(seqs)-1])
			}
			got = append(said, got...)
			before, more = seqs[0], page.More
		}
		if len(got) != len(want) {
			t.Fatalf("limit %d: %d of %d messages", limit, len(got), len(want))
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("limit %d: message %d is %.10s", limit, i, got[i])
			}
		}
	}
}

func TestMessagesFromBeforeARestartAreInTheFeed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, hub := opened(t, dir, of("office"))
	sayAll(t, h.Backend(), hub, "ops", "one")
	at := hub.Cursor()
	sayAll(t, h.Backend(), hub, "ops", "two")
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	again, hub := opened(t, dir, of("office"))
	if err := again.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	c, err := hub.Join("test", "test", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Leave(c)
	hub.Subscribe(c, api.Subscription{Rooms: []string{"ops"}, Types: []string{api.FrameRoom}}, at)
	if _, err := again.Backend().Rooms.Say(t.Context(), "ops", api.NewMessage{Content: "three"}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for f := range hub.Frames(t.Context(), c) {
		var e struct{ Type, Content string }
		if f.Event != nil && json.Unmarshal(f.Event, &e) == nil && e.Type == "user" {
			got = append(got, e.Content)
		}
		if e.Content == "three" {
			break
		}
	}
	if strings.Join(got, " ") != "two three" {
		t.Errorf("got %v", got)
	}
}

func TestAMessageHasTheStatedPriority(t *testing.T) {
	t.Parallel()
	b := withOffice(t, t.TempDir(), of("office"))
	for i, want := range []string{"urgent", "normal", "background"} {
		for _, stated := range []string{fmt.Sprintf("%q", want), fmt.Sprint(i + 1)} {
			var m api.NewMessage
			if err := json.Unmarshal([]byte(`{"content":"hi","priority":`+stated+`}`), &m); err != nil {
				t.Fatal(err)
			}
			got, err := b.Rooms.Say(t.Context(), "ops", m)
			if err != nil || got.Priority != want {
				t.Errorf("%s: got %+v (%v), want %s", stated, got, err, want)
			}
		}
	}
	if got, err := b.Rooms.Say(t.Context(), "ops", api.NewMessage{Content: "FYI: nothing"}); err != nil || got.Priority != "background" {
		t.Errorf("without a priority: got %+v (%v), want what its words say", got, err)
	}
}

// The rooms cannot be read until their clock tells the time.
func TestServerListensBeforeRoomsAreRead(t *testing.T) {
	t.Parallel()
	read := make(chan struct{})
	slow := of("office")
	slow.Make = func(store journal.Store, keys *events.Keys) (*rooms.Options, error) {
		o, err := of("office").Make(store, keys)
		if err == nil {
			o.Clock = func() time.Time { <-read; return time.Now() }
		}
		return o, err
	}
	h, _ := opened(t, t.TempDir(), slow)
	b := h.Backend()
	if one := solve(t, b, payments); one.State != api.Decided {
		t.Errorf("meanwhile a solve is %s", one.State)
	}
	if s, err := b.System.Session(t.Context()); err != nil || len(s.Reading) != 1 || s.Reading[0].Run != "office" || s.Reading[0].Type != "rooms" {
		t.Errorf("what is read: %+v (%v)", s.Reading, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := b.Rooms.Room(ctx, "ops"); !errors.Is(err, context.Canceled) {
		t.Errorf("a room that has not been read: %v", err)
	}
	close(read)
	if err := h.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if all, err := b.Rooms.Rooms(t.Context()); err != nil || len(all) != 2 {
		t.Errorf("the rooms are %+v (%v)", all, err)
	}
	if s, err := b.System.Session(t.Context()); err != nil || len(s.Reading) != 0 {
		t.Errorf("what is read: %+v (%v)", s.Reading, err)
	}
}

func TestRoomsThatCannotBeReadAreAProblemOfTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, hub := opened(t, dir, of("office"))
	sayAll(t, h.Backend(), hub, "ops", "one")
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	forge(t, dir)
	again, _ := opened(t, dir, of("office"))
	if err := again.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	b := again.Backend()
	if _, err := b.Rooms.Rooms(t.Context()); status(err) != http.StatusServiceUnavailable {
		t.Errorf("the rooms: %v", err)
	}
	health, err := b.System.Health(t.Context())
	if err != nil || health.OK || health.Logs[1].Problem == "" {
		t.Errorf("the health is %+v (%v)", health.Logs, err)
	}
	if one := solve(t, b, payments); one.State != api.Decided {
		t.Errorf("a solve is %s", one.State)
	}
}

func TestAnOfficeHasTheNameOfARun(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "my.office", "a:b", "a,b", "../office", "a b"} {
		_, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Hub: feed.New(feed.Options{}), Office: of(name)})
		if err == nil || !strings.Contains(err.Error(), "use letters, digits") {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// forge appends a record to the journal of rooms that no router writes: the end of a turn that
// never began.
func forge(t *testing.T, dir string) {
	t.Helper()
	store, err := journal.Open(filepath.Join(dir, "office.journal"), nil)
	if err != nil {
		t.Fatal(err)
	}
	seq, now := store.Last()+1, time.Unix(1, 0)
	record, err := journal.SignalRecord(signals.New(
		signals.Header{Source: "Reed", Thread: "ops", Time: now, TTL: -1, Confidence: 1, ID: signals.NewMint().ID(seq, now), Seq: seq},
		roomlog.Ended{Turn: 99, Outcome: roomlog.Spoke},
	))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Append(record); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestARunOfRoomsWithForgedTurnsIsNotWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, hub := opened(t, dir, of("office"))
	sayAll(t, h.Backend(), hub, "ops", "one")
	whole := func() api.Verification {
		v, err := h.Backend().Runs.Verify(t.Context(), "office", true)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if v := whole(); !v.Whole || v.Problem != "" {
		t.Errorf("before: %+v", v)
	}
	if err := h.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	forge(t, dir)
	if v := whole(); v.Whole || v.Problem == "" {
		t.Errorf("after: %+v", v)
	}
}

func TestAMessageToNoMemberNamesTheFieldAndLikelyMembers(t *testing.T) {
	t.Parallel()
	b := withOffice(t, t.TempDir(), of("office"))
	for to, want := range map[string]string{"REED": `not a member of room ops; did you mean "Reed"?`, "Somebody": "not a member of room ops"} {
		_, err := b.Rooms.Say(t.Context(), "ops", api.NewMessage{Content: "hi", To: []string{to}})
		problem := (*api.Error)(nil)
		if !errors.As(err, &problem) || problem.Status != http.StatusUnprocessableEntity || len(problem.Errors) != 1 {
			t.Fatalf("%s: %+v", to, err)
		}
		if at := problem.Errors[0]; at.Location != "body.to" || at.Value != to || at.Message != want {
			t.Errorf("%s: %+v", to, at)
		}
	}
}
