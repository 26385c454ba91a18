package roomlog_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// A twin chooses turns as the documentation words it: by loops over all rooms and agents.
type twin struct {
	*writer
	now           time.Time
	stamp         uint64
	agents, rooms map[string]uint64 // when they came or were served last
	choices       map[string]int    // in each room; between rooms: ""
	of            map[uint64]string // the rooms of messages
	failed        map[string]time.Time
	awake         map[string]bool // the pause after the last failure has ended
}

// A candidate waits for a turn.
type candidate struct {
	name   string
	level  schedule.Priority
	served uint64
}

// next is whose turn it is after so many choices.
func next(choices int, all []candidate) (first candidate, longest bool) {
	longest = choices%4 == 3
	for _, c := range all {
		better := c.served < first.served
		if !longest && c.level != first.level {
			better = c.level < first.level
		}
		if better || first.name == "" {
			first = c
		}
	}
	return first, longest
}

// waits returns the room in which an agent waits, and its level; "": it does not wait.
func (w *twin) waits(a *roomlog.Agent) (room string, level schedule.Priority) {
	if a.Running != nil {
		return "", 0
	}
	level = schedule.Background
	for _, m := range a.Mail {
		level = min(level, m.Common().Priority)
		if room = a.Mail[0].Room; !slices.Contains(a.Rooms, room) {
			room = a.Rooms[0]
		}
	}
	if pick, ok := a.Queues.Pick(); ok {
		room, level = w.of[pick.Message.ID], min(level, pick.Level)
	}
	return room, level
}

// rests reports whether an agent that waits is paused.
func (w *twin) rests(a *roomlog.Agent) bool {
	if !a.Paused.After(w.now) || w.now.Before(w.failed[a.Name]) {
		w.awake[a.Name] = true
	}
	return !w.awake[a.Name]
}

func (w *twin) choose(now time.Time) (room, agent string, longest bool) {
	w.now = now
	var rooms []candidate
	inRoom := map[string][]candidate{}
	for r := range w.state.Rooms() {
		most := schedule.Priority(0)
		for a := range w.state.Agents() {
			if at, level := w.waits(a); at == r.Name && !w.rests(a) {
				inRoom[at] = append(inRoom[at], candidate{a.Name, level, w.agents[a.Name]})
				if most == 0 || level < most {
					most = level
				}
			}
		}
		if most != 0 && r.Running() == "" {
			rooms = append(rooms, candidate{r.Name, most, w.rooms[r.Name]})
		}
	}
	in, _ := next(w.choices[""], rooms)
	who, longest := next(w.choices[in.name], inRoom[in.name])
	return in.name, who.name, in.name != "" && longest
}

// check compares a choice, and the waiting agents with their waits, with the twin's, and begins the turn.
func (w *twin) check(now time.Time) {
	room, agent, longest := w.choose(now)
	got, ok := w.state.Choose(now)
	if ok != (room != "") || got.Room != room || got.Agent != agent || got.Longest != longest {
		w.t.Fatal(fmt.Sprintf("chosen is %+v, want %s in %q, %v", got, agent, room, longest))
	}
	var resume time.Time
	idle := true
	for a := range w.state.Agents() {
		at, _ := w.waits(a)
		idle = idle && at == "" && a.Running == nil
		if at != "" && w.rests(a) && (resume.IsZero() || a.Paused.Before(resume)) {
			resume = a.Paused
		}
	}
	if at, some := w.state.Resume(now); !at.Equal(resume) || some == resume.IsZero() || w.state.Idle() != idle {
		w.t.Fatal(fmt.Sprintf("goes on at %v (%v), want %v; idle: %v, want %v", at, some, resume, w.state.Idle(), idle))
	}
	if !ok {
		return
	}
	if err := w.add(record(agent, room, got.Record(w.state))); err != nil {
		w.t.Fatal(err)
	}
	w.stamp++
	w.agents[agent], w.rooms[room] = w.stamp, w.stamp
	w.choices[""]++
	w.choices[room]++
}

// do adds an event that must be accepted.
func (w *twin) do(room, from string, body events.Body) {
	if err := w.event(room, from, body); err != nil {
		w.t.Fatal(err)
	}
}

// people returns a twin of a few rooms, and its agents.
func people(t *rapid.T) (w *twin, names []string) {
	w = &twin{
		writer: &writer{t: t, state: roomlog.New(), heads: map[string]string{}},
		agents: map[string]uint64{}, rooms: map[string]uint64{}, choices: map[string]int{}, of: map[uint64]string{},
		failed: map[string]time.Time{}, awake: map[string]bool{},
	}
	for n := range rapid.IntRange(1, 4).Draw(t, "rooms") {
		room := fmt.Sprint("room", n)
		w.do(room, "router", events.System{Common: common, What: events.Created, Content: "created"})
		w.stamp++
		w.rooms[room] = w.stamp
		for m := range rapid.IntRange(1, 4).Draw(t, "agents") {
			agent := fmt.Sprintf("agent%d-%d", n, m)
			w.do(room, "router", events.System{Common: common, What: events.Joined, Agent: agent, Content: "joined"})
			w.stamp++
			w.agents[agent] = w.stamp
			names = append(names, agent)
		}
	}
	return w, names
}

