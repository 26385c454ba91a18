package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/agents/tools/mcp"
)

type word struct {
	Word string `json:"word"`
}

type found struct {
	Meaning string `json:"meaning"`
}

// dictionary is a server of the SDK.
func dictionary() *sdk.Server {
	s := sdk.NewServer(&sdk.Implementation{Name: "dictionary", Version: "1"}, nil)
	sdk.AddTool(s, &sdk.Tool{Name: "look_up", Description: "Looks a word up.", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, in word) (*sdk.CallToolResult, found, error) {
			if in.Word == "" {
				return nil, found{}, fmt.Errorf("no word")
			}
			return nil, found{"chance"}, nil
		})
	s.AddTool(&sdk.Tool{Name: "show", InputSchema: map[string]any{"type": "object"}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{
				&sdk.TextContent{Text: "a text"}, &sdk.ImageContent{Data: []byte("12345"), MIMEType: "image/png"}, &sdk.AudioContent{Data: []byte("123"), MIMEType: "audio/wav"},
				&sdk.ResourceLink{URI: "file:///a.txt", Name: "a.txt"}, &sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///b.txt", MIMEType: "text/plain", Text: "of b"}},
				&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "file:///c.bin", Blob: []byte("12")}},
			}}, nil
		})
	s.AddTool(&sdk.Tool{Name: "lies", InputSchema: map[string]any{"type": "object"}, OutputSchema: map[string]any{"type": "object", "required": []any{"meaning"}}, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			return &sdk.CallToolResult{StructuredContent: map[string]any{"other": 1}, Content: []sdk.Content{}}, nil
		})
	return s
}

// atURL opens a server at a URL.
func atURL(t *testing.T, s mcp.Spec, o *mcp.Options) *mcp.Server {
	t.Helper()
	server, err := mcp.Open(t.Context(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server
}

func TestAServerOverHTTPGetsItsHeadersAndReturnsResultsOfEachKind(t *testing.T) {
	t.Parallel()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return dictionary() }, nil)
	refused := atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer s3cret" {
			refused.Add(1)
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	o := &mcp.Options{Lookup: func(name string) (string, bool) { return "Bearer s3cret", name == "TOKEN" }}
	set := agentsSet(atURL(t, mcp.Spec{Name: "words", URL: server.URL, Headers: map[string]string{"Authorization": "TOKEN"}}, o))
	all := called(t, set, `words/look_up {"word":"jitter"}`, `words/look_up {"word":""}`, `words/look_up {}`, "words/show", "words/lies")
	for i, want := range []struct {
		how  tools.How
		text string
	}{
		{tools.Done, `{"meaning":"chance"}`},
		{tools.Failed, "no word"},
		{tools.Invalid, "the arguments do not conform to the schema of words/look_up: "},
		{tools.Done, "a text\n[an image, image/png, 5 bytes, not shown]\n[audio, audio/wav, 3 bytes, not shown]\n[a link to the resource file:///a.txt, of an unknown type, a.txt]\n[the resource file:///b.txt, text/plain]\nof b\n[the resource file:///c.bin, of an unknown type, 2 bytes, not shown]"},
		{tools.Broken, "the call of words/lies got no result: the structured result does not conform to the tool's own schema: "},
	} {
		if all[i].How != want.how || !strings.HasPrefix(all[i].Text, want.text) {
			t.Errorf("%s: %q, want %s: %q", all[i].How, all[i].Text, want.how, want.text)
		}
	}
	if refused.Load() > 0 {
		t.Errorf("%d requests came without the header", refused.Load())
	}
}

func TestARedirectToAnotherHostIsRefused(t *testing.T) {
	t.Parallel()
	reached := atomic.Int32{}
	evil := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(evil.Close)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, evil.URL, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	_, err := mcp.Open(t.Context(), mcp.Spec{Name: "words", URL: server.URL}, nil)
	if err == nil || !strings.Contains(err.Error(), "redirect to another server ("+evil.URL+") is refused") || reached.Load() > 0 {
		t.Errorf("got %v; the other was reached %d times", err, reached.Load())
	}
}

