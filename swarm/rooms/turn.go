package rooms

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	texts "github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

// A Turn is an agent's turn in a room, for its reactor: see [Of]. Its methods may be
// called concurrently until the reactor returns, except [Turn.Write].
type Turn struct {
	router  *Router
	agent   string
	room    string
	members []string
	number  int // of all turns of the agent
	session int
	moot    bool // the agent is no member any more
	state   routing.State
	out     bool // a route has stopped the agent
	turn    *agents.Turn
	over    bool // later messages and calls of it are refused; protected by router.mu

	answer roomlog.Fragments
	part   int
	calls  calls
}

type turnKey struct{}

// Of returns the turn in a room that ctx belongs to, or nil.
func Of(ctx context.Context) *Turn {
	t, _ := ctx.Value(turnKey{}).(*Turn)
	return t
}

// Room returns the room's name.
func (t *Turn) Room() string { return t.room }

// Members returns the members of the room at the beginning of the turn. They must not be
// modified.
func (t *Turn) Members() []string { return t.members }

// turnLocked returns the turn of an agent that has begun.
func (r *Router) turnLocked(a *roomlog.Agent) *Turn {
	run := a.Running
	t := &Turn{router: r, agent: a.Name, room: run.Room.Name, members: run.Room.Members, number: run.Turn, session: run.Session}
	t.moot = r.agents[a.Name] == nil || !run.Room.Has(a.Name) && run.Message.Body != nil
	t.state, t.out = routing.State(a.State), a.Out
	t.calls.earlier = slices.Clone(run.Calls)
	t.turn = &agents.Turn{
		Agent: a.Name, Thread: t.room, Round: run.Turn, Time: r.now(), Clock: r.now,
		Task:  signals.Task{Task: "Answer in the room " + t.room + "."},
		Heard: heard(run), New: fresh(run),
	}
	return t
}

// fresh returns the mail and the message that a turn is for: the most urgent mail first, and
// the message last.
func fresh(run *roomlog.Running) (all []signals.Any) {
	mail := slices.SortedStableFunc(slices.Values(run.Mail), func(a, b events.Event) int {
		return cmp.Compare(a.Common().Priority, b.Common().Priority)
	})
	for _, m := range mail {
		all = append(all, placed(m))
	}
	if run.Message.Body != nil {
		all = append(all, placed(run.Message))
	}
	return all
}

// heard returns the recent events of the room at the beginning of the turn, without those
// that are new. In a turn that is taken again they are the same.
func heard(run *roomlog.Running) (all []signals.Any) {
	for _, e := range run.Room.Recent {
		if e.Seq < run.Since && e.Seq != run.Message.Seq && !slices.ContainsFunc(run.Mail, func(m events.Event) bool { return m.Seq == e.Seq }) {
			all = append(all, placed(e))
		}
	}
	return all
}

// placed returns an event as it is in the log.
func placed(e events.Event) signals.Any {
	s, err := e.Signal()
	if err != nil {
		return signals.New(signals.Header{}, events.System{Content: err.Error()})
	}
	h := s.Head()
	h.Seq = e.Seq
	return signals.With(s, h)
}

// route lets a router decide about what is new, in the state that the log has, and takes from the turn
// what is not for the agent to see.
func (t *Turn) route(by *routing.Router, turn *agents.Turn) {
	if by == nil {
		return
	}
	t.state = cmp.Or(t.state, by.Initial())
	turn.New = slices.DeleteFunc(turn.New, func(s signals.Any) (withheld bool) {
		d := by.Decide(t.state, s)
		t.state = d.To
		switch d.Action.Verb {
		case routing.VerbCustom:
			turn.Routed = append(turn.Routed, agents.Routed{Action: d.Action.Name, Signal: s})
		case routing.VerbGracefulStop, routing.VerbForceStop:
			t.out = true
		case routing.VerbContinue, routing.VerbTransition:
			return false
		case routing.VerbReject:
		}
		return d.Action != routing.Unrouted
	})
	turn.State = t.state
}

func (t *Turn) common(p schedule.Priority) events.Common {
	return events.Common{Priority: p, Turn: t.session}
}

// ended returns the record that the turn has ended.
func (t *Turn) ended(o roomlog.Outcome, pause time.Duration) signals.Any {
	return signals.New(signals.Header{Source: t.agent, Thread: t.room}, roomlog.Ended{Turn: t.number, Outcome: o, Pause: pause, State: string(t.state), Out: t.out})
}

// Write shows a fragment of the agent's next message before the agent has finished it. Only
// readers of the feed see it: the agent yields the whole text as its first [Say]. While the
// text may still become <PASS>, nothing is shown.
func (t *Turn) Write(fragment string) {
	show := t.answer.Write(fragment)
	for show != "" {
		chunk := texts.Head(show, events.MessageBytes)
		show = show[len(chunk):]
		t.part++
		t.live(events.Dialogue{Common: t.common(normal), Stream: stream(t.agent, t.number, 1), Part: t.part, Chunk: chunk})
	}
}

// runningLocked returns the turn as it is in the log; nil if it has ended or was abandoned.
func (t *Turn) runningLocked() *roomlog.Running {
	run := t.router.state.Agent(t.agent).Running
	if t.over || run == nil || run.Turn != t.number {
		return nil
	}
	return run
}

// live shows an event that is not in the log.
func (t *Turn) live(body events.Body) {
	r := t.router
	r.mu.Lock()
	defer r.mu.Unlock()
	if body.Type() != "pass" && t.runningLocked() == nil {
		return // the turn was abandoned
	}
	e, err := events.Seal(events.Event{Room: t.room, From: t.agent, Time: r.now(), Body: body}, "", r.keys[t.agent])
	if err == nil {
		r.hub.show(r.state.Seq(), e)
	}
}

// Section returns the event with a number of the turn's room, with the whole result of a
// tool or body of mail.
func (t *Turn) Section(ctx context.Context, ix int) (events.Event, error) {
	return t.router.Section(ctx, t.room, ix)
}
