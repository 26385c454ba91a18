package feed_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
)

func user(*http.Request) string { return "somebody" }

// serve serves a hub until the test ends.
func serve(t testing.TB, hub *feed.Hub) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/feed", hub.Events(user))
	mux.Handle("/socket", hub.Socket(user))
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	t.Cleanup(hub.Close) // first
	return s.URL
}

// said is the frame of a signal.
func said(log string, seq uint64) api.Frame {
	return api.Frame{
		Type: api.FrameSignal, Log: log, Seq: seq, Kind: "vote", Solve: &api.Solve{ID: log + ".s"},
		Said: &api.Said{Seq: seq, Text: fmt.Sprintf("text %d", seq)},
	}
}

func publish(t testing.TB, hub *feed.Hub, frames ...api.Frame) {
	t.Helper()
	for _, f := range frames {
		if err := hub.Publish(f); err != nil {
			t.Fatal(err)
		}
	}
}

// A reader reads server-sent events.
type reader struct {
	t    testing.TB
	in   *bufio.Reader
	end  func()
	last string // id of the last event
}

func read(t testing.TB, address string, header ...string) *reader {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	got, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	if got.StatusCode != http.StatusOK {
		t.Fatalf("status %d", got.StatusCode)
	}
	end := func() { cancel(); _ = got.Body.Close() }
	t.Cleanup(end)
	return &reader{t: t, in: bufio.NewReaderSize(got.Body, 1<<16), end: end}
}

// next returns the next frame and its text.
func (r *reader) next() (f api.Frame, text string) {
	r.t.Helper()
	for {
		line, err := r.in.ReadString('\n')
		if err != nil {
			r.t.Fatalf("the feed ended: %v", err)
		}
		line = strings.TrimSuffix(line, "\n")
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			r.last = id
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			if err := json.Unmarshal([]byte(data), &f); err != nil {
				r.t.Fatal(err)
			}
			return f, data
		}
	}
}

// seqs returns the positions of the next n frames, which are of signals.
func (r *reader) seqs(n int) (all []uint64) {
	r.t.Helper()
	for range n {
		f, _ := r.next()
		if f.Type != api.FrameSignal {
			r.t.Fatalf("got a %s frame: %+v", f.Type, f)
		}
		all = append(all, f.Seq)
	}
	return all
}

func upTo(from, to uint64) (all []uint64) {
	for seq := from; seq <= to; seq++ {
		all = append(all, seq)
	}
	return all
}

func TestTheFirstFrameHasThePositionOfTheFeed(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{Boot: "b1"})
	hub.At("a", 7)
	r := read(t, serve(t, hub)+"/feed")
	f, _ := r.next()
	if f.Type != api.FrameHello || f.Boot != "b1" || f.Cursor["a"] != 7 || r.last != "a:7" {
		t.Errorf("got %+v with id %q", f, r.last)
	}
}

func TestALogThatIsHeldBackIsReadBeforeItIsFollowed(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	release := hub.Hold("a")
	address := serve(t, hub) + "/feed"
	early := read(t, address)
	early.next() // hello
	back := make(chan *reader)
	go func() { back <- read(t, address+"?after=a:3") }()
	for seq := range uint64(5) {
		publish(t, hub, said("a", seq+1))
	}
	publish(t, hub, said("b", 9))
	if f, _ := early.next(); f.Log != "b" {
		t.Errorf("before the past was read: %+v", f)
	}
	select {
	case <-back:
		t.Error("a client that continues in the past does not wait for it")
	default:
	}
	release()
	if f, _ := early.next(); f.Type != api.FrameResync || f.Cursor["a"] != 5 {
		t.Errorf("after the past was read: %+v", f)
	}
	r := <-back
	r.next() // hello
	if got := r.seqs(2); !slices.Equal(got, upTo(4, 5)) {
		t.Errorf("the client that came back gets %v", got)
	}
	publish(t, hub, said("a", 6))
	for _, each := range []*reader{early, r} {
		if got := each.seqs(1); got[0] != 6 {
			t.Errorf("then %v", got)
		}
	}
}

