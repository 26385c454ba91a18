package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// interrupt returns the question to a person, and the call of a tool that it is about.
func interrupt(item api.Item, at int64) (calls []Event, asks asked) {
	asks = asked{ID: item.ID, Reason: "question", Message: item.Words, Schema: item.Schema, Expires: item.Expires, Metadata: map[string]any{"swarmbus": item}}
	if item.Tool == nil {
		return nil, asks
	}
	asks.Reason, asks.CallID = "tool_call", item.ID
	return []Event{
		{Type: "TOOL_CALL_START", Timestamp: at, CallID: item.ID, CallName: item.Tool.Tool},
		{Type: "TOOL_CALL_ARGS", Timestamp: at, CallID: item.ID, Delta: string(item.Tool.Args)},
		{Type: "TOOL_CALL_END", Timestamp: at, CallID: item.ID},
	}, asks
}

// A resume is the answer to a question or about a call that was asked.
type resume struct {
	ID      string          `json:"interruptId"`
	Status  string          `json:"status"` // resolved or cancelled
	Payload json.RawMessage `json:"payload,omitempty"`
}

// response returns the payload: an object that is what its schema says, or has the members by which
// frontends approve calls, or a text.
func (r *resume) response() (of api.Reply, err error) {
	if text := bytes.TrimSpace(r.Payload); len(text) > 0 && text[0] == '"' {
		err = json.Unmarshal(text, &of.Answer)
		of.Verdict = of.Answer
		return of, err
	}
	var in struct {
		api.Reply
		Approved *bool           `json:"approved"`
		Edited   json.RawMessage `json:"editedArgs"`
	}
	if err = json.Unmarshal(r.Payload, &in); err != nil {
		err = api.NewError(http.StatusUnprocessableEntity, fmt.Sprintf("resume: the payload for %q is neither a text nor what its schema says", r.ID))
	}
	denies := in.Approved != nil && !*in.Approved || in.Verdict == string(asking.Deny)
	switch {
	case in.Edited != nil && !denies:
		in.Verdict, in.Args = string(asking.Edit), string(in.Edited)
	case in.Verdict == "" && in.Approved != nil && !denies:
		in.Verdict = string(asking.Once)
	case in.Approved != nil && denies:
		in.Verdict = string(asking.Deny)
	}
	return in.Reply, err
}
