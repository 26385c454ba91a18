package mcpserver_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"go.uber.org/goleak"

	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/mcpserver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Tasks of the team of the demo.
const (
	decides   = "How often do we retry a payment that timed out?"
	asks      = "How long may we keep the raw access logs?"
	asksTwice = "Do we fail over to the second region on Friday?" // about the call of a tool
)

// serve returns a server with the team of the demo.
func serve(t *testing.T, o mcpserver.Options) *mcpserver.Server {
	t.Helper()
	return serveSlowly(t, 0, o)
}

// serveSlowly returns one whose agents take a time to think.
func serveSlowly(t *testing.T, pace time.Duration, o mcpserver.Options) *mcpserver.Server {
	t.Helper()
	hub := feed.New(feed.Options{})
	h, err := host.Open(t.Context(), host.Options{Dir: t.TempDir(), Teams: []host.Team{demo.Team(pace)}, Hub: hub})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		hub.Close()
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	if o.Backend == nil {
		o.Backend = h.Backend()
	}
	s, err := mcpserver.New(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// connect connects a client over pipes, which speaks a version of the protocol; "": the newest.
func connect(t *testing.T, s *mcpserver.Server, version string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = s.Stdio(ctx, in, out) // its error is that the client is gone
	}()
	client := sdk.NewClient(&sdk.Implementation{Name: "editor", Version: "1"}, o)
	session, err := client.Connect(t.Context(), &sdk.IOTransport{Reader: fromServer, Writer: toServer}, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		cancel()
		<-ended
	})
	return session
}

