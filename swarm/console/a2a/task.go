package a2a

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// taskOf returns a solve as a task, from everything that its log says and what of it waits
// for a person. Artifacts are decision and dissent, as text and as data.
func taskOf(d api.SolveDetail, items []api.Item) *a2a.Task {
	t := &a2a.Task{ID: a2a.TaskID(d.ID), ContextID: contextOf(d), Status: a2a.TaskStatus{State: stateOf(d.Solve), Timestamp: &d.Updated}}
	task := &a2a.Message{ID: d.ID + ".task", Role: a2a.MessageRoleUser, TaskID: t.ID, ContextID: t.ContextID, Parts: a2a.ContentParts{a2a.TextPart{Text: d.Task}}}
	t.History = []*a2a.Message{task}
	switch {
	case d.State == api.Waiting && len(items) > 0:
		parts := a2a.ContentParts{}
		for _, i := range items {
			parts = append(parts, a2a.TextPart{Text: question(i)}, a2a.DataPart{Data: data(i)})
		}
		t.Status.Message = message(t, fmt.Sprintf("%s.asks.%d", d.ID, d.Seq), parts...)
	case t.Status.State != a2a.TaskStateWorking && d.Detail != "":
		t.Status.Message = message(t, fmt.Sprintf("%s.stop.%d", d.ID, d.Seq), a2a.TextPart{Text: d.Detail})
	}
	if d.State == api.Running || d.Decision == nil {
		return t
	}
	answer := cmp.Or(d.Answer, d.Decision.Reason)
	t.Artifacts = []*a2a.Artifact{{
		ID: "decision", Name: "decision", Description: d.Decision.Reason, Parts: a2a.ContentParts{a2a.TextPart{Text: answer}, a2a.DataPart{Data: data(d.Decision)}},
	}}
	if len(d.Decision.Dissent) > 0 {
		var said []string
		for _, v := range d.Decision.Dissent {
			said = append(said, fmt.Sprintf("%s: %s with %s (weight %.2f): %s", v.Voter, v.Stance, v.Proposal, v.Weight, v.Reasoning))
		}
		t.Artifacts = append(t.Artifacts, &a2a.Artifact{
			ID: "dissent", Name: "dissent", Description: "Who voted otherwise, and why",
			Parts: a2a.ContentParts{a2a.TextPart{Text: strings.Join(said, "\n")}, a2a.DataPart{Data: map[string]any{"votes": data(d.Decision)["dissent"]}}},
		})
	}
	return t
}

// stateOf returns the state of a solve as that of a task. One that stopped without an answer
// has failed, and one that the server's end cut off is unknown until it goes on.
func stateOf(one api.Solve) a2a.TaskState {
	switch {
	case one.State == api.Running:
		return a2a.TaskStateWorking
	case one.State == api.Waiting:
		return a2a.TaskStateInputRequired
	case one.State == api.Decided:
		return a2a.TaskStateCompleted
	case one.Stop == "cancelled", one.Stop == "abandoned":
		return a2a.TaskStateCanceled
	case one.State == api.Interrupted:
		return a2a.TaskStateUnknown
	}
	return a2a.TaskStateFailed
}

// said returns what a signal says as an update of a task that runs.
func said(t *a2a.Task, w api.Said) a2a.Event {
	text := w.By + " (" + w.Form + "): " + w.Text
	if w.Reason != "" {
		text += "\n" + w.Reason
	}
	return &a2a.TaskStatusUpdateEvent{
		TaskID: t.ID, ContextID: t.ContextID,
		Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: &w.Time, Message: message(t, w.ID, a2a.TextPart{Text: text}, a2a.DataPart{Data: data(w)})},
	}
}

// saying returns what an agent is saying as an update of a task that runs. Messages with one id
// replace each other, until its signal comes.
func saying(t *a2a.Task, agent, words string) a2a.Event {
	return &a2a.TaskStatusUpdateEvent{
		TaskID: t.ID, ContextID: t.ContextID, Metadata: map[string]any{"saying": agent},
		Status: a2a.TaskStatus{State: a2a.TaskStateWorking, Timestamp: t.Status.Timestamp, Message: message(t, string(t.ID)+".saying."+agent, a2a.TextPart{Text: agent + " is saying: " + words})},
	}
}

// question is what a person, or an agent in a person's place, is asked, and how to answer.
func question(i api.Item) string {
	how := "an answer"
	if i.Tool != nil {
		how = strings.Join(i.Tool.Verdict, ", ") + "; a reason follows a colon"
	}
	return fmt.Sprintf("%s\nAnswer with a data part that has the id %q and what its schema says, or with the text %q and %s.", i.Words, i.ID, i.ID, how)
}

func message(t *a2a.Task, id string, parts ...a2a.Part) *a2a.Message {
	return &a2a.Message{ID: id, Role: a2a.MessageRoleAgent, TaskID: t.ID, ContextID: t.ContextID, Parts: parts}
}

// data returns a value of the API as the object that it is as JSON.
func data(v any) (of map[string]any) {
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &of)
	}
	if err != nil {
		panic(fmt.Sprintf("a2a: %T is no object: %v", v, err)) // its types have no such value
	}
	return of
}