func TestARedirectToAnotherSchemeIsRefused(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "https://"+r.Host, http.StatusTemporaryRedirect)
	}))
	t.Cleanup(server.Close)
	_, err := mcp.Open(t.Context(), mcp.Spec{Name: "words", URL: server.URL}, nil)
	if err == nil || !strings.Contains(err.Error(), "redirect to another server (https://"+strings.TrimPrefix(server.URL, "http://")+") is refused") {
		t.Errorf("got %v", err)
	}
}

func TestAToolReachesOutsideUnlessItsHintDeniesIt(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	s := sdk.NewServer(&sdk.Implementation{Name: "s", Version: "1"}, nil)
	for name, a := range map[string]*sdk.ToolAnnotations{"silent": nil, "other": {ReadOnlyHint: true}, "yes": {OpenWorldHint: &yes}, "no": {OpenWorldHint: &no}} {
		s.AddTool(&sdk.Tool{Name: name, InputSchema: map[string]any{"type": "object"}, Annotations: a},
			func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
				return &sdk.CallToolResult{}, nil
			})
	}
	server := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil))
	t.Cleanup(server.Close)
	all, err := atURL(t, mcp.Spec{Name: "s", URL: server.URL}, nil).Tools(t.Context())
	if err != nil || len(all) != 4 {
		t.Fatalf("%d tools, %v", len(all), err)
	}
	for _, tool := range all {
		if tool.Hints.ReachesOutside != (tool.Name != "no") {
			t.Errorf("%s: %+v", tool.Name, tool.Hints)
		}
	}
}

// TestCallersDoNotWaitForAnothersConnect has a server that forgets its session, and hangs
// when a caller connects to it again.
func TestCallersDoNotWaitForAnothersConnect(t *testing.T) {
	t.Parallel()
	forgets, dialled, stop, words := atomic.Bool{}, make(chan struct{}, 8), make(chan struct{}), dictionary()
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return words }, nil)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !forgets.Load() || r.Method != http.MethodPost:
			handler.ServeHTTP(w, r)
		case r.Header.Get("Mcp-Session-Id") != "":
			w.WriteHeader(http.StatusNotFound)
		default:
			dialled <- struct{}{}
			<-stop
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		close(stop)
		for session := range words.Sessions() {
			_ = session.Close()
		}
	})
	v := atURL(t, mcp.Spec{Name: "words", URL: server.URL, Connect: time.Hour, Limits: tools.Limits{Failures: 1 << 20}}, nil)
	all, err := v.Tools(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	forgets.Store(true)
	first := make(chan error, 1)
	go func() {
		for { // until the end of the connection is noticed
			if _, err := all[0].Call(context.Background(), []byte(`{"word":"x"}`)); errors.Is(err, mcp.ErrClosed) {
				first <- err
				return
			}
		}
	}()
	<-dialled
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Tools(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	_ = v.LeftOut()
	_ = v.Close()
	if err := <-first; !errors.Is(err, mcp.ErrClosed) {
		t.Errorf("the one that connects got %v", err)
	}
}

// TestAResponseWithoutEndIsNotRead sends a response of each kind that does not end.
func TestAResponseWithoutEndIsNotRead(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"application/json", "text/event-stream"} {
		sent := atomic.Int64{}
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", kind)
			if r.Method != http.MethodPost {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			for r.Context().Err() == nil && sent.Load() < 1<<30 {
				n, err := io.WriteString(w, "data: "+strings.Repeat("x", 1<<20))
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		}))
		_, err := mcp.Open(t.Context(), mcp.Spec{Name: "words", URL: server.URL, Connect: 5 * time.Second}, nil)
		if err == nil || sent.Load() > 1<<28 {
			t.Errorf("%s: %v after %d bytes", kind, err, sent.Load())
		}
		server.CloseClientConnections()
		server.Close()
	}
}

