package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/server"
)

// causes is a hook that knows what solves are caused by.
type causes struct {
	mu  sync.Mutex // protects the field below
	all map[string]bool
}

func (c *causes) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	if op.Name == hooks.OpSolve && op.Cause != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.all[op.Cause.String()+" "+op.Cause.State] = true
	}
	return ctx, func(any, error) {}
}

func (*causes) Note(context.Context, any) {}

func (*causes) Trace(context.Context) *signals.Trace { return nil }

// A carrier sends what a trace is carried by with each request.
type carrier struct {
	token string
	state string
}

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

func (c carrier) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+c.token)
	if c.state != "" {
		r.Header.Set("traceparent", parent)
		r.Header.Set("tracestate", c.state)
	}
	return http.DefaultTransport.RoundTrip(r)
}

// A trace that a client has begun goes on in the solve that it asks for, by whichever protocol.
func TestSolvesAreInsideOfWhatAsksForThem(t *testing.T) {
	seen := &causes{all: map[string]bool{}}
	o := options(t, demo.Team(0))
	o.Host.Hook = seen
	s, end := running(t, o)
	ask := demo.Tasks()[0]
	for state, to := range map[string][2]string{
		"by=api":  {"/api/solves", fmt.Sprintf(`{"team":"platform","task":%q}`, ask)},
		"by=agui": {"/api/agui/teams/platform", fmt.Sprintf(`{"threadId":"t","runId":"r","state":{},"tools":[],"context":[],"forwardedProps":{},"messages":[{"id":"1","role":"user","content":%q}]}`, ask)},
		"by=a2a":  {"/api/a2a/platform", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"configuration":{"blocking":true},"message":{"kind":"message","messageId":"m","role":"user","parts":[{"kind":"text","text":%q}]}}}`, ask)},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, o.At.Base()+to[0], strings.NewReader(to[1]))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		got, err := carrier{s.Token(), state}.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if _ = got.Body.Close(); got.StatusCode >= 300 {
			t.Errorf("%s: status %d", state, got.StatusCode)
		}
	}
	for _, header := range []string{"by=mcp", ""} {
		c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: o.At.Base() + server.MCPPath, HTTPClient: &http.Client{Transport: carrier{s.Token(), header}}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		call := &mcp.CallToolParams{Name: "solve", Arguments: map[string]any{"task": ask}}
		if header == "" {
			call.Meta = mcp.Meta{"traceparent": parent, "tracestate": "by=meta"}
		}
		if got, err := session.CallTool(t.Context(), call); err != nil || got.IsError {
			t.Errorf("%q: %v, %v", header, got, err)
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := end(); err != nil {
		t.Error(err)
	}
	for _, state := range []string{"by=api", "by=agui", "by=a2a", "by=mcp", "by=meta"} {
		if !seen.all[parent+" "+state] {
			t.Errorf("no solve is inside of the trace %s: %v", state, seen.all)
		}
	}
}
