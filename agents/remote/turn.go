package remote

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
)

// A Turn is the JSON of an [agents.Turn], as the request of an [Ask] has it.
type Turn struct {
	Agent     string                `json:"agent" doc:"Who takes the turn"`
	Thread    string                `json:"thread,omitempty" doc:"Of the solve"`
	Round     int                   `json:"round" doc:"From 1"`
	Task      signals.Task          `json:"task" doc:"What the team works on"`
	New       []json.RawMessage     `json:"new,omitempty" doc:"Signals that the agent has not heard yet"`
	Heard     []json.RawMessage     `json:"heard,omitempty" doc:"Signals of earlier turns"`
	Said      []json.RawMessage     `json:"said,omitempty" doc:"What the agent said in earlier turns"`
	Proposals []standing            `json:"proposals,omitempty" doc:"As they stand"`
	Inbox     []coordination.Signal `json:"inbox,omitempty" doc:"What is addressed to the agent to coordinate"`
	Debate    *debate               `json:"debate,omitempty" doc:"The turn argues for one of two proposals, with challenges"`
	Ask       agents.Ask            `json:"ask,omitzero" doc:"What to do, and nothing else: answer: propose; facts: discoveries; verdict: vote for the proposal that is right. Absent: anything"`
	Against   string                `json:"against,omitempty" doc:"The id of the proposal that the votes have chosen, and that the agent is asked to argue against by a challenge, whatever it thinks of it"`
	Routed    []routed              `json:"routed,omitempty" doc:"Signals for custom actions, which run where the swarm is"`
	State     routing.State         `json:"state,omitempty" doc:"Of the agent's strategy"`
	Strategy  string                `json:"strategy,omitempty" doc:"That was chosen for the turn"`
	Effort    signals.Effort        `json:"effort,omitempty"`
	Try       int                   `json:"try,omitempty" doc:"How often the turn was tried before"`
	Taking    int                   `json:"taking,omitempty" doc:"How often the turn was taken before"`
	Seed      uint64                `json:"seed" doc:"Of random numbers, so that a run can be repeated"`
	Time      time.Time             `json:"time" doc:"Of the turn"`
	Stands    bool                  `json:"stands,omitempty" doc:"The clock stands still during the turn"`
	Most      int                   `json:"most,omitempty" doc:"Signals that the turn may have"`
	Argue     bool                  `json:"argue,omitempty" doc:"Only the arguments of the debate are asked for"`

	TraceParent string `json:"traceparent,omitempty" doc:"Of the turn, by W3C Trace Context, for spans inside of it; absent: it is not traced"`
	TraceState  string `json:"tracestate,omitempty" doc:"Of the turn, by W3C Trace Context"`
}

// A standing is the JSON of an [agents.Standing].
type standing struct {
	Proposal json.RawMessage   `json:"proposal"`
	Same     []json.RawMessage `json:"same,omitempty"`
	Votes    []json.RawMessage `json:"votes,omitempty"`
	Lost     bool              `json:"lost,omitempty" doc:"It lost a conflict, and can no longer be chosen"`
}

// A debate is the JSON of an [agents.Debate].
type debate struct {
	For     standing `json:"for"`
	Against standing `json:"against"`
	Round   int      `json:"round" doc:"From 1"`
	Answers bool     `json:"answers,omitempty"`
}

// A routed is the JSON of an [agents.Routed].
type routed struct {
	Action string          `json:"action"`
	Signal json.RawMessage `json:"signal"`
}

// An Answer is the JSON of what an agent says in a turn.
type Answer struct {
	Signals []json.RawMessage `json:"signals,omitempty" doc:"In order; without source and thread, which the turn has"`
	Error   string            `json:"error,omitempty" doc:"Why the agent said no more"`
	Retry   bool              `json:"retry,omitempty" doc:"The turn may be taken again"`
	After   time.Duration     `json:"after,omitempty" doc:"Nanoseconds to wait before that"`
}

// A request is a turn with the answers of people about calls of tools in it.
type request struct {
	Turn
	Answers []asking.Answered `json:"answers,omitempty"`
}

// A reply is an answer with what a person has to allow before the turn goes on.
type reply struct {
	Answer
	Questions []asking.Call `json:"questions,omitempty"`
}

// A writer writes signals until one cannot be written.
type writer struct{ err error }

func (w *writer) signal(s signals.Any) json.RawMessage {
	text, err := signals.Marshal(s)
	if w.err == nil {
		w.err = err
	}
	return text
}

func (w *writer) all(all []signals.Any) (texts []json.RawMessage) {
	for _, s := range all {
		texts = append(texts, w.signal(s))
	}
	return texts
}