func TestASpecThatMakesNoSenseIsRefusedWithTheField(t *testing.T) {
	t.Parallel()
	for want, s := range map[string]mcp.Spec{
		`server.name = "a/b"`:         {Name: "a/b", Command: "x"},
		`server.command: a server`:    {Name: "a"},
		`either a command or a url`:   {Name: "a", Command: "x", URL: "https://h"},
		`server.url = "ftp…"`:         {Name: "a", URL: "ftp://h"},
		`server.url = "https…"`:       {Name: "a", URL: "https://u:p@h"},
		`only a server with a url`:    {Name: "a", Command: "x", Headers: map[string]string{"A": "B"}},
		`only a server with a comman`: {Name: "a", URL: "https://h", Args: []string{"x"}},
		`server.connect = "-1s"`:      {Name: "a", URL: "https://h", Connect: -time.Second},
	} {
		if err := s.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", want, err)
		}
	}
}

func TestASessionThatAServerLostIsRenewedAndTheCallIsMadeOnce(t *testing.T) {
	t.Parallel()
	var calls, restarts atomic.Int32
	begin := func() http.Handler {
		s := sdk.NewServer(&sdk.Implementation{Name: "payments", Version: "1"}, nil)
		s.AddTool(&sdk.Tool{Name: "pay", InputSchema: map[string]any{"type": "object"}}, func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			calls.Add(1)
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "paid"}}}, nil
		})
		t.Cleanup(func() {
			for one := range s.Sessions() {
				_ = one.Close()
			}
		})
		return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	}
	var at atomic.Value
	at.Store(begin())
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { at.Load().(http.Handler).ServeHTTP(w, r) }))
	t.Cleanup(server.Close)
	v := atURL(t, mcp.Spec{Name: "payments", URL: server.URL}, nil)
	set := agentsSet(v)
	set.May[0].Policy = tools.Allow
	for n := range int32(4) {
		if n%2 == 1 {
			at.Store(begin())
			restarts.Add(1)
		}
		if o := called(t, set, "payments/pay")[0]; o.How != tools.Done || o.Text != "paid" || calls.Load() != n+1 {
			t.Errorf("call %d after %d restarts: %+v, made %d times", n, restarts.Load(), o, calls.Load())
		}
	}
}

func TestContentsOfAnUnknownKindOverHTTPAreSaid(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var m struct {
				ID     json.RawMessage
				Method string
				Params struct{ ProtocolVersion string }
			}
			if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&m) != nil {
				w.WriteHeader(http.StatusMethodNotAllowed)
				return
			}
			result, known := map[string]string{
				"initialize": fmt.Sprintf(`{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}`, m.Params.ProtocolVersion),
				"tools/list": `{"tools":[{"name":"show","inputSchema":{"type":"object"},"annotations":{"readOnlyHint":true}}]}`,
				"tools/call": `{"content":[{"type":"video","data":"AAAA"},{"type":"text","text":"noon"}]}`,
			}[m.Method]
			switch said := fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result); {
			case m.ID == nil:
				w.WriteHeader(http.StatusAccepted)
			case !known:
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no method"}}`, m.ID)
			case stream:
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = fmt.Fprintf(w, "event: message\r\ndata:%s\r\n\r\n", said)
			default:
				w.Header().Set("Content-Type", "application/json; charset=utf-8")
				_, _ = fmt.Fprint(w, said)
			}
		}))
		t.Cleanup(server.Close)
		o := called(t, agentsSet(atURL(t, mcp.Spec{Name: "odd", URL: server.URL}, nil)), "odd/show")[0]
		if want := "[content of the kind \"video\", 30 bytes, not shown]\nnoon"; o.How != tools.Done || o.Text != want {
			t.Errorf("stream %t: %+v", stream, o)
		}
	}
}
