package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/google/go-cmp/cmp"
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

var every = flag.Int("every", 17, "play one of so many cases of the matrix of questions")

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
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/api/inbox/"+id+"/verdict", bytes.NewReader(text))
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
		return errCannot // the command refuses it: TestACallIsAnsweredByItsID
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

// A race is what else happens to a question while a surface shows it.
var races = []string{"none", "rival first", "the list moves", "sent three times", "contradicted", "after the end", "restart", "without an id", "another's id", "at once", "does not fit"}

// A way is a case of the matrix.
type way struct {
	kind, race, verdict, rival string
	target                     int // of two calls, which is answered
}

// kinds are the calls of one turn.
var kinds = map[string][]hosttest.Call{
	"two tools": {{Tool: "note", Args: `{"text":"TASK","n":90071992547409931}`}, {Tool: "wipe", Args: `{"path":"/prod","why":"TASK"}`}},
	"one tool":  {{Tool: "note", Args: `{"text":"TASK","n":1}`}, {Tool: "note", Args: `{"text":"TASK","n":2}`}},
	"alike":     {{Tool: "note", Args: `{"text":"TASK"}`}, {Tool: "note", Args: `{"text":"TASK"}`}},
}

func ways() (all []way) {
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		for _, race := range races {
			for _, verdict := range []string{"once", "solve", "deny", "edit", "respond"} {
				for target := range 2 {
					rivals := []string{"deny"}
					if slices.Contains([]string{"rival first", "the list moves", "contradicted", "at once"}, race) {
						rivals = []string{"deny", "once"}
					}
					for _, rival := range rivals {
						all = append(all, way{kind, race, verdict, rival, target})
					}
				}
			}
		}
	}
	return all
}

func verdictOf(verdict, by, task string) api.Verdict {
	v := api.Verdict{Verdict: verdict, By: by}
	switch verdict {
	case "edit":
		v.Args = `{"text":"changed in ` + task + `"}`
	case "deny", "respond":
		v.Reason = "said by " + by
	}
	return v
}

// TestNothingRunsThatWasNotShownAndAllowed goes through surfaces, kinds of questions, races and
// verdicts. What ran has to be what the surfaces showed and the first answers, as the log has them,
// allowed, and these have to be the answers that were given first.
func TestNothingRunsThatWasNotShownAndAllowed(t *testing.T) {
	counts := map[[2]string]int{}
	var mu sync.Mutex
	t.Run("all", func(t *testing.T) {
		for name, on := range surfaces {
			for kind, calls := range kinds {
				for _, race := range races {
					t.Run(name+", "+kind+", "+race, func(t *testing.T) {
						t.Parallel()
						s := hosttest.Start(t, t.TempDir(), calls...)
						_, foreign := s.Begin(t, "another task")
						for i, w := range ways() {
							if w.kind == kind && w.race == race && i%*every == 0 && play(t, s, on, fmt.Sprintf("task %d", i), w, foreign[0].ID) {
								mu.Lock()
								counts[[2]string{name, race}]++
								mu.Unlock()
							}
						}
					})
				}
			}
		}
		for _, version := range []string{"2026-07-28", "2025-06-18"} {
			t.Run("MCP "+version, func(t *testing.T) {
				t.Parallel()
				s := hosttest.Start(t, t.TempDir(), kinds["two tools"]...)
				for i, w := range ways() {
					if w.kind == "two tools" && i%*every == 0 && slices.Contains([]string{"none", "rival first", "the list moves", "contradicted"}, w.race) {
						playForm(t, s, version, fmt.Sprintf("task %d", i), w)
						mu.Lock()
						counts[[2]string{"MCP " + version, w.race}]++
						mu.Unlock()
					}
				}
			})
		}
	})
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "surface\t"+strings.Join(races, "\t")+"\t")
	total := 0
	for _, name := range append(slices.Sorted(maps.Keys(surfaces)), "MCP 2025-06-18", "MCP 2026-07-28") {
		fmt.Fprint(out, name)
		for _, race := range races {
			n := counts[[2]string{name, race}]
			fmt.Fprintf(out, "\t%d", n)
			total += n
		}
		fmt.Fprintln(out, "\t")
	}
	_ = out.Flush()
	t.Logf("%d cases, in each of which nothing ran that was not shown and allowed\n%s", total, &table)
	if *every == 1 && total < 2000 && !t.Failed() {
		t.Errorf("%d cases", total)
	}
}

