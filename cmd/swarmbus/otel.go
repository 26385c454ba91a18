package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/otel/export"
)

// telemetry is the pipeline of --otel. The zero value is off.
type telemetry struct {
	wanted   bool
	pipeline *export.Pipeline
}

// on gives a command that decides the flag --otel. The others have nothing to
// trace.
func (t *telemetry) on(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&t.wanted, "otel", false, "send traces and metrics as the OTEL_* variables say, by default to an OTLP receiver on this machine")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return t.open(cmd) }
	return cmd
}

type telemetryKey struct{}

// open adds a hook and the pipeline to the command's context.
func (t *telemetry) open(cmd *cobra.Command) error {
	if !t.wanted {
		return nil
	}
	p, err := export.New(cmd.Context(), &export.Options{
		Service: "swarmbus", Console: cmd.ErrOrStderr(), // standard output has what the command says
		Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return usage(err)
	}
	t.pipeline = p
	ctx := hooks.Caused(cmd.Context(), func(name string) string { return os.Getenv(strings.ToUpper(name)) })
	cmd.SetContext(context.WithValue(hooks.With(ctx, p.Observer), telemetryKey{}, p))
	return nil
}

// hookOf returns the hook of a command's context; nil without --otel.
func hookOf(ctx context.Context) hooks.Hook {
	if p, ok := ctx.Value(telemetryKey{}).(*export.Pipeline); ok {
		return p.Observer
	}
	return nil
}

// close sends what is left and prints what was sent.
func (t *telemetry) close(w io.Writer) {
	if t.pipeline != nil {
		fmt.Fprintln(w, "otel:", t.pipeline.Close())
	}
}

// watch records what happens on a command's bus, with --otel.
func watch(ctx context.Context, b *bus.Bus) (stop func(), err error) {
	if p, ok := ctx.Value(telemetryKey{}).(*export.Pipeline); ok {
		return p.Observer.Watch(b)
	}
	return func() {}, nil
}
