package hooks

import (
	"context"
	"log/slog"
	"net/url"
	"strconv"

	"github.com/swarmbus/swarmbus/signals"
)

type causeKey struct{}

// Caused returns a context whose solves are inside of the op of another program that asked for them,
// by W3C Trace Context: get returns the values of traceparent and tracestate. If they are none, Caused
// returns ctx.
func Caused(ctx context.Context, get func(name string) string) context.Context {
	parent := get("traceparent")
	if parent == "" {
		return ctx
	}
	of, err := signals.ParseTrace(parent, get("tracestate"))
	if err != nil {
		of, err = signals.ParseTrace(parent, "") // a state that is none is dropped, and its parent stays
	}
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, causeKey{}, &of)
}

// After returns ctx with what [Caused] took of another, for work that goes on when that has ended.
func After(ctx, other context.Context) context.Context {
	if of := CauseOf(other); of != nil {
		return context.WithValue(ctx, causeKey{}, of)
	}
	return ctx
}

// CauseOf returns the trace context that [Caused] took; nil: none.
func CauseOf(ctx context.Context) *signals.Trace {
	of, _ := ctx.Value(causeKey{}).(*signals.Trace)
	return of
}

// Carry sets traceparent and tracestate of a message that is sent in ctx, if what ctx does is traced.
func Carry(ctx context.Context, set func(name, value string)) {
	of := TraceOf(ctx)
	if of == nil {
		return
	}
	set("traceparent", of.String())
	if of.State != "" {
		set("tracestate", of.State)
	}
}

// ServerOf returns the attributes of an op that asks the server at a URL.
func ServerOf(at *url.URL) []slog.Attr {
	all := []slog.Attr{slog.String(AttrServer, at.Hostname())}
	port, err := strconv.Atoi(at.Port())
	switch {
	case err == nil:
	case at.Scheme == "https":
		port = 443
	default:
		port = 80
	}
	return append(all, slog.Int(AttrPort, port))
}