// play plays a case, unless the surface has no way to say it.
func play(t *testing.T, s *hosttest.Server, on surface, task string, w way, foreign string) bool {
	t.Helper()
	solve, _ := s.Begin(t, task)
	shown := on.shows(t, s, solve)
	if len(shown) != 2 {
		t.Fatalf("%v: shown %+v", w, shown)
	}
	target, other := shown[w.target], shown[1-w.target]
	mine, rival := verdictOf(w.verdict, "", task), verdictOf(w.rival, "rival", task)
	first := map[string]string{target.id: w.verdict} // what is to count
	decide := func(id string, v api.Verdict) {
		if err := (apiSurface{}).answers(t, s, solve, id, v); err != nil {
			t.Errorf("%v: a rival's answer to %s: %v", w, id, err)
		}
	}
	id := target.id
	switch w.race {
	case "rival first":
		decide(target.id, rival)
		first[target.id] = w.rival
	case "the list moves":
		decide(other.id, rival)
		first[other.id] = w.rival
	case "after the end":
		decide(target.id, rival)
		decide(other.id, rival)
		first[target.id], first[other.id] = w.rival, w.rival
		s.Done(t, solve)
	case "restart":
		s.Restart(t, nil)
	case "does not fit":
		bad := api.Verdict{Verdict: "edit", Args: `{"text":7}`}
		if err := on.answers(t, s, solve, id, bad); err == nil || !errors.Is(err, errCannot) && !strings.Contains(err.Error(), "does not fit the tool") {
			t.Errorf("%v: arguments that do not fit the tool: %v", w, err)
		}
		if open := s.Open(t, solve); !slices.ContainsFunc(open, func(i api.Item) bool { return i.ID == id }) {
			t.Errorf("%v: the question is used up: %+v", w, open)
		}
	case "without an id":
		id = ""
		delete(first, target.id)
	case "another's id":
		id = foreign
		delete(first, target.id)
	}
	if w.race == "another's id" && (on == surface(apiSurface{}) || on == surface(aguiSurface{}) || on == surface(aguiSurface{approved: true})) {
		id = solve + ".0" // these name no solve beside the question
	}
	var err error
	if w.race == "at once" && on != surface(terminal{}) { // which ends the server
		var both sync.WaitGroup
		both.Go(func() { _ = (apiSurface{}).answers(t, s, solve, target.id, rival) }) // one of them is second
		err = on.answers(t, s, solve, id, mine)
		both.Wait()
		delete(first, target.id)
	} else {
		err = on.answers(t, s, solve, id, mine)
	}
	if errors.Is(err, errCannot) {
		for _, q := range shown {
			_ = (apiSurface{}).answers(t, s, solve, q.id, verdictOf("deny", "closer", task)) // some have an answer
		}
		s.Done(t, solve)
		return false
	}
	if refused := w.race == "without an id" || w.race == "another's id"; refused && err == nil {
		t.Errorf("%v: the answer was taken", w)
	}
	switch w.race {
	case "sent three times":
		for range 2 {
			_ = on.answers(t, s, solve, id, mine)
		}
	case "contradicted":
		_ = on.answers(t, s, solve, id, verdictOf(w.rival, "", task))
	}
	for _, q := range s.Open(t, solve) {
		_ = (apiSurface{}).answers(t, s, solve, q.ID, verdictOf("deny", "closer", task))
	}
	settled(t, s, solve, task, w, shown, first)
	return true
}

// playForm plays a case with a form.
func playForm(t *testing.T, s *hosttest.Server, version, task string, w way) {
	t.Helper()
	target, other := kinds[w.kind][w.target].Tool, kinds[w.kind][1-w.target].Tool
	rival := verdictOf(w.rival, "rival", task)
	first, solve := map[string]string{}, ""
	of := func(tool string) string {
		items, err := s.Backend.Inbox.Items(t.Context(), true)
		i := slices.IndexFunc(items, func(i api.Item) bool { return i.Solve == solve && i.Tool.Tool == tool })
		if err != nil || i < 0 {
			t.Fatal(err)
		}
		return items[i].ID
	}
	answers := func(tool string) {
		if err := (apiSurface{}).answers(t, s, solve, of(tool), rival); err != nil {
			t.Error(err)
		}
		first[of(tool)] = w.rival
	}
	shown := forms(t, s, version, task, target, verdictOf(w.verdict, "", task), func(in string) {
		switch solve = in; w.race {
		case "rival first":
			answers(target)
		case "the list moves":
			answers(other)
		}
	})
	if w.race != "rival first" {
		first[of(target)] = w.verdict
	}
	if w.race == "contradicted" {
		_ = (apiSurface{}).answers(t, s, solve, of(target), rival)
	}
	for _, q := range s.Open(t, solve) {
		shown = append(shown, asked{q.ID, q.Tool.Tool, q.Words})
		_ = (apiSurface{}).answers(t, s, solve, q.ID, verdictOf("deny", "closer", task))
	}
	settled(t, s, solve, task, w, shown, first)
}

// settled checks what ran when a solve has ended, by what was shown and what the log has.
func settled(t *testing.T, s *hosttest.Server, solve, task string, w way, shown []asked, first map[string]string) {
	t.Helper()
	s.Done(t, solve)
	items, err := s.Backend.Inbox.Items(t.Context(), true)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, i := range items {
		if i.Solve != solve {
			continue
		}
		if i.Answer == nil {
			t.Fatalf("%v: %s has no answer", w, i.ID)
		}
		if verdict, known := first[i.ID]; known && i.Answer.Verdict != verdict {
			t.Errorf("%v: %s is answered %q, want %q", w, i.ID, i.Answer.Verdict, verdict)
		}
		args := string(i.Tool.Args)
		if i.Answer.Verdict == "edit" {
			args = i.Answer.Args
		} else if rendered, err := asking.Show(args); err != nil || !slices.ContainsFunc(shown, func(q asked) bool {
			return q.id == i.ID && strings.Contains(q.text, "tool: "+i.Tool.Tool+"\n") && strings.Contains(q.text, rendered)
		}) {
			t.Errorf("%v: %s was not shown whole: %v", w, args, err)
		}
		if asking.Verdict(i.Answer.Verdict).Makes() {
			want = append(want, i.Tool.Tool+" "+args)
		}
	}
	slices.Sort(want)
	ran := slices.DeleteFunc(s.Ran(), func(call string) bool {
		return !strings.Contains(call, `"`+task+`"`) && !strings.Contains(call, "changed in "+task+`"`)
	})
	if diff := cmp.Diff(want, ran, cmp.Transformer("", func(all []string) string { return strings.Join(all, "\n") })); diff != "" {
		t.Errorf("%v: ran (+), allowed (-):\n%s", w, diff)
	}
}
