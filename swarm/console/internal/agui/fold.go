package agui

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A fold makes the events of one run, from the console's frames and values of one solve. It
// is used by one goroutine. Make one with [NewFold].
type fold struct {
	thread, run string
	seq         uint64
	step        string // that is open
	team        string
	state       state
	shown       any // the state as the frontend has it; nil: it has none
}

// NewFold returns a fold for a run of a client's thread, which shows the solve's log after a
// position.
func NewFold(thread, run string, after uint64) *fold {
	return &fold{thread: thread, run: run, seq: after, state: state{Proposals: map[string]*proposal{}}}
}

// Seq returns the position in the log up to which the events are complete.
func (f *fold) Seq() uint64 { return f.seq }

// running reports whether the solve was running when it was last shown.
func (f *fold) running() bool { return f.shown == nil || f.state.Solve.State == api.Running }

// start returns the event with which a run begins.
func (f *fold) start() []Event {
	return []Event{{Type: "RUN_STARTED", ThreadID: f.thread, RunID: f.run, Protocol: protocol}}
}

// Detail returns the events for everything after [fold.Seq]. The detail's lists may begin
// there.
func (f *fold) Detail(d api.SolveDetail) (all []Event) {
	for _, said := range d.Said {
		if said.Seq > f.seq {
			all = append(all, f.say(&said)...)
		}
	}
	f.team, f.state.Solve = d.Team, d.Solve
	clear(f.state.Proposals)
	for _, p := range d.Proposals {
		of := &proposal{Content: p.Content, Reasoning: p.Reasoning, Support: p.Support}
		if len(p.By) > 0 {
			of.By = p.By[0]
		}
		f.state.Proposals[p.ID] = of
	}
	f.seq = max(f.seq, d.Seq)
	return append(all, f.changed(d.Updated)...)
}

// Frame returns the events for a frame of the feed, of type signal or saying and of the solve; none
// if it has been shown.
func (f *fold) Frame(frame api.Frame) (all []Event) {
	if frame.Type == api.FrameSaying && frame.Solve != nil && f.shown != nil {
		f.state.Solve.Saying = frame.Solve.Saying
		return f.changed(frame.Solve.Updated)
	}
	if frame.Seq <= f.seq || frame.Said == nil || frame.Solve == nil {
		return nil
	}
	f.seq = frame.Seq
	all = f.say(frame.Said)
	saying := f.state.Solve.Saying
	f.state.Solve = *frame.Solve
	f.state.Solve.Saying = saying
	f.state.Solve.Team = f.team
	switch said := frame.Said; said.Form {
	case "proposal":
		f.state.Proposals[said.Proposal] = &proposal{Content: said.Text, Reasoning: said.Reason, By: said.By}
	case "same":
		delete(f.state.Proposals, said.Proposal)
	}
	if frame.Step != nil {
		for id, p := range f.state.Proposals {
			p.Support = frame.Step.Support[id]
		}
	}
	return append(all, f.changed(frame.Said.Time)...)
}

// changed returns the event for the change of the state.
func (f *fold) changed(at time.Time) []Event {
	text, err := json.Marshal(f.state)
	var now any
	if err != nil || json.Unmarshal(text, &now) != nil {
		panic(fmt.Sprintf("agui: a state that is no JSON: %v", err)) // its types have no such value
	}
	was := f.shown
	f.shown = now
	if was == nil {
		return []Event{{Type: "STATE_SNAPSHOT", Timestamp: at.UnixMilli(), Snapshot: now}}
	}
	if ops := Diff(was, now); len(ops) > 0 {
		return []Event{{Type: "STATE_DELTA", Timestamp: at.UnixMilli(), Delta: ops}}
	}
	return nil
}