// connectOver connects a client over HTTP.
func connectOver(t *testing.T, s *mcpserver.Server, version string, o *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	server := httptest.NewServer(s.Handler())
	t.Cleanup(func() { s.Close(); server.Close() })
	client := sdk.NewClient(&sdk.Implementation{Name: "editor", Version: "1"}, o)
	transport := &sdk.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true, HTTPClient: server.Client(), MaxRetries: -1}
	session, err := client.Connect(t.Context(), transport, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// call calls a tool, and decodes its structured result.
func call[T any](t *testing.T, c *sdk.ClientSession, name string, args map[string]any) (out T) {
	t.Helper()
	p := &sdk.CallToolParams{Name: name, Arguments: args}
	p.SetProgressToken(name)
	r, err := c.CallTool(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	if r.IsError {
		t.Fatal(r.Content[0].(*sdk.TextContent).Text)
	}
	text, err := json.Marshal(r.StructuredContent)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// refused returns the error with which a tool refuses a call.
func refused(t *testing.T, c *sdk.ClientSession, name string, args map[string]any) string {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return err.Error()
	}
	if !r.IsError {
		t.Fatalf("%s %v is not refused: %v", name, args, r.StructuredContent)
	}
	return r.Content[0].(*sdk.TextContent).Text
}

type decision struct {
	Outcome, Choice, Reason string
	Confidence              float64
	Dissent                 []struct{ Voter, Reasoning string }
	Uncounted               []struct{ Voter, Cause string }
	RestsOn                 []string
}

type solved struct {
	Solve, State, Answer, Stop string
	Decision                   decision
	Asks                       []struct{ By, Reason string }
}

func TestSolveReportsProgressAndReturnsTheDecision(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var told []*sdk.ProgressNotificationParams
	begun := make(chan struct{})
	c := connect(t, serve(t, mcpserver.Options{}), "", &sdk.ClientOptions{
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
			mu.Lock()
			defer mu.Unlock()
			if told = append(told, r.Params); len(told) == 1 {
				close(begun)
			}
		},
	})
	got := call[solved](t, c, "solve", map[string]any{"team": "platform", "task": decides})
	if got.State != "decided" || got.Stop != "consensus" || !strings.HasPrefix(got.Answer, "Three times") || got.Decision.Reason == "" {
		t.Errorf("got %+v", got)
	}
	// The SDK delivers notifications concurrently with the result.
	<-begun
	mu.Lock()
	defer mu.Unlock()
	if len(told) == 0 || !strings.HasPrefix(told[len(told)-1].Message, "round ") || !slices.IsSortedFunc(told, func(a, b *sdk.ProgressNotificationParams) int { return int(a.Progress - b.Progress) }) {
		t.Errorf("progress: got %d notifications", len(told))
	}

	type reasons struct {
		Votes     []struct{ Voter, Proposal string }
		Decision  decision
		Turn      *struct{ By string }
		Otherwise []struct {
			Strategy  string
			Threshold float64
		}
		RestsOn []struct{ Voter string }
	}
	why := call[reasons](t, c, "why", map[string]any{"solve": "platform"}) // its one solve
	if len(why.Votes) != 6 || why.Decision.Choice != "three" || why.Turn == nil {
		t.Errorf("why: got %+v", why)
	}
	type page struct {
		Said []struct {
			Seq  uint64
			Text string
		}
		Next uint64
	}
	first := call[page](t, c, "show", map[string]any{"solve": got.Solve, "limit": 2})
	second := call[page](t, c, "show", map[string]any{"solve": got.Solve, "limit": 2, "after": first.Next})
	if len(first.Said) != 2 || first.Said[0].Text != decides || first.Next != first.Said[1].Seq || second.Said[0].Seq <= first.Next {
		t.Errorf("show: got %+v and %+v", first, second)
	}
	type list struct {
		Runs   []struct{ Name string }
		Solves []struct{ ID, State string }
	}
	if all := call[list](t, c, "runs", nil); len(all.Runs) != 1 || len(all.Solves) != 1 || all.Solves[0].ID != got.Solve {
		t.Errorf("runs: got %+v", all)
	}
}

// Both ways in which a tool asks: by its result, and while it is called.
var versions = map[string]string{"by result": "2026-07-28", "while it is called": "2025-06-18"}

// TestTheUserAnswersQuestionsOverHTTP has a revision whose requests stand alone, and one with sessions.
func TestTheUserAnswersQuestionsOverHTTP(t *testing.T) {
	t.Parallel()
	for way, version := range versions {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			c := connectOver(t, serve(t, mcpserver.Options{}), version, &sdk.ClientOptions{
				ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"vote": "seven-days", "answer": "Only hashes are kept longer."}}, nil
				},
			})
			if is := c.InitializeResult(); is.ProtocolVersion != version {
				t.Errorf("the server speaks %s, want %s", is.ProtocolVersion, version)
			}
			if got := call[solved](t, c, "solve", map[string]any{"task": asks}); got.State != "decided" || !strings.HasPrefix(got.Answer, "Keep raw logs for 7 days") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestTheUserOfTheClientAnswersQuestions(t *testing.T) {
	t.Parallel()
	for way, version := range versions {
		t.Run(way, func(t *testing.T) {
			t.Parallel()
			var asked []string
			c := connect(t, serve(t, mcpserver.Options{}), version, &sdk.ClientOptions{
				ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
					asked = append(asked, r.Params.Message)
					return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"vote": "seven-days", "answer": "Only hashes are kept longer."}}, nil
				},
			})
			got := call[solved](t, c, "solve", map[string]any{"task": asks})
			if len(asked) != 1 || !strings.Contains(asked[0], "verifier asks: May raw access logs be kept for 30 days?") || !strings.Contains(asked[0], "\nseven-days: Keep raw logs for 7 days") {
				t.Errorf("asked %q", asked)
			}
			if got.State != "decided" || !strings.HasPrefix(got.Answer, "Keep raw logs for 7 days") {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestTheUserOfTheClientAllowsCallsOfTools(t *testing.T) {
	t.Parallel()
	for way, version := range versions {
		for verdict, want := range map[string]string{"once": "Fail over on Friday", "deny": "Wait until the caches"} {
			t.Run(way+" "+verdict, func(t *testing.T) {
				t.Parallel()
				asked := ""
				c := connect(t, serve(t, mcpserver.Options{}), version, &sdk.ClientOptions{
					ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
						asked = r.Params.Message
						return &sdk.ElicitResult{Action: "accept", Content: map[string]any{"verdict": verdict, "reason": "not on a Friday"}}, nil
					},
				})
				got := call[solved](t, c, "solve", map[string]any{"task": asksTwice})
				if !strings.Contains(asked, "agent: verifier\ntool: rehearse\narguments: {\"plan\":") || got.State != "decided" || !strings.HasPrefix(got.Answer, want) {
					t.Errorf("asked %q, got %+v", asked, got)
				}
			})
		}
	}
}

func TestAClientThatCannotAskLeavesTheQuestionOpen(t *testing.T) {
	t.Parallel()
	decline := &sdk.ClientOptions{ElicitationHandler: func(context.Context, *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		return &sdk.ElicitResult{Action: "decline"}, nil
	}}
	for way, o := range map[string]*sdk.ClientOptions{"cannot": nil, "declines": decline} {
		for _, version := range slices.Sorted(maps.Values(versions)) {
			t.Run(way+" "+version, func(t *testing.T) {
				t.Parallel()
				c := connect(t, serve(t, mcpserver.Options{}), version, o)
				got := call[solved](t, c, "solve", map[string]any{"task": asks})
				if got.State != "waiting" || len(got.Asks) != 1 || got.Asks[0].By != "verifier" {
					t.Errorf("got %+v", got)
				}
			})
		}
	}
}

func TestResourcesAreTheRunsAndTheirLogs(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{}), "", nil)
	call[solved](t, c, "solve", map[string]any{"task": decides})
	all, err := c.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range all.Resources {
		uris = append(uris, r.URI)
	}
	if want := []string{"swarmbus://runs", "swarmbus://runs/platform/log"}; !slices.Equal(uris, want) {
		t.Errorf("got %q, want %q", uris, want)
	}
	var log struct{ Signals []struct{ Seq uint64 } }
	for _, from := range []string{"", "?after=3"} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uris[1] + from})
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(r.Contents[0].Text), &log); err != nil {
			t.Fatal(err)
		}
		if want := map[string]uint64{"": 1, "?after=3": 4}[from]; len(log.Signals) == 0 || log.Signals[0].Seq != want {
			t.Errorf("%s: got %d signals", from, len(log.Signals))
		}
	}
	for _, uri := range []string{"swarmbus://runs/nothing/log", "swarmbus://runs/..%2F..%2Fetc%2Fpasswd/log", "file:///etc/passwd"} {
		if r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
			t.Errorf("%s: got %v", uri, r.Contents)
		}
	}
}