func TestAClientThatComesBackMissesNothingAndGetsNothingTwice(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	address := serve(t, hub) + "/feed"
	r := read(t, address)
	r.next()
	for seq := uint64(1); seq <= 100; seq++ {
		publish(t, hub, said("a", seq), said("b", 1000+seq))
	}
	got := map[string][]uint64{}
	take := func(r *reader, n int) {
		for range n {
			f, _ := r.next()
			got[f.Log] = append(got[f.Log], f.Seq)
		}
	}
	take(r, 77)
	r.end()
	publish(t, hub, said("a", 101), said("b", 1101))
	back := read(t, address, "Last-Event-ID", r.last)
	back.next() // hello
	take(back, 202-77)
	publish(t, hub, said("a", 102))
	take(back, 1)
	if !slices.Equal(got["a"], upTo(1, 102)) || !slices.Equal(got["b"], upTo(1001, 1101)) {
		t.Errorf("got %v", got)
	}
}

func TestAClientThatReconnectsTooLateGetsAResync(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{Keep: 10})
	for seq := uint64(1); seq <= 50; seq++ {
		publish(t, hub, said("a", seq))
	}
	for _, after := range []string{"a:39", "a:51"} { // not kept; of another log under that name
		r := read(t, serveAgain(t, hub)+"/feed?after="+after)
		r.next()
		f, _ := r.next()
		if f.Type != api.FrameResync || f.Cursor["a"] != 50 {
			t.Errorf("after %s: got %+v", after, f)
		}
	}
	r := read(t, serveAgain(t, hub)+"/feed?after=a:40")
	r.next()
	if got := r.seqs(10); !slices.Equal(got, upTo(41, 50)) {
		t.Errorf("got %v", got)
	}
}

// serveAgain is serve for a hub that others serve too.
func serveAgain(t testing.TB, hub *feed.Hub) string {
	t.Helper()
	s := httptest.NewServer(hub.Events(user))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

func TestASlowClientGetsAResyncAndDelaysNoOther(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{Queue: 64, Write: time.Minute})
	address := serve(t, hub)
	slow := read(t, address+"/feed")
	slow.next() // it reads no more, for now
	fast := read(t, address+"/feed")
	fast.next()
	const most = 64
	seq := uint64(0)
	for hub.Health().Resyncs == 0 {
		for range most / 2 { // so that the fast one keeps up
			seq++
			f := said("a", seq)
			f.Said.Text = strings.Repeat("x", 8<<10)
			publish(t, hub, f)
		}
		for range most / 2 {
			if f, _ := fast.next(); f.Type != api.FrameSignal {
				t.Fatalf("the fast client got %+v", f)
			}
		}
	}
	var before uint64
	for {
		f, _ := slow.next()
		if f.Type != api.FrameResync {
			if f.Seq != before+1 {
				t.Fatalf("the slow client got %d after %d without a resync", f.Seq, before)
			}
			before = f.Seq
			continue
		}
		if f.Cursor["a"] <= before {
			t.Errorf("it continues at %d after %d", f.Cursor["a"], before)
		}
		before = f.Cursor["a"]
		break
	}
	publish(t, hub, said("a", seq+1))
	for before < seq+1 {
		f, _ := slow.next()
		if f.Seq != before+1 {
			t.Fatalf("after the resync: %d after %d", f.Seq, before)
		}
		before = f.Seq
	}
}

func TestMemoryOfASlowClientIsBounded(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{Queue: 64, Keep: 8})
	c, err := hub.Join("u", "sse", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer hub.Leave(c)
	hub.Subscribe(c, api.Subscription{}, nil)
	for seq := uint64(1); seq <= 10_000; seq++ {
		publish(t, hub, said("a", seq))
		if got := hub.Health().Clients[0].Queue; got > 64 {
			t.Fatalf("%d frames wait", got)
		}
	}
}

func TestBothWaysHaveTheSameFrames(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	address := serve(t, hub)
	events := read(t, address+"/feed")
	socket := dial(t, address)
	events.next()
	socket.next()
	room := api.Frame{Type: api.FrameRoom, Log: "o", Seq: 3, Kind: "dialogue", Room: "ops", Event: json.RawMessage(`{"content":"<b>\u202e"}`)}
	publish(t, hub, said("a", 1), room, said("a", 2))
	for range 3 {
		_, a := events.next()
		if b := socket.next(); a != b {
			t.Errorf("by events:    %s\nby WebSocket: %s", a, b)
		}
	}
}

// A listener reads a WebSocket.
type listener struct {
	t    testing.TB
	conn *websocket.Conn
}

