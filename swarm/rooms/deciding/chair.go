// Package deciding lets the members of a room decide together.
//
//	chair := deciding.Chair{Name: "Chair", Solver: solverOf}
//	roster = append(roster, rooms.Standing{Agent: chair.Agent(), Rooms: []string{"ops"}})
//
// The chair is a standing agent. A message of the user, or of an agent that hands over
// ("@Dana decide: …"), that begins with "decide:" and a question opens a solve of package
// swarm with the members of the room. The solve is a call of the tool Solve: its result is
// the transcript, and its stub the outcome. The chair then posts the answer. The signals of
// the solve are events of the room ([events.Signal]), which belong to the section of the
// call.
//
// If a solve needs a person, the chair asks in an urgent message. The person's next message
// to the chair, "@Dana …", continues the solve, in a call of its own. If several solves
// wait, a message that names the section of one (§4) is for that one, and any other for the
// newest.
//
// The room's log is the journal of the solve. After a crash it continues where the log ends;
// answers of models that are recorded (package cassette) are not asked for again.
package deciding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// Tool is the name of the tool under which decisions are called.
const Tool = "Solve"

// aboveTranscript separates the outcome of a solve from its transcript.
const aboveTranscript = "\n\nTranscript:\n\n"

// mostAnswer is the maximum length of an outcome that the chair posts as a whole.
const mostAnswer = events.MessageBytes / 2

// command matches a message that asks for a decision: it may begin with its addressees.
var command = regexp.MustCompile(`(?is)^\s*(?:@[\pL\pN_.-]+[,:]?\s+|[\pL\pN_.-]+[,:]\s+)*?decide:\s*(\S.*)$`)

// A Chair has members decide. It is a plain value.
type Chair struct {
	Name string
	// Solver returns the agent that takes part in decisions for a member; nil: it takes no part.
	Solver func(member string) *agents.Agent
	// Options are those of each solve, except Agents, Bus, Layer and Journal. The seed of each
	// solve is derived from Seed, the room and the section.
	Options swarm.Options
}

// Agent returns the standing agent.
func (c Chair) Agent() *agents.Agent {
	return &agents.Agent{ID: c.Name, Role: "You have the members of the room decide.", Reactor: agents.Func(c.react)}
}

func (c Chair) react(ctx context.Context, t *agents.Turn) iter.Seq2[signals.Any, error] {
	room := rooms.Of(ctx)
	w, ok, err := c.work(ctx, room, t)
	switch {
	case err != nil:
		return agents.Fail(err)
	case !ok:
		return agents.Emit(agents.Pass("nothing is to be decided"))
	}
	ended, err := room.Call(ctx, w.call(), func(ctx context.Context) (string, error) { return c.solve(ctx, room, w) })
	if err != nil {
		return agents.Fail(err)
	}
	// The stub is cut to a line; the answer is not.
	answer, _, _ := strings.Cut(ended.Result, aboveTranscript)
	if ended.Failed || len(answer) > mostAnswer {
		answer = ended.Stub
	}
	said := rooms.Say{Content: fmt.Sprintf("%s §%d", answer, ended.Ix)}
	if !ended.Failed && strings.HasPrefix(answer, escalated) {
		said.Content = fmt.Sprintf("%s §%d. Answer me: @%s …", answer, ended.Ix, c.Name)
		said.Priority = schedule.Urgent
	}
	return agents.Emit(signals.New(signals.Header{Confidence: 1}, said))
}

// work is a task of the chair: a question to decide, or a person's answer with which a solve
// continues.
type work struct {
	task   string
	ix     int // the section of the solve that continues; 0: one that begins
	asked  int // the section of the call that asked
	answer string
}

func (w work) call() rooms.Call {
	args := map[string]any{"task": w.task}
	if w.ix > 0 {
		args["answer"], args["continues"] = w.answer, fmt.Sprintf("§%d", w.ix)
	}
	return rooms.Call{Tool: Tool, Args: args, Label: "members decide", Stub: rooms.FirstLine, Repeats: true}
}

// work returns the chair's task: the question of a new message, or to continue a solve that
// asked a person with the person's answer.
func (c Chair) work(ctx context.Context, room *rooms.Turn, t *agents.Turn) (w work, ok bool, err error) {
	for _, s := range t.New {
		said := content(s)
		if m := command.FindStringSubmatch(said); m != nil {
			return work{task: strings.TrimSpace(m[1])}, true, nil
		}
		if !c.addressed(s) {
			continue
		}
		open, err := c.open(ctx, room)
		if err != nil || len(open) == 0 {
			return work{}, false, err
		}
		w = open[len(open)-1]
		for ix := range roomlog.Sections(said) {
			if i := slices.IndexFunc(open, func(w work) bool { return w.ix == ix || w.asked == ix }); i >= 0 {
				w = open[i]
			}
		}
		w.answer = said
		return w, true, nil
	}
	return work{}, false, nil
}