func TestPromptsAreTheTeams(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{}), "", nil)
	all, err := c.ListPrompts(t.Context(), nil)
	if err != nil || len(all.Prompts) != 1 || all.Prompts[0].Name != "platform" {
		t.Fatalf("got %v, %v", all, err)
	}
	p, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "platform", Arguments: map[string]string{"task": "Tea or coffee?"}})
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Messages[0].Content.(*sdk.TextContent).Text; !strings.Contains(text, `"platform"`) || !strings.Contains(text, "Tea or coffee?") {
		t.Errorf("got %q", text)
	}
}

func TestErrorsNameWhatDoesNotExist(t *testing.T) {
	t.Parallel()
	c := connect(t, serve(t, mcpserver.Options{}), "", nil)
	for _, each := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"solve", map[string]any{"task": decides, "team": "nobody"}, "team"},
		{"solve", map[string]any{}, "task"},
		{"solve", map[string]any{"task": strings.Repeat("x", 70_000)}, "task"},
		{"show", map[string]any{"solve": "platform.nothing"}, `there is no solve "platform.nothing"`},
		{"why", map[string]any{"solve": "nothing"}, `there is no run "nothing"`},
		{"why", map[string]any{"solve": "../../etc/passwd"}, "there is no"},
		{"why", map[string]any{"solve": "platform"}, `the run "platform" has not one solve: none`},
		{"runs", map[string]any{"state": "sleeping"}, "state"},
		{"runs", map[string]any{"run": "nothing"}, `there is no run "nothing"`},
	} {
		if got := refused(t, c, each.tool, each.args); !strings.Contains(got, each.want) {
			t.Errorf("%s %v: got %q, want %q", each.tool, each.args, got, each.want)
		}
	}
}

// TestWhatAPipeAskedIsAnsweredBeforeItsEnd and what is no message is answered, too.
func TestWhatAPipeAskedIsAnsweredBeforeItsEnd(t *testing.T) {
	t.Parallel()
	asked := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"file","version":"1"}}}
garbage
{"jsonrpc":"2.0","method":"notifications/initialized"}

{"no":"message"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"decide","arguments":{"votes":[{"voter":"a","choice":"x"},{"voter":"b","choice":"x"}]}}}`
	var out bytes.Buffer
	err := serve(t, mcpserver.Options{}).Stdio(t.Context(), io.NopCloser(strings.NewReader(asked)), printed{&out})
	if err != nil && !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"id":null,"error":{"code":-32700,"message":"not JSON: \"garbage\""}}` + "\n", `"id":null,"error":{"code":-32600,`,
		`"id":1,"result":`, `"id":2,"result":`, `"id":3,"result":`,
	} {
		if strings.Count(out.String(), want) != 1 {
			t.Errorf("no %s in\n%s", want, out.String())
		}
	}
}

type printed struct{ io.Writer }

func (printed) Close() error { return nil }
