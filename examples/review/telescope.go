package main

import (
	"context"
	"io"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
)

// A telescope is what a review is watched with.
type telescope struct {
	hook  hooks.Hook
	watch func(*bus.Bus) (stop func(), err error)
	close func(io.Writer) // says what was seen
}

// openTelescope is set in builds with -tags otel. The exporters take longer to
// build than all the rest, and this is the first command that anybody runs.
var openTelescope func(context.Context) (telescope, error)

var blind = telescope{
	watch: func(*bus.Bus) (func(), error) { return func() {}, nil },
	close: func(io.Writer) {},
}

func (f *flags) telescope(ctx context.Context) (telescope, error) {
	if !f.otel {
		return blind, nil
	}
	return openTelescope(ctx)
}
