package wire_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
	"github.com/swarmbus/swarmbus/signals"
)

// tracing is a hook in whose contexts there is one span.
type tracing struct{ of signals.Trace }

func (tracing) Start(ctx context.Context, _ hooks.Op) (context.Context, hooks.End) {
	return ctx, func(any, error) {}
}

func (tracing) Note(context.Context, any) {}

func (h tracing) Trace(context.Context) *signals.Trace { return &h.of }

func TestACallCarriesTheTraceThatItIsIn(t *testing.T) {
	t.Parallel()
	const parent, state = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "a=b"
	of, err := signals.ParseTrace(parent, state)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan http.Header, 2)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header }))
	defer server.Close()
	c := wire.NewClient(models.ID{Provider: "x", Name: "m"}, nil, nil, nil)
	defer c.Close()
	for ctx, want := range map[context.Context]string{t.Context(): "", hooks.With(t.Context(), tracing{of}): parent} {
		resp, err := c.Do(ctx, http.MethodPost, server.URL, nil, []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Close()
		if h := <-got; h.Get("traceparent") != want || (h.Get("tracestate") == state) != (want != "") {
			t.Errorf("the call has %q and %q, want %q", h.Get("traceparent"), h.Get("tracestate"), want)
		}
	}
}