func TestChoicesAreThoseOfLoopsOverAllRoomsAndAgents(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, names := people(t)
		name := rapid.SampledFrom(names)
		room := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("room", rapid.IntRange(0, len(w.rooms)-1).Draw(t, "room")) })
		level := rapid.Custom(func(t *rapid.T) events.Common {
			return events.Common{Priority: schedule.Priority(rapid.IntRange(1, 3).Draw(t, "level"))}
		})
		t.Repeat(map[string]func(*rapid.T){
			"message": func(t *rapid.T) {
				in, to := room.Draw(t, "in"), rapid.SliceOfNDistinct(name, 1, 3, rapid.ID).Draw(t, "to")
				w.of[uint64(len(w.log))+1] = in
				w.do(in, "user", events.User{Common: level.Draw(t, "of"), Content: "Go", To: to})
			},
			"mail": func(t *rapid.T) {
				in := room.Draw(t, "in")
				to := name.Draw(t, "to")
				all := w.state.Unfinished()
				if len(all) == 0 {
					t.Skip("nobody has a turn")
				}
				w.do(in, rapid.SampledFrom(all).Draw(t, "from").Name, events.Mailbox{
					Common: level.Draw(t, "of"), Ix: w.state.Room(in).Ix() + 1, Subject: "s", MailboxID: w.state.Mails() + 1, To: to,
				})
			},
			"choice": func(t *rapid.T) {
				// The clock may be set back.
				w.check(start.Add(time.Duration(len(w.log)+rapid.IntRange(-5, 5).Draw(t, "clock")) * time.Second))
			},
			"end": func(t *rapid.T) {
				all := w.state.Unfinished()
				if len(all) == 0 {
					t.Skip()
				}
				a := rapid.SampledFrom(all).Draw(t, "who")
				end := roomlog.Ended{Turn: a.Running.Turn, Outcome: rapid.SampledFrom([]roomlog.Outcome{roomlog.Spoke, roomlog.Failed, roomlog.SetAside}).Draw(t, "outcome")}
				if end.Outcome != roomlog.Spoke {
					w.failed[a.Name], w.awake[a.Name] = start.Add(time.Duration(len(w.log))*time.Second), false
					end.Pause = time.Duration(rapid.IntRange(0, 20).Draw(t, "pause")) * time.Second
				}
				if err := w.add(record(a.Name, a.Running.Room.Name, end)); err != nil {
					t.Fatal(err)
				}
			},
			"restart": func(t *rapid.T) {
				who := name.Draw(t, "who")
				w.do(w.state.Agent(who).Rooms[0], "router", events.System{Common: common, What: events.Restarted, Agent: who, Content: "restarted"})
			},
		})
	})
}

// office returns the state of rooms with agents, each with messages at all levels.
func office(tb testing.TB, rooms, each int) *roomlog.State {
	tb.Helper()
	w := &writer{t: tb, state: roomlog.New(), heads: map[string]string{}}
	do := func(room, from string, body events.Body) {
		if err := w.event(room, from, body); err != nil {
			tb.Fatal(err)
		}
	}
	for n := range rooms {
		room := fmt.Sprint("room", n)
		do(room, "router", events.System{Common: common, What: events.Created, Content: "created"})
		var all []string
		for m := range each {
			all = append(all, fmt.Sprint("agent", n, "-", m))
			do(room, "router", events.System{Common: common, What: events.Joined, Agent: all[m], Content: "joined"})
		}
		for level := schedule.Urgent; level <= schedule.Background; level++ {
			do(room, "user", events.User{Common: events.Common{Priority: level}, Content: "Go", To: all})
		}
	}
	return w.state
}

// BenchmarkChoose has 10,000 agents with queues, in many rooms and in one.
func BenchmarkChoose(b *testing.B) {
	for _, rooms := range []int{1000, 1} {
		b.Run(fmt.Sprintf("%d rooms", rooms), func(b *testing.B) {
			state := office(b, rooms, 10_000/rooms)
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := state.Choose(start); !ok {
					b.Fatal("nobody waits")
				}
			}
		})
	}
}

// BenchmarkTurn chooses a turn, begins it and ends it, which may fail: the messages stay.
func BenchmarkTurn(b *testing.B) {
	state := office(b, 1000, 10)
	seq := state.Seq()
	b.ReportAllocs()
	for b.Loop() {
		c, _ := state.Choose(start)
		began := c.Record(state)
		for _, s := range []signals.Any{record(c.Agent, c.Room, began), record(c.Agent, c.Room, roomlog.Ended{Turn: began.Turn, Outcome: roomlog.Failed})} {
			seq++
			h := s.Head()
			h.Seq, h.Time = seq, start
			if err := state.Apply(signals.With(s, h)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func TestChoosingAllocatesNothing(t *testing.T) {
	state := office(t, 20, 10)
	if n := testing.AllocsPerRun(100, func() {
		if _, ok := state.Choose(start); !ok {
			t.Fatal("nobody waits")
		}
		state.Resume(start)
	}); n != 0 {
		t.Errorf("a choice allocates %v times", n)
	}
}
