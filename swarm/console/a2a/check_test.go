package a2a_test

import (
	"encoding/json"
	"testing"

	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

func TestARequestThatIsNoCallIsRefusedByItsFirstFault(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	for body, want := range map[string]struct {
		code int
		id   string
	}{
		``:     {-32700, "null"},
		`{"id`: {-32700, "null"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{}} {}`: {-32700, "null"},
		`[]`:                                     {-32600, "null"},
		`"tasks/get"`:                            {-32600, "null"},
		`null`:                                   {-32600, "null"},
		`{"jsonrpc":"2.0","id":1}`:               {-32600, "1"},
		`{"jsonrpc":"2.0","id":"a","method":""}`: {-32600, `"a"`},
		`{"jsonrpc":"2.0","id":1,"method":7}`:    {-32600, "1"},
		`{"jsonrpc":"1.0","id":1,"method":"tasks/get","params":{"id":"a"}}`:    {-32600, "1"},
		`{"jsonrpc":2,"id":1,"method":"tasks/get","params":{"id":"a"}}`:        {-32600, "1"},
		`{"id":1,"method":"tasks/get","params":{"id":"a"}}`:                    {-32600, "1"},
		`{"jsonrpc":"2.0","id":{},"method":"tasks/get","params":{"id":"a"}}`:   {-32600, "null"},
		`{"jsonrpc":"2.0","id":true,"method":"tasks/get","params":{"id":"a"}}`: {-32600, "null"},
		`{"jsonrpc":"2.0","id":1,"method":"message/send"}`:                     {-32602, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"message/stream","params":null}`:     {-32602, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"message/send","params":[]}`:         {-32602, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":"a"}`:           {-32602, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":7}}`:      {-32602, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/cancel","params":7}`:          {-32602, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/resubscribe"}`:                {-32602, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/shout"}`:                      {-32601, "1"},
		`{"jsonrpc":"2.0","id":1,"method":"tasks/pushNotificationConfig/get"}`: {-32602, "1"},
	} {
		response := s.post(body)
		var got struct {
			ID    json.RawMessage
			Error struct{ Code int }
		}
		err := json.NewDecoder(response.Body).Decode(&got)
		_ = response.Body.Close()
		if err != nil || got.Error.Code != want.code || string(got.ID) != want.id {
			t.Errorf("%s: got %d for %s (%v), want %d for %s", body, got.Error.Code, got.ID, err, want.code, want.id)
		}
	}
}

// A message that is refused starts nothing.
func TestAMessageWithAFaultIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, 0, a2a.Options{})
	message := func(fields string) string {
		return `{"message":{"kind":"message",` + fields + `"parts":[` + text(orders) + `]}}`
	}
	configured := func(with string) string { return `{"configuration":{` + with + `},` + says("", text(orders))[1:] }
	for name, c := range map[string]struct {
		method, params string
		code           int
	}{
		"no message id":        {"message/send", message(`"role":"user",`), -32602},
		"no role":              {"message/send", message(`"messageId":"1",`), -32602},
		"an unknown role":      {"message/send", message(`"messageId":"1","role":"nobody",`), -32602},
		"films alone":          {"message/send", configured(`"acceptedOutputModes":["video/mp4"]`), -32005},
		"push":                 {"message/send", configured(`"pushNotificationConfig":{"url":"http://127.0.0.1/"}`), -32003},
		"a negative length":    {"message/send", configured(`"historyLength":-1`), -32602},
		"of a history":         {"tasks/get", `{"id":"platform.none","historyLength":-1}`, -32602},
		"get without id":       {"tasks/get", `{}`, -32602},
		"cancel without id":    {"tasks/cancel", `{}`, -32602},
		"a part of a new kind": {"message/send", says("", `{"kind":"film"}`), -32602},
	} {
		if got := s.call(c.method, c.params); got.Error == nil || got.Error.Code != c.code {
			t.Errorf("%s: got %+v, want %d", name, got.Error, c.code)
		}
	}
	if all, err := s.backend.Solves.List(t.Context(), api.SolvesQuery{}); err != nil || len(all) != 0 {
		t.Errorf("%d solves have begun (%v)", len(all), err)
	}
	for _, modes := range []string{`[]`, `["text/plain"]`, `["video/mp4","text/*"]`, `["application/json"]`, `["*/*"]`, `["text"]`} {
		if got := s.call("message/send", configured(`"acceptedOutputModes":`+modes+`,"historyLength":0`)); got.Error != nil || len(got.Result.History) != 0 {
			t.Errorf("%s: got %+v with %d messages", modes, got.Error, len(got.Result.History))
		}
	}
}
