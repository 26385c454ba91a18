package agui

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// interrupt returns the question to a person, and the call of a tool that it is about.
func interrupt(item api.Item, at int64) (calls []Event, asks Interrupt) {
	asks = Interrupt{ID: item.ID, Reason: "question", Metadata: map[string]any{"swarmbus": item}}
	if item.Tool != nil {
		verdicts := []string{"once", "deny"}
		if item.Tool.Solve {
			verdicts = []string{"once", "solve", "deny"}
		}
		asks.Reason, asks.CallID = "tool_call", item.ID
		asks.Message = fmt.Sprintf("%s wants to call %s: %s", item.Asks, item.Tool.Tool, item.Reason)
		asks.Schema = object(map[string]any{
			"verdict": map[string]any{"type": "string", "enum": verdicts},
			"reason":  map[string]any{"type": "string", "description": "Required to deny: the agent sees it"},
		}, "verdict")
		calls = []Event{
			{Type: "TOOL_CALL_START", Timestamp: at, CallID: item.ID, CallName: item.Tool.Tool},
			{Type: "TOOL_CALL_ARGS", Timestamp: at, CallID: item.ID, Delta: string(item.Tool.Args)},
			{Type: "TOOL_CALL_END", Timestamp: at, CallID: item.ID},
		}
		return calls, asks
	}
	asks.Message = join("\n\n", item.Asks+" asks: "+item.Reason, item.Context)
	fields := map[string]any{"answer": map[string]any{"type": "string", "description": "Passed to all agents"}}
	if len(item.Options) > 0 {
		ids := make([]string, 0, len(item.Options))
		for _, o := range item.Options {
			ids = append(ids, o.Proposal)
			asks.Message += fmt.Sprintf("\n%s: %s (support %.2f)", o.Proposal, o.Content, o.Support)
		}
		fields["vote"] = map[string]any{"type": "string", "enum": ids, "description": "A proposal to vote for"}
		fields["stance"] = map[string]any{"type": "string", "enum": []string{"agree", "disagree"}}
	}
	asks.Schema = object(fields)
	return nil, asks
}

func object(fields map[string]any, required ...string) map[string]any {
	of := map[string]any{"type": "object", "properties": fields}
	if len(required) > 0 {
		of["required"] = required
	}
	return of
}

// A Resume is the answer to an [Interrupt].
type Resume struct {
	ID      string          `json:"interruptId"`
	Status  string          `json:"status"` // resolved or cancelled
	Payload json.RawMessage `json:"payload,omitempty"`
}

// response is a payload: an object with some of these, or a text.
type response struct{ Answer, Vote, Stance, Verdict, Reason string }

func (r *Resume) response() (of response, err error) {
	if text := bytes.TrimSpace(r.Payload); len(text) > 0 && text[0] == '"' {
		err = json.Unmarshal(text, &of.Answer)
		of.Verdict = of.Answer
		return of, err
	}
	if err = json.Unmarshal(r.Payload, &of); err != nil {
		err = api.NewError(http.StatusUnprocessableEntity, fmt.Sprintf("resume: the payload for %q is neither a text nor what its schema says", r.ID))
	}
	return of, err
}
