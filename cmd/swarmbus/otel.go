package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel/export"
)

// telemetry is what --otel asks for, on every command. The zero value is off.
type telemetry struct {
	wanted   bool
	pipeline *export.Pipeline
}

func (t *telemetry) flags(root *cobra.Command) {
	root.PersistentFlags().BoolVar(&t.wanted, "otel", false, "send traces and metrics to where the OTEL_* variables say, by default an OTLP receiver on this machine")
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return t.open(cmd) }
}

type telemetryKey struct{}

// open gives the command's context a hook and, for watch, the pipeline.
func (t *telemetry) open(cmd *cobra.Command) error {
	if !t.wanted {
		return nil
	}
	p, err := export.New(cmd.Context(), &export.Options{
		Service: "swarmbus", Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return usage(err)
	}
	t.pipeline = p
	cmd.SetContext(context.WithValue(agents.WithHook(cmd.Context(), p.Observer), telemetryKey{}, p))
	return nil
}

// close sends what is left and says what was sent.
func (t *telemetry) close(w io.Writer) {
	if t.pipeline != nil {
		fmt.Fprintln(w, "otel:", t.pipeline.Close())
	}
}

// watch lets a command's bus be seen, if --otel asks for it.
func watch(ctx context.Context, b *bus.Bus) (stop func(), err error) {
	if p, ok := ctx.Value(telemetryKey{}).(*export.Pipeline); ok {
		return p.Observer.Watch(b)
	}
	return func() {}, nil
}
