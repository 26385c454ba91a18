package a2a

import (
	"encoding/json"
	"strings"
)

// words are the names of one version of the protocol.
type words struct {
	version, send, get, cancel string

	message func(id, text string) map[string]any
}

var older = words{
	version: "0.3", send: "message/send", get: "tasks/get", cancel: "tasks/cancel",
	message: func(id, text string) map[string]any {
		return map[string]any{
			"message":       map[string]any{"kind": "message", "messageId": id, "role": "user", "parts": []any{map[string]any{"kind": "text", "text": text}}},
			"configuration": map[string]any{"blocking": true, "acceptedOutputModes": modes},
		}
	},
}

var newer = words{
	version: "1.0", send: "SendMessage", get: "GetTask", cancel: "CancelTask",
	message: func(id, text string) map[string]any {
		return map[string]any{
			"message":       map[string]any{"messageId": id, "role": "ROLE_USER", "parts": []any{map[string]any{"text": text}}},
			"configuration": map[string]any{"acceptedOutputModes": modes},
		}
	},
}

var modes = []string{"text/plain", "application/json"}

// wordsOf returns the words of a version; nil: it is not spoken.
func wordsOf(version string) *words {
	switch {
	case version == "1" || strings.HasPrefix(version, "1."):
		return &newer
	case version == "0.3" || strings.HasPrefix(version, "0.3."):
		return &older
	}
	return nil
}

// A reply is the result of sending a message. In version 0.3 it is the task or the message,
// and in 1.0 it has it as a member.
type reply struct {
	task
	Parts parts `json:"parts"` // of a message

	Task    *task    `json:"task"`
	Message *message `json:"message"`
}

// asTask returns the task of the reply; nil: it is a message.
func (r *reply) asTask() *task {
	if r.Task != nil {
		return r.Task
	}
	if r.ID != "" {
		return &r.task
	}
	return nil
}

func (r *reply) said() parts {
	if r.Message != nil {
		return r.Message.Parts
	}
	return r.Parts
}

type message struct {
	Parts parts `json:"parts"`
}

// A task is what of one is read, of both versions.
type task struct {
	ID     string `json:"id"`
	Status struct {
		State   string  `json:"state"`
		Message message `json:"message"`
	} `json:"status"`
	Artifacts []struct {
		Parts parts `json:"parts"`
	} `json:"artifacts"`
}

// state returns the state by its name in version 0.3.
func (t *task) state() string {
	name, _ := strings.CutPrefix(t.Status.State, "TASK_STATE_")
	return strings.ReplaceAll(strings.ToLower(name), "_", "-")
}

// open reports whether the task is being worked on.
func (t *task) open() bool { return t.state() == "submitted" || t.state() == "working" }

// parts are those of a message or an artifact. Others than texts and data are left out.
type parts []struct {
	Text string          `json:"text"`
	Data json.RawMessage `json:"data"`
}

func (p parts) text() string {
	var all []string
	for _, each := range p {
		if each.Text != "" {
			all = append(all, each.Text)
		}
	}
	return strings.Join(all, "\n")
}

// data returns the first part that is data, as JSON; "": none.
func (p parts) data() string {
	for _, each := range p {
		if len(each.Data) > 0 && string(each.Data) != "null" {
			return string(each.Data)
		}
	}
	return ""
}
