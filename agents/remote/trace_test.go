package remote_test

import (
	"context"
	"encoding/json"
	"iter"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/remote"
	"github.com/swarmbus/swarmbus/signals"
)

// A traced is the hook of a process: its ops are in a trace context, and it keeps their causes.
type traced struct {
	at     *signals.Trace
	causes []*signals.Trace
}

func (h *traced) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	h.causes = append(h.causes, op.Cause)
	return ctx, func(any, error) {}
}

func (h *traced) Note(context.Context, any) {}

func (h *traced) Trace(context.Context) *signals.Trace { return h.at }

// quiet is an agent that says nothing.
func quiet() *agents.Agent {
	return &agents.Agent{ID: "a", Actions: acts, Reactor: agents.Func(func(context.Context, *agents.Turn) iter.Seq2[signals.Any, error] {
		return agents.Emit()
	})}
}

func TestTurnElsewhereIsCausedByThatOfTheSwarm(t *testing.T) {
	t.Parallel()
	swarms := &traced{at: &signals.Trace{TraceID: [16]byte{1}, SpanID: [8]byte{2}, Flags: 1, State: "vendor=x"}}
	for _, at := range []*signals.Trace{swarms.at, nil} {
		near, far := &traced{at: at}, new(traced)
		a := &agents.Agent{ID: "a", Actions: acts, Reactor: remote.Reactor(func(_ context.Context, _ string, request []byte) ([]byte, error) {
			return remote.Take(hooks.With(context.Background(), far), quiet(), nil, request), nil
		}, nil)}
		if _, err := a.Take(hooks.With(t.Context(), near), fullTurn()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]*signals.Trace{at}, far.causes); diff != "" {
			t.Errorf("causes of the agent's turn (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]*signals.Trace{nil}, near.causes); diff != "" {
			t.Errorf("causes of the swarm's turn (-want +got):\n%s", diff)
		}
	}
}

// The turn is taken, as one without a trace.
func TestTraceContextThatIsNoneIsIgnored(t *testing.T) {
	t.Parallel()
	const parent, long = "00-01000000000000000000000000000000-0200000000000000-01", 1 << 20
	for _, c := range [][2]string{
		{"garbage", ""},
		{strings.Repeat("0", long), ""},
		{parent + strings.Repeat("0", long), ""},
		{strings.ToUpper("ff" + parent[2:]), ""},
		{"00-00000000000000000000000000000000-0000000000000000-01", ""},
		{"00-0100000000000000000000000000000\x00-0200000000000000-01", ""},
		{parent, strings.Repeat("x", long)},
		{parent, "vendor=x\r\nAuthorization: y"},
		{"", "vendor=x"},
	} {
		request, err := json.Marshal(map[string]any{"agent": "a", "round": 1, "traceparent": c[0], "tracestate": c[1]})
		if err != nil {
			t.Fatal(err)
		}
		far := new(traced)
		if answer := remote.Take(hooks.With(t.Context(), far), quiet(), nil, request); string(answer) != "{}" {
			t.Errorf("%.80q: %s", c, answer)
		}
		if diff := cmp.Diff([]*signals.Trace{nil}, far.causes); diff != "" {
			t.Errorf("%.80q (-want +got):\n%s", c, diff)
		}
	}
}
