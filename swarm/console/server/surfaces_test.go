package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/internal/agui"
	"github.com/swarmbus/swarmbus/swarm/console/internal/hosttest"
	"github.com/swarmbus/swarmbus/swarm/console/mcpserver"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// An asked question, as a surface shows it: its text has the arguments.
type asked struct{ id, tool, text string }

// A surface shows the questions of a solve, and takes answers to them.
type surface interface {
	shows(t *testing.T, s *hosttest.Server, solve string) []asked
	// answers answers the question with an id; "": it names none. Its error is the surface's.
	answers(t *testing.T, s *hosttest.Server, solve, id string, v api.Verdict) error
}

// surfaces that take an answer at any time. A form of MCP is answered while it is shown.
var surfaces = map[string]surface{
	"API": apiSurface{}, "A2A, data": a2aSurface{}, "A2A, text": a2aSurface{text: true}, "AG-UI, schema": aguiSurface{}, "AG-UI, approved": aguiSurface{approved: true}, "terminal": terminal{},
}

// errCannot is that of a surface that has no way to say something.
var errCannot = errors.New("the surface cannot say so")

type apiSurface struct{}

func ofItems(items []api.Item) (all []asked) {
	for _, i := range items {
		all = append(all, asked{i.ID, i.Tool.Tool, i.Words})
	}
	return all
}

func (apiSurface) shows(t *testing.T, s *hosttest.Server, solve string) []asked {
	return ofItems(s.Open(t, solve))
}

// handlers are the routes of backends, which take a while to make.
var handlers sync.Map

func apiOf(b *api.Backend) http.Handler {
	if known, ok := handlers.Load(b); ok {
		return known.(http.Handler)
	}
	mux := http.NewServeMux()
	api.Register(mux, "", b)
	handlers.Store(b, mux)
	return mux
}

func (apiSurface) answers(t *testing.T, s *hosttest.Server, _, id string, v api.Verdict) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/v1/inbox/"+id+"/verdict", bytes.NewReader(text))
	r.Header.Set("Content-Type", "application/json")
	apiOf(s.Backend).ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		return fmt.Errorf("%d: %s", w.Code, w.Body)
	}
	return nil
}

// terminal answers in the journal of a process that has ended, as swarmbus answer does.
type terminal struct{}

func (terminal) shows(t *testing.T, s *hosttest.Server, solve string) []asked {
	return ofItems(s.Open(t, solve))
}

func (terminal) answers(t *testing.T, s *hosttest.Server, solve, id string, v api.Verdict) (said error) {
	if id == "" {
		return errCannot // the command refuses it: TestAnAnswerIsForTheCallThatItNames
	}
	s.Restart(t, func(path string) {
		file, err := journal.Open(path, nil)
		if err != nil {
			t.Fatal(err)
		}
		call := strings.TrimPrefix(id, solve+".")
		said = solves.Answer(t.Context(), file, strings.TrimPrefix(solve, hosttest.Team+"."), asking.Answer{ID: call, Verdict: asking.Verdict(v.Verdict), Reason: v.Reason, Args: v.Args, By: "person"})
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	})
	return said
}

type a2aSurface struct{ text bool }

func (a2aSurface) call(t *testing.T, s *hosttest.Server, method string, params any) (result struct {
	Status struct {
		Message struct {
			Parts []struct {
				Kind, Text string
				Data       api.Item
			}
		}
	}
}, err error,
) {
	t.Helper()
	agent, err := a2a.New(t.Context(), a2a.Options{Backend: s.Backend})
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	agent.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, a2a.Prefix+hosttest.Team, bytes.NewReader(body)))
	var got struct {
		Result json.RawMessage
		Error  any
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Error != nil {
		return result, fmt.Errorf("%v", got.Error)
	}
	return result, json.Unmarshal(got.Result, &result)
}

func (a a2aSurface) shows(t *testing.T, s *hosttest.Server, solve string) (all []asked) {
	got, err := a.call(t, s, "tasks/get", map[string]any{"id": solve})
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	for _, p := range got.Status.Message.Parts {
		if p.Kind == "text" {
			text = p.Text
			continue
		}
		all = append(all, asked{p.Data.ID, p.Data.Tool.Tool, text})
	}
	return all
}