// say returns the events for one signal.
func (f *fold) say(said *api.Said) []Event {
	meta, id, at := map[string]any{"swarmbus": said}, said.ID, said.Time.UnixMilli()
	switch said.Form {
	case "round":
		all := f.rest(at)
		f.step = said.Text
		if said.Reason != "" {
			f.step = said.Reason
		}
		return append(all, Event{Type: "STEP_STARTED", Timestamp: at, StepName: f.step})
	case "tool":
		result := said.Text
		return []Event{
			{Type: "TOOL_CALL_START", Timestamp: at, CallID: id, CallName: said.Reason, Metadata: meta},
			{Type: "TOOL_CALL_END", Timestamp: at, CallID: id},
			{Type: "TOOL_CALL_RESULT", Timestamp: at, CallID: id, MessageID: id + ".result", Role: "tool", Content: &result},
		}
	}
	text, message := words(said)
	if !message {
		return []Event{{Type: "CUSTOM", Timestamp: at, Name: "swarmbus/" + said.Form, Value: said}}
	}
	all := []Event{{Type: "TEXT_MESSAGE_START", Timestamp: at, MessageID: id, Role: "assistant", Name: said.By, Metadata: meta}}
	if text != "" {
		all = append(all, Event{Type: "TEXT_MESSAGE_CONTENT", Timestamp: at, MessageID: id, Delta: text})
	}
	return append(all, Event{Type: "TEXT_MESSAGE_END", Timestamp: at, MessageID: id})
}

// rest ends the step that is open.
func (f *fold) rest(at int64) (all []Event) {
	if f.step != "" {
		all = []Event{{Type: "STEP_FINISHED", Timestamp: at, StepName: f.step}}
	}
	f.step = ""
	return all
}

// words returns a signal as a text of a chat; false: it is not for a chat.
func words(said *api.Said) (text string, ok bool) {
	switch said.Form {
	case "proposal":
		text = "Proposal " + said.Proposal + ": " + said.Text
	case "vote":
		text = said.Stance + " with " + said.Proposal
		if said.Weight != nil {
			text += fmt.Sprintf(" (weight %.2f)", *said.Weight)
		}
		return join(": ", text, said.Text), true
	case "doubt":
		return "Doubt (" + said.Severity + "): " + said.Text, true
	case "challenge":
		return join("\n\nInstead: ", said.Text, said.Reason), true
	case "consensus":
		return "Decision: " + said.Text, true
	case "finding", "escalation", "note":
		text = said.Text
	case "memory", "conflict", "settled", "answer":
		return join(": ", said.Text, said.Reason), true
	default:
		return "", false
	}
	return join("\n\n", text, said.Reason), true
}

func join(between string, texts ...string) string {
	kept := texts[:0]
	for _, each := range texts {
		if each != "" {
			kept = append(kept, each)
		}
	}
	return strings.Join(kept, between)
}

// End returns the events that end a run of a solve that does not run. Items are the
// questions that wait for a person.
func (f *fold) End(d api.SolveDetail, items []api.Item) []Event {
	all := f.Detail(d)
	at := d.Updated.UnixMilli()
	f.state.Decision = d.Decision
	all = append(append(all, f.changed(d.Updated)...), f.rest(at)...)
	usage := []usage{{d.Cost.InputTokens, d.Cost.OutputTokens, d.Cost.InputTokens + d.Cost.OutputTokens, d.Cost.CachedTokens}}
	if d.State == api.Failed {
		return append(all, Event{Type: "RUN_ERROR", Timestamp: at, Message: join(": ", "the solve failed", d.Detail), Code: d.Stop, Usage: usage})
	}
	end := Event{
		Type: "RUN_FINISHED", Timestamp: at, ThreadID: f.thread, RunID: f.run, Outcome: &outcome{Type: "success"}, Usage: usage,
		Result: result{Solve: d.ID, State: d.State, Stop: d.Stop, Detail: d.Detail, Answer: d.Answer, Decision: d.Decision},
	}
	switch d.State {
	case api.Waiting:
		end.Outcome.Type = "interrupt"
		for _, item := range items {
			calls, asks := interrupt(item, at)
			all, end.Outcome.Interrupts = append(all, calls...), append(end.Outcome.Interrupts, asks)
		}
	case api.Interrupted:
		end.Outcome.Type = "cancelled"
	}
	return append(all, end)
}

// leave returns the events that end a run whose client does not answer the questions.
func (f *fold) leave() []Event {
	return []Event{{Type: "RUN_FINISHED", ThreadID: f.thread, RunID: f.run, Outcome: &outcome{Type: "cancelled"}}}
}

// fail returns the event that ends a run that the server cannot show any further.
func (f *fold) fail(code, message string) []Event {
	return []Event{{Type: "RUN_ERROR", Message: message, Code: code}}
}