// addressed reports whether a message of the user is addressed to the chair, and not to all.
func (c Chair) addressed(s signals.Any) bool {
	b, ok := s.Body().(events.User)
	return ok && (slices.Equal(b.To, []string{c.Name}) || len(roomlog.Addressed(b.Content, []string{c.Name})) > 0)
}

// open returns the solves of the room for which a person was asked, oldest first.
func (c Chair) open(ctx context.Context, room *rooms.Turn) (all []work, err error) {
	for e, err := range room.Log(ctx) {
		if err != nil {
			return nil, err
		}
		tool, ok := e.Body.(events.Tool)
		if !ok || tool.ToolName != Tool || e.From != c.Name || tool.Stub == nil {
			continue
		}
		w := work{ix: tool.Ix, asked: tool.Ix}
		w.task, _ = tool.Args["task"].(string)
		if first, continues := tool.Args["continues"].(string); continues {
			w.ix, _ = strconv.Atoi(strings.TrimPrefix(first, "§"))
		}
		all = slices.DeleteFunc(all, func(other work) bool { return other.ix == w.ix })
		if strings.HasPrefix(*tool.Stub, escalated) {
			all = append(all, w)
		}
	}
	return all, nil
}

func content(s signals.Any) string {
	switch b := s.Body().(type) {
	case events.User:
		return b.Content
	case events.Dialogue:
		return b.Content
	case events.Mailbox:
		return b.Body
	}
	return ""
}

// solve has the members decide, and returns the outcome, followed by the transcript.
func (c Chair) solve(ctx context.Context, room *rooms.Turn, w work) (string, error) {
	ix := cmp.Or(w.ix, rooms.IxOf(ctx))
	kept, err := keptIn(ctx, room, ix)
	if err != nil {
		return "", err
	}
	o := c.Options
	o.Agents, o.Bus, o.Coordination.Layer, o.Journal, o.Seed = c.solvers(room.Members()), nil, nil, kept, seedOf(room.Room(), ix, c.Options.Seed)
	if len(o.Agents) == 0 {
		return "", errors.New("deciding: no member takes part in decisions")
	}
	s, err := swarm.New(o)
	if err != nil {
		return "", err
	}
	defer func() { _ = s.Shutdown(context.WithoutCancel(ctx)) }()
	stream, err := begin(ctx, s, w)
	if err != nil {
		return "", err
	}
	var said strings.Builder
	show := transcript.Text(&said, nil)
	var result *solves.Result
	for event, err := range stream {
		if err != nil {
			return "", err
		}
		if err := show(event); err != nil {
			return "", err
		}
		if stopped, ok := event.(solves.Stopped); ok {
			result = stopped.Result
		}
	}
	if result == nil {
		return "", errors.New("deciding: the solve ended without a result")
	}
	return outcome(result) + aboveTranscript + said.String(), nil
}

// solvers returns the members that take part.
func (c Chair) solvers(members []string) (all []*agents.Agent) {
	for _, name := range members {
		if a := c.Solver(name); a != nil {
			all = append(all, a)
		}
	}
	return all
}

// begin begins a solve, or continues the one that the room has.
func begin(ctx context.Context, s *swarm.Swarm, w work) (iter.Seq2[solves.Event, error], error) {
	past, err := s.Results()
	switch {
	case err != nil:
		return nil, err
	case len(past) == 0:
		return s.Stream(ctx, signals.Task{Task: w.task}), nil
	}
	var answer signals.Any // nil: it was interrupted, and has the answer if there was one
	if w.answer != "" && past[0].Stop == runlog.StopEscalated {
		h := signals.Header{Source: events.FromUser, Confidence: 1}
		for _, q := range slices.Backward(past[0].Questions) { // the room read the first one that waits
			if q.Open && q.Call == nil {
				h.ReplyTo = signals.MustID(q.ID)
			}
		}
		answer = signals.New(h, signals.Memory{Content: w.answer, Category: "answer", Importance: 1})
	}
	return s.StreamResume(ctx, past[0].Log, answer), nil
}

// seedOf returns the seed of a solve, which is the same when it continues.
func seedOf(room string, ix int, seed uint64) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %s", seed, ix, room)
	return h.Sum64()
}

// escalated begins the outcome of a solve that needs a person.
const escalated = "A person has to decide"

// outcome describes the end of a solve in one line: the answer, and what every place says of it.
func outcome(r *solves.Result) string {
	switch why := r.Sentence(nil); {
	case r.Stop == runlog.StopEscalated:
		return escalated + ": " + why
	case r.Answer != "":
		return r.Answer + " (" + why + ")"
	default:
		return why
	}
}
