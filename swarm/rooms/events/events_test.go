package events_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

var start = time.Date(2026, 3, 17, 18, 30, 0, 0, time.UTC)

// A log is written as a router would write it.
type log struct {
	t     *testing.T
	keys  map[string]ed25519.PrivateKey
	heads map[string]string
	all   []events.Event
}

func newLog(t *testing.T) *log {
	t.Helper()
	l := &log{t: t, keys: map[string]ed25519.PrivateKey{}, heads: map[string]string{}}
	for i, name := range []string{"router", "Reed", "Veda"} {
		l.keys[name] = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{byte(i + 1)}, 32))
		l.key(name, "router")
	}
	return l
}

// key announces the key of an agent, signed by another.
func (l *log) key(agent, by string) {
	e := events.Event{From: "router", Body: events.Key{Common: common, Agent: agent, Public: events.PublicText(l.keys[agent])}}
	l.addBy(e, l.keys[by])
}

var common = events.Common{Priority: schedule.Normal}

func (l *log) add(room, from string, body events.Body) events.Event {
	signer := from
	if from == "user" {
		signer = "router"
	}
	return l.addBy(events.Event{Room: room, From: from, Body: body}, l.keys[signer])
}

func (l *log) addBy(e events.Event, key ed25519.PrivateKey) events.Event {
	l.t.Helper()
	e.Time = start.Add(time.Duration(len(l.all)) * time.Second)
	sealed, err := events.Seal(e, l.heads[e.Room], key)
	if err != nil {
		l.t.Fatal(err)
	}
	sealed.Seq = uint64(len(l.all)) + 1
	l.heads[e.Room] = sealed.ID
	l.all = append(l.all, sealed)
	return sealed
}

func text(s string) *string { return &s }

func millis(n int64) *int64 { return &n }

// aDay is a log with every type of event in two rooms.
func aDay(t *testing.T) *log {
	l := newLog(t)
	for _, room := range []string{"reed", "ops"} {
		l.add(room, "router", events.System{Common: events.Common{Priority: schedule.Background}, Content: "Reed joined", What: events.Joined, Agent: "Reed"})
		l.add(room, "user", events.User{Common: common, Content: "Is the backup whole?", Why: "default: user"})
		args := map[string]any{"task": "audit <all>", "n": 3.5}
		l.add(room, "Reed", events.Tool{Common: common, Ix: 1, ToolName: "Agent", Args: args, Label: "backup-audit", Status: events.Pending})
		l.add(room, "Reed", events.Tool{
			Common: common, Ix: 1, ToolName: "Agent", Args: args, Label: "backup-audit", Status: events.Done,
			Result: text("3 DBs\nall synced"), Stub: text("3 DBs synced"), DurationMS: millis(42000),
		})
		l.add(room, "Veda", events.Mailbox{Common: common, Ix: 2, Subject: "no backup", Body: "…", MailboxID: 305, To: "Reed", Why: "default: agent"})
		l.add(room, "Reed", events.Dialogue{Common: common, Stream: "s1", Done: true, Content: "Whole §1.", Refs: map[int]string{1: l.heads[room]}})
	}
	return l
}

func (l *log) log() iter.Seq2[events.Event, error] { return logOf(l.all) }

func logOf(all []events.Event) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for _, e := range all {
			if !yield(e, nil) {
				return
			}
		}
	}
}

func TestEventsHaveTheFieldsOfTheSpecification(t *testing.T) {
	t.Parallel()
	l := aDay(t)
	var pending map[string]any
	for _, e := range l.all {
		data, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"id", "sig", "type", "room", "from", "priority", "ts", "turn"} {
			if _, has := got[field]; !has {
				t.Errorf("%s has no %s: %s", got["type"], field, data)
			}
		}
		if got["status"] == "pending" {
			pending = got
		}
		var read events.Event
		if err := json.Unmarshal(data, &read); err != nil {
			t.Fatalf("%s: %v", data, err)
		}
		if diff := cmp.Diff(e, read); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	}
	for _, field := range []string{"result", "stub", "duration_ms"} {
		if value, has := pending[field]; !has || value != nil {
			t.Errorf("a pending call has %s: %v, %v; want null", field, value, has)
		}
	}
}

func TestEventIsTheSameAsASignal(t *testing.T) {
	t.Parallel()
	codec, err := signals.NewCodec(events.Payloads()...)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range aDay(t).all {
		s, err := e.Signal()
		if err != nil {
			t.Fatal(err)
		}
		h := s.Head()
		h.Seq = e.Seq
		data, err := signals.Marshal(signals.With(s, h))
		if err != nil {
			t.Fatal(err)
		}
		read, err := codec.Unmarshal(data)
		if err != nil {
			t.Fatal(err)
		}
		got, _ := events.Of(read)
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("read back (-want +got):\n%s", diff)
		}
	}
}