func (a a2aSurface) answers(t *testing.T, s *hosttest.Server, solve, id string, v api.Verdict) error {
	part := map[string]any{"kind": "data", "data": map[string]any{"id": id, "verdict": v.Verdict, "reason": v.Reason, "args": v.Args}}
	if a.text {
		if v.Args != "" {
			return errCannot
		}
		part = map[string]any{"kind": "text", "text": strings.TrimSpace(id + " " + v.Verdict + ": " + v.Reason)}
	}
	_, err := a.call(t, s, "message/send", map[string]any{
		"message":       map[string]any{"kind": "message", "messageId": "1", "role": "user", "taskId": solve, "parts": []any{part}},
		"configuration": map[string]any{"blocking": false},
	})
	return err
}

type aguiSurface struct{ approved bool }

func (aguiSurface) run(t *testing.T, s *hosttest.Server, solve string, resume ...any) (end agui.Event, err error) {
	t.Helper()
	server := agui.Server{Backend: s.Backend, Hub: s.Hub, User: func(*http.Request) string { return "matrix" }}
	body, err := json.Marshal(map[string]any{"threadId": "t", "runId": "r", "resume": resume})
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	server.Handler().ServeHTTP(&patient{w}, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/agui/solves/"+solve, bytes.NewReader(body)))
	if w.Code != http.StatusOK {
		return end, fmt.Errorf("%d: %s", w.Code, w.Body)
	}
	lines := bufio.NewScanner(w.Body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			end = agui.Event{}
			if err := json.Unmarshal([]byte(text), &end); err != nil {
				t.Fatal(err)
			}
		}
	}
	return end, nil
}

// patient is a recorder with deadlines.
type patient struct{ *httptest.ResponseRecorder }

func (*patient) SetWriteDeadline(time.Time) error { return nil }

func (a aguiSurface) shows(t *testing.T, s *hosttest.Server, solve string) (all []asked) {
	end, err := a.run(t, s, solve)
	if err != nil || end.Outcome == nil {
		t.Fatalf("%+v (%v)", end, err)
	}
	for _, i := range end.Outcome.Interrupts {
		of := asked{id: i.ID, text: i.Message}
		_, of.tool, _ = strings.Cut(i.Message, "\ntool: ")
		of.tool, _, _ = strings.Cut(of.tool, "\n")
		all = append(all, of)
	}
	return all
}

func (a aguiSurface) answers(t *testing.T, s *hosttest.Server, solve, id string, v api.Verdict) error {
	payload := map[string]any{"verdict": v.Verdict, "reason": v.Reason, "args": v.Args}
	if a.approved {
		switch v.Verdict {
		case "once", "deny":
			payload = map[string]any{"approved": v.Verdict == "once", "reason": v.Reason}
		case "edit":
			payload = map[string]any{"approved": true, "editedArgs": json.RawMessage(v.Args)}
		default:
			return errCannot
		}
	}
	_, err := a.run(t, s, solve, map[string]any{"interruptId": id, "status": "resolved", "payload": payload})
	return err
}

// forms gives a task to the team by the protocol of editors, and answers the form about a tool.
func forms(t *testing.T, s *hosttest.Server, version, task, tool string, v api.Verdict, before func(solve string)) (all []asked) {
	t.Helper()
	server, err := mcpserver.New(t.Context(), mcpserver.Options{Backend: s.Backend})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	var served sync.WaitGroup
	served.Go(func() { _ = server.Stdio(ctx, in, out) }) // its error is that the client is gone
	defer served.Wait()
	defer cancel()
	var once sync.Once
	var mu sync.Mutex
	client := sdk.NewClient(&sdk.Implementation{Name: "editor", Version: "1"}, &sdk.ClientOptions{ElicitationHandler: func(ctx context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		mu.Lock()
		defer mu.Unlock()
		items, err := s.Backend.Inbox.Items(ctx, true)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(items, func(i api.Item) bool { return i.Words == r.Params.Message })
		if i < 0 {
			return nil, errors.New("the form is not what the server renders")
		}
		all = append(all, asked{items[i].ID, items[i].Tool.Tool, r.Params.Message})
		if !strings.Contains(r.Params.Message, "tool: "+tool+"\n") {
			return &sdk.ElicitResult{Action: "decline"}, nil
		}
		once.Do(func() { before(items[i].Solve) })
		return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"verdict": v.Verdict, "reason": v.Reason, "args": v.Args}}, nil
	}})
	session, err := client.Connect(ctx, &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close() //nolint:errcheck // the test is over
	if _, err := session.CallTool(ctx, &sdk.CallToolParams{Name: "solve", Arguments: map[string]any{"task": task}}); err != nil {
		t.Fatal(err)
	}
	return all
}
