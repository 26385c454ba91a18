package a2a

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/a2aproject/a2a-go/a2a"
)

// Codes of JSON-RPC.
const (
	notJSON       = -32700
	noCall        = -32600
	invalidParams = -32602
)

// A call is what identifies a request of JSON-RPC.
type call struct {
	id     json.RawMessage // nil: null
	method string
}

// callOf reads a request before a2asrv does, which calls most faults a parse error, and answers
// them without the id. It returns the code of the first fault with it.
func callOf(text []byte) (c call, code int, err error) {
	var of map[string]json.RawMessage
	if err = json.Unmarshal(text, &of); errors.As(err, new(*json.SyntaxError)) {
		return c, notJSON, err
	}
	if err != nil || of == nil {
		return c, noCall, errors.New("a request is one object; batches are not supported")
	}
	if id := of["id"]; len(id) > 0 && strings.ContainsRune(`{[tf`, rune(id[0])) {
		return c, noCall, fmt.Errorf("id = %.80s: it is a text or a number", id)
	}
	c.id = of["id"]
	if version := of["jsonrpc"]; string(version) != `"2.0"` {
		return c, noCall, fmt.Errorf(`jsonrpc = %.80s: it is "2.0"`, version)
	}
	if err = json.Unmarshal(of["method"], &c.method); err != nil || c.method == "" {
		return c, noCall, fmt.Errorf("method = %.80s: it is the name of one, such as \"message/send\"", of["method"])
	}
	params := paramsOf(c.method)
	if params == nil {
		return c, 0, nil
	}
	if len(of["params"]) == 0 || string(of["params"]) == "null" {
		return c, invalidParams, fmt.Errorf("%s has no params", c.method)
	}
	if err = json.Unmarshal(of["params"], params); err != nil {
		return c, invalidParams, fmt.Errorf("params of %s: %w", c.method, err)
	}
	return c, 0, nil
}

// paramsOf returns the parameters of a method to read into; nil: it has none, or there is no such
// method.
func paramsOf(method string) any {
	switch method {
	case "message/send", "message/stream":
		return &a2a.MessageSendParams{}
	case "tasks/get":
		return &a2a.TaskQueryParams{}
	case "tasks/cancel", "tasks/resubscribe":
		return &a2a.TaskIDParams{}
	case "tasks/pushNotificationConfig/get":
		return &a2a.GetTaskPushConfigParams{}
	case "tasks/pushNotificationConfig/list":
		return &a2a.ListTaskPushConfigParams{}
	case "tasks/pushNotificationConfig/set":
		return &a2a.TaskPushConfig{}
	case "tasks/pushNotificationConfig/delete":
		return &a2a.DeleteTaskPushConfigParams{}
	}
	return nil
}

// checked returns what is wrong with a message, or with what its client wants to hear.
func checked(p *a2a.MessageSendParams) error {
	m, c := p.Message, p.Config
	switch {
	case m == nil:
		return invalid("there is no message")
	case m.ID == "":
		return invalid("message.messageId is missing")
	case m.Role != a2a.MessageRoleUser && m.Role != a2a.MessageRoleAgent:
		return invalid("message.role = %.80q: it is user or agent", m.Role)
	case c == nil:
		return nil
	case c.PushConfig != nil:
		return fmt.Errorf("%w: configuration.pushNotificationConfig: follow the task by message/stream or tasks/resubscribe", a2a.ErrPushNotificationNotSupported)
	case len(c.AcceptedOutputModes) > 0 && !slices.ContainsFunc(c.AcceptedOutputModes, spoken):
		return fmt.Errorf("%w: configuration.acceptedOutputModes = %.200q: an answer is text/plain and application/json", a2a.ErrUnsupportedContentType, c.AcceptedOutputModes)
	}
	return counted(c.HistoryLength)
}

// spoken reports whether an answer is of a kind that a client accepts.
func spoken(mode string) bool {
	kind, _, _ := strings.Cut(mode, ";")
	return slices.Contains([]string{"text", "text/plain", "text/*", "application/json", "application/*", "*/*"}, strings.ToLower(strings.TrimSpace(kind)))
}

// counted refuses a number of messages below none.
func counted(history *int) error {
	if history != nil && *history < 0 {
		return invalid("historyLength = %d: it is 0 or more", *history)
	}
	return nil
}