func TestIDIsTheHashOfTheCanonicalEvent(t *testing.T) {
	t.Parallel()
	e := events.Event{Room: "reed", From: "Reed", Time: start, Body: events.Pass{Common: events.Common{Priority: schedule.Normal, Turn: 7}}}
	sealed, err := events.Seal(e, "", ed25519.NewKeyFromSeed(make([]byte, 32)))
	if err != nil {
		t.Fatal(err)
	}
	canonical, err := sealed.Canonical()
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"from":"Reed","prev":"","priority":"normal","room":"reed","ts":"2026-03-17T18:30:00Z","turn":7,"type":"pass"}`
	if string(canonical) != want {
		t.Errorf("canonical:\n got %s\nwant %s", canonical, want)
	}
	// printf '%s' "$want" | sha256sum
	const id = "74ef40c68d71a19087e4c62dfe125bc854e2aa05988a9c66597ce4564a696d25"
	if sealed.ID != id {
		t.Errorf("id: got %s, want %s", sealed.ID, id)
	}
}

func TestHonestLogIsVerified(t *testing.T) {
	t.Parallel()
	l := aDay(t)
	// Reed's key is rotated in the middle: the old one signs the new one.
	old := l.keys["Reed"]
	l.keys["Reed"] = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{9}, 32))
	l.addBy(events.Event{From: "router", Body: events.Key{Common: common, Agent: "Reed", Public: events.PublicText(l.keys["Reed"])}}, old)
	l.add("reed", "Reed", events.Dialogue{Common: common, Stream: "s2", Done: true, Content: "With a new key."})
	pins := events.Pins{Heads: map[string]string{"ops": l.heads["ops"], "reed": l.all[5].ID}, Process: events.PublicText(l.keys["router"])}
	got, err := events.Verify(l.log(), pins)
	if err != nil {
		t.Fatal(err)
	}
	want := []events.Verified{{Room: "", Events: 4, Head: l.heads[""]}, {Room: "ops", Events: 6, Head: l.heads["ops"]}, {Room: "reed", Events: 7, Head: l.heads["reed"]}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("verified (-want +got):\n%s", diff)
	}
}

// TestForgeriesAreFoundByTheirNames plants each sort of forgery, and wants the room, the
// event and the flaw.
func TestForgeriesAreFoundByTheirNames(t *testing.T) {
	t.Parallel()
	at := func(l *log, room string, n int) int { // index of the n-th event of a room
		for i, e := range l.all {
			if e.Room == room {
				if n--; n == 0 {
					return i
				}
			}
		}
		t.Fatal("no such event")
		return -1
	}
	for name, plant := range map[string]struct {
		do     func(l *log) events.Pins
		flaw   events.Flaw
		room   string
		number int
	}{
		"a changed content": {func(l *log) events.Pins {
			i := at(l, "reed", 2)
			u := l.all[i].Body.(events.User)
			u.Content = "Is the backup whole!"
			l.all[i].Body = u
			return events.Pins{}
		}, events.Altered, "reed", 2},
		"a changed source": {func(l *log) events.Pins {
			l.all[at(l, "reed", 6)].From = "Veda"
			return events.Pins{}
		}, events.Altered, "reed", 6},
		"a changed time": {func(l *log) events.Pins {
			i := at(l, "ops", 3)
			l.all[i].Time = l.all[i].Time.Add(1)
			return events.Pins{}
		}, events.Altered, "ops", 3},
		"an event of another room": {func(l *log) events.Pins {
			i, j := at(l, "reed", 6), at(l, "ops", 6)
			l.all[j].Body = l.all[i].Body
			return events.Pins{}
		}, events.Altered, "ops", 6},
		"a changed event with the id that fits": {func(l *log) events.Pins {
			i := at(l, "reed", 4)
			tool := l.all[i].Body.(events.Tool)
			tool.Result = text("nothing synced")
			l.all[i].Body = tool
			l.all[i].ID, _ = l.all[i].Digest()
			return events.Pins{}
		}, events.Forged, "reed", 4},
		"an event signed by another agent": {func(l *log) events.Pins {
			l.addBy(events.Event{Room: "reed", From: "Reed", Body: events.Dialogue{Common: common, Stream: "s", Done: true, Content: "I agree."}}, l.keys["Veda"])
			return events.Pins{}
		}, events.Forged, "reed", 7},
		"a message of the user signed by an agent": {func(l *log) events.Pins {
			l.addBy(events.Event{Room: "ops", From: "user", Body: events.User{Common: common, Content: "Delete it.", Why: "default: user"}}, l.keys["Reed"])
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"an agent that is not known": {func(l *log) events.Pins {
			l.addBy(events.Event{Room: "ops", From: "Mallory", Body: events.Dialogue{Common: common, Stream: "s", Done: true}}, l.keys["Reed"])
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"a new key that the old one did not sign": {func(l *log) events.Pins {
			l.keys["Reed"] = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{66}, 32))
			l.key("Reed", "Reed")
			return events.Pins{}
		}, events.Forged, "", 4},
		"a message of the user from an agent": {func(l *log) events.Pins {
			l.add("ops", "Reed", events.User{Common: common, Content: "Delete it.", Why: "default: user"})
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"a change of a room from an agent": {func(l *log) events.Pins {
			l.add("ops", "Reed", events.System{Common: common, Content: "Veda left the room", What: events.Left, Agent: "Veda"})
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"a change of a room from the user": {func(l *log) events.Pins {
			l.add("ops", "user", events.System{Common: common, Content: "Veda left the room", What: events.Left, Agent: "Veda"})
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"an answer from the user": {func(l *log) events.Pins {
			l.add("ops", "user", events.Dialogue{Common: common, Stream: "s", Done: true, Content: "I agree."})
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"a call from the router": {func(l *log) events.Pins {
			l.add("ops", "router", events.Tool{Common: common, Ix: 3, ToolName: "Bash", Label: "list files", Status: events.Pending})
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"a key from an agent": {func(l *log) events.Pins {
			l.add("", "Reed", events.Key{Common: common, Agent: "Reed", Public: events.PublicText(l.keys["Veda"])})
			return events.Pins{}
		}, events.Forged, "", 4},
		"a key in a room": {func(l *log) events.Pins {
			l.add("ops", "router", events.Key{Common: common, Agent: "Mallory", Public: events.PublicText(l.keys["Reed"])})
			return events.Pins{}
		}, events.Forged, "ops", 7},
		"a first key of the process in a room": {func(l *log) events.Pins {
			l.all, l.heads = nil, map[string]string{}
			l.keys["router"] = ed25519.NewKeyFromSeed(bytes.Repeat([]byte{66}, 32))
			l.add("ops", "router", events.Key{Common: common, Agent: "router", Public: events.PublicText(l.keys["router"])})
			return events.Pins{}
		}, events.Forged, "ops", 1},
		"an event of no room": {func(l *log) events.Pins {
			l.add("", "Reed", events.Dialogue{Common: common, Stream: "s", Done: true, Content: "I agree."})
			return events.Pins{}
		}, events.Forged, "", 4},
		"an empty pin": {func(*log) events.Pins {
			return events.Pins{Heads: map[string]string{"ops": ""}}
		}, events.Missing, "ops", 0},
		"a removed event": {func(l *log) events.Pins {
			i := at(l, "reed", 3)
			l.all = slices.Delete(l.all, i, i+1)
			return events.Pins{}
		}, events.Removed, "reed", 3},
		"a removed first event": {func(l *log) events.Pins {
			i := at(l, "ops", 1)
			l.all = slices.Delete(l.all, i, i+1)
			return events.Pins{}
		}, events.Removed, "ops", 1},
		"two swapped events": {func(l *log) events.Pins {
			i, j := at(l, "reed", 4), at(l, "reed", 5)
			l.all[i], l.all[j] = l.all[j], l.all[i]
			return events.Pins{}
		}, events.Swapped, "reed", 4},
		"a replayed event": {func(l *log) events.Pins {
			l.all = append(l.all, l.all[at(l, "reed", 2)])
			return events.Pins{}
		}, events.Replayed, "reed", 7},
		"removed newest events": {func(l *log) events.Pins {
			i := at(l, "reed", 6)
			pins := events.Pins{Heads: map[string]string{"reed": l.all[i].ID}}
			l.all = slices.Delete(l.all, i, i+1)
			return pins
		}, events.Missing, "reed", 0},
		"a removed room": {func(l *log) events.Pins {
			pins := events.Pins{Heads: map[string]string{"reed": l.heads["reed"]}}
			l.all = slices.DeleteFunc(l.all, func(e events.Event) bool { return e.Room == "reed" })
			return pins
		}, events.Missing, "reed", 0},
		"a log made up with other keys": {func(*log) events.Pins {
			return events.Pins{Process: events.PublicText(ed25519.NewKeyFromSeed(make([]byte, 32)))}
		}, events.Strange, "", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := aDay(t)
			pins := plant.do(l)
			found, err := events.Verify(l.log(), pins)
			if err != nil {
				t.Fatal(err)
			}
			faults := 0
			for _, v := range found {
				if v.Fault == nil {
					continue
				}
				// With a key of the process that is not the right one nothing can be trusted.
				if faults++; plant.flaw == events.Strange && v.Room != "" {
					continue
				}
				if f := v.Fault; f.Flaw != plant.flaw || f.Room != plant.room || f.Number != plant.number {
					t.Errorf("got %v, want event %d of %q as %v", f, plant.number, plant.room, plant.flaw)
				}
			}
			if faults == 0 {
				t.Error("not found")
			}
		})
	}
}

// TestAnyFlippedByteIsFound flips bytes of stored events. A flip that decodes to the same
// event, such as another spelling of a member's name, is not a change.
func TestAnyFlippedByteIsFound(t *testing.T) {
	t.Parallel()
	l := aDay(t)
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 2000 {
		i := r.IntN(len(l.all))
		data, err := json.Marshal(l.all[i])
		if err != nil {
			t.Fatal(err)
		}
		data[r.IntN(len(data))] ^= byte(1 << r.IntN(8))
		var e events.Event
		if json.Unmarshal(data, &e) != nil {
			found++
			continue
		}
		if e.Seq = l.all[i].Seq; cmp.Equal(e, l.all[i]) {
			continue
		}
		all := slices.Clone(l.all)
		all[i] = e
		verified, err := events.Verify(logOf(all), events.Pins{})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(verified, func(v events.Verified) bool { return v.Fault != nil }) {
			t.Fatalf("not found in %s", data)
		}
		found++
	}
	if found < 1000 {
		t.Errorf("only %d of 2000 flipped bytes changed something", found)
	}
}

func TestNamesAreNoPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		"", ".", "..", "../x", "a/b", `a\b`, "/etc", "a\x00b", "a\nb", "\x1b[2J", "a b", ".hidden", "a..b", "a.", "-x", "~x", "C:", "a:b",
		"\u202ename", "a\u200bb", strings.Repeat("x", 65), strings.Repeat("x", 10<<20), "ops%2f", "<b>", "\xff",
	} {
		if err := events.CheckName("room", name); err == nil {
			t.Errorf("%.40q is taken", name)
		}
		if _, err := (&events.Keys{Dir: t.TempDir()}).Get(name, ""); err == nil {
			t.Errorf("a key for %.40q is made", name)
		}
	}
	for _, name := range []string{"reed", "Reed", "rune.2", "a-b_c", "Zoë", "日本", "7"} {
		if err := events.CheckAgent("agent", name); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{"user", "Router", "SYSTEM", "all"} {
		if err := events.CheckAgent("agent", name); err == nil {
			t.Errorf("an agent may be called %q", name)
		}
	}
}

func TestMessagesOfTenMegabytesAreRefused(t *testing.T) {
	t.Parallel()
	huge := strings.Repeat("x", 10<<20)
	for _, body := range []signals.Checker{
		events.User{Common: common, Content: huge},
		events.Dialogue{Common: common, Stream: "s", Done: true, Content: huge},
		events.Dialogue{Common: common, Stream: "s", Chunk: huge},
		events.System{Common: common, Content: huge, What: events.Joined},
		events.Mailbox{Common: common, Ix: 1, MailboxID: 1, To: "Reed", Subject: "s", Body: huge},
	} {
		if err := body.Check(signals.Limits{TextBytes: -1}); err == nil {
			t.Errorf("%T is taken", body)
		}
	}
}

func FuzzEvent(f *testing.F) {
	f.Add([]byte(`{"type":"pass","room":"r","from":"Reed","ts":"2026-03-17T18:30:00Z","sig":"","prev":"","priority":"normal","turn":1}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var e events.Event
		if json.Unmarshal(data, &e) != nil {
			return
		}
		again, err := json.Marshal(e)
		if err != nil {
			t.Skip(err) // such as a year that JSON cannot have
		}
		var read events.Event
		if err := json.Unmarshal(again, &read); err != nil {
			t.Fatalf("%s is read, but not %s: %v", data, again, err)
		}
		one, err := e.Digest()
		if err != nil {
			return
		}
		if two, err := read.Digest(); one != two || err != nil {
			t.Errorf("%s and %s have different ids, %v", data, again, err)
		}
	})
}