func dial(t testing.TB, address string) *listener {
	t.Helper()
	conn, got, err := websocket.Dial(t.Context(), address+"/socket", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Body != nil {
		_ = got.Body.Close()
	}
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return &listener{t: t, conn: conn}
}

func (l *listener) next() string {
	l.t.Helper()
	_, text, err := l.conn.Read(l.t.Context())
	if err != nil {
		l.t.Fatal(err)
	}
	if !json.Valid(text) {
		l.t.Fatalf("a message is not one JSON value: %s", text)
	}
	return string(text)
}

func TestAClientSubscribesToSolvesRoomsAndKinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		some := func(of ...string) *rapid.Generator[[]string] {
			return rapid.SliceOfNDistinct(rapid.SampledFrom(of), 0, len(of), rapid.ID[string])
		}
		sub := api.Subscription{
			Solves: some("a.s", "b.s").Draw(rt, "solves"), Rooms: some("ops", "design").Draw(rt, "rooms"),
			Kinds: some("vote", "dialogue", "proposal").Draw(rt, "kinds"), Types: some("signal", "room").Draw(rt, "types"),
		}
		hub := feed.New(feed.Options{})
		c, err := hub.Join("u", "sse", time.Now())
		if err != nil {
			rt.Fatal(err)
		}
		hub.Subscribe(c, sub, nil)
		want := 0
		n := rapid.IntRange(0, 30).Draw(rt, "frames")
		for seq := range n {
			f := api.Frame{Log: "l", Seq: uint64(seq + 1), Kind: rapid.SampledFrom([]string{"vote", "dialogue", "proposal"}).Draw(rt, "kind")}
			in := func(all []string, one string) bool { return len(all) == 0 || slices.Contains(all, one) }
			selected := in(sub.Kinds, f.Kind)
			if rapid.Bool().Draw(rt, "room") {
				f.Type, f.Room = api.FrameRoom, rapid.SampledFrom([]string{"ops", "design", "front"}).Draw(rt, "name")
				selected = selected && in(sub.Rooms, f.Room)
			} else {
				f.Type, f.Solve = api.FrameSignal, &api.Solve{ID: rapid.SampledFrom([]string{"a.s", "b.s", "c.s"}).Draw(rt, "solve")}
				selected = selected && in(sub.Solves, f.Solve.ID)
			}
			if selected && in(sub.Types, f.Type) {
				want++
			}
			if err := hub.Publish(f); err != nil {
				rt.Fatal(err)
			}
		}
		if got := hub.Health().Clients[0].Queue; got != want {
			rt.Errorf("got %d frames, want %d of %d by %+v", got, want, n, sub)
		}
	})
}

func TestAWebSocketSubscribesAnew(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	l := dial(t, serve(t, hub))
	l.next()
	publish(t, hub, said("a", 1), said("b", 1))
	l.next()
	l.next()
	if err := l.conn.Write(t.Context(), websocket.MessageText, []byte(`{"solves":["b.s"],"after":["a:0","b:0"]}`)); err != nil {
		t.Fatal(err)
	}
	var f api.Frame
	if err := json.Unmarshal([]byte(l.next()), &f); err != nil || f.Log != "b" || f.Seq != 1 {
		t.Errorf("got %+v (%v), want what it missed of b", f, err)
	}
}

func TestAWebSocketThatSendsInvalidMessagesIsClosed(t *testing.T) {
	t.Parallel()
	for _, text := range []string{`{"from":"planner"}`, `[]`, `{"after":["../../x"]}`, strings.Repeat("x", 100<<10)} {
		hub := feed.New(feed.Options{})
		l := dial(t, serve(t, hub))
		l.next()
		if err := l.conn.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			continue
		}
		if _, _, err := l.conn.Read(t.Context()); err == nil {
			t.Errorf("%.40q was accepted", text)
		}
	}
}

func TestAQueryThatIsNoSubscriptionIsRefused(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	base := serve(t, hub)
	for _, query := range []string{"after=" + url.QueryEscape("a:-1"), "rooms=ops", "thread=s", "solve=a.b&bogus=1"} {
		for _, path := range []string{"/feed?", "/socket?"} {
			got, err := http.Get(base + path + query)
			if err != nil {
				t.Fatal(err)
			}
			if _ = got.Body.Close(); got.StatusCode != http.StatusUnprocessableEntity {
				t.Errorf("%s%s: status %d", path, query, got.StatusCode)
			}
		}
	}
}

func TestAClosedHubEndsItsClients(t *testing.T) {
	t.Parallel()
	hub := feed.New(feed.Options{})
	r := read(t, serve(t, hub)+"/feed")
	r.next()
	hub.Close()
	if rest, err := io.ReadAll(r.in); err != nil || len(bytes.TrimSpace(rest)) > 0 {
		t.Errorf("got %q (%v)", rest, err)
	}
	if _, err := hub.Join("u", "sse", time.Now()); err == nil {
		t.Error("a closed hub took a client")
	}
}