func (w *writer) standing(of agents.Standing) standing {
	s := standing{Proposal: w.signal(of.Proposal), Lost: of.Lost}
	for _, p := range of.Same {
		s.Same = append(s.Same, w.signal(p))
	}
	for _, v := range of.Votes {
		s.Votes = append(s.Votes, w.signal(v))
	}
	return s
}

// encode writes a turn, with what people have answered and the trace context in which it is taken.
func encode(ctx context.Context, t *agents.Turn, argue bool) ([]byte, error) {
	var w writer
	out := Turn{
		Agent: t.Agent, Thread: t.Thread, Round: t.Round, Task: t.Task, New: w.all(t.New), Heard: w.all(t.Heard), Said: w.all(t.Said),
		Inbox: t.Inbox, Ask: t.Ask, Against: t.Against, State: t.State, Strategy: t.Strategy, Effort: t.Effort, Try: t.Try, Taking: t.Taking, Seed: t.Seed, Time: t.Time,
		Stands: t.Clock != nil, Most: t.Most, Argue: argue,
	}
	for _, s := range t.Proposals {
		out.Proposals = append(out.Proposals, w.standing(s))
	}
	if d := t.Debate; d != nil {
		out.Debate = &debate{w.standing(d.For), w.standing(d.Against), d.Round, d.Answers}
	}
	for _, r := range t.Routed {
		out.Routed = append(out.Routed, routed{r.Action, w.signal(r.Signal)})
	}
	if trace := hooks.TraceOf(ctx); trace != nil {
		out.TraceParent, out.TraceState = trace.String(), trace.State
	}
	if w.err != nil {
		return nil, w.err
	}
	return json.Marshal(request{out, asking.In(ctx, t.Thread, t.Agent)})
}

// A reader reads signals until one cannot be read.
type reader struct {
	codec *signals.Codec
	err   error
}

func (r *reader) signal(text json.RawMessage) signals.Any {
	s, err := r.codec.Unmarshal(text)
	if r.err == nil {
		r.err = err
	}
	return s
}

func (r *reader) all(texts []json.RawMessage) (all []signals.Any) {
	for _, text := range texts {
		all = append(all, r.signal(text))
	}
	return all
}

// as reads a signal with payload type P.
func as[P signals.Payload](r *reader, text json.RawMessage) *signals.Signal[P] {
	s, ok := signals.As[P](r.signal(text))
	if !ok && r.err == nil {
		r.err = fmt.Errorf("remote: a signal has another kind than its place: %.80s", text)
	}
	return s
}

func (r *reader) standing(of standing) agents.Standing {
	s := agents.Standing{Proposal: as[signals.Proposal](r, of.Proposal), Lost: of.Lost}
	for _, p := range of.Same {
		s.Same = append(s.Same, as[signals.Proposal](r, p))
	}
	for _, v := range of.Votes {
		s.Votes = append(s.Votes, as[signals.Vote](r, v))
	}
	return s
}

// decode reads a turn, and returns a context with what people have answered.
func decode(ctx context.Context, text []byte, codec *signals.Codec) (_ context.Context, t *agents.Turn, argue bool, err error) {
	var in request
	if err := json.Unmarshal(text, &in); err != nil {
		return ctx, nil, false, fmt.Errorf("remote: request is not a turn: %w", err)
	}
	r := reader{codec: codec}
	t = &agents.Turn{
		Agent: in.Agent, Thread: in.Thread, Round: in.Round, Task: in.Task, New: r.all(in.New), Heard: r.all(in.Heard), Said: r.all(in.Said),
		Inbox: in.Inbox, Ask: in.Ask, Against: in.Against, State: in.State, Strategy: in.Strategy, Effort: in.Effort, Try: in.Try, Taking: in.Taking, Seed: in.Seed, Time: in.Time, Most: in.Most,
	}
	for _, s := range in.Proposals {
		t.Proposals = append(t.Proposals, r.standing(s))
	}
	if d := in.Debate; d != nil {
		t.Debate = &agents.Debate{For: r.standing(d.For), Against: r.standing(d.Against), Round: d.Round, Answers: d.Answers}
	}
	for _, to := range in.Routed {
		t.Routed = append(t.Routed, agents.Routed{Action: to.Action, Signal: r.signal(to.Signal)})
	}
	for _, a := range in.Answers {
		r.err = cmp.Or(r.err, a.Call.Check(unlimited), a.Answer.Check(unlimited))
	}
	if trace, err := signals.ParseTrace(in.TraceParent, in.TraceState); err == nil { // else there is none that could be used
		t.Cause = &trace
	}
	if in.Stands {
		t.Clock = func() time.Time { return in.Time }
	}
	return asking.With(ctx, in.Answers), t, in.Argue, r.err
}
