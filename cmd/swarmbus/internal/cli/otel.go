package cli

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

// Telemetry is the pipeline of --otel. The zero value is off.
type Telemetry struct {
	wanted   bool
	pipeline *export.Pipeline
}

// On gives a command that decides the flag --otel. The others have nothing to
// trace.
func (t *Telemetry) On(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&t.wanted, "otel", false, "send traces and metrics as the OTEL_* variables say, by default to an OTLP receiver on this machine")
	cmd.PreRunE = func(cmd *cobra.Command, _ []string) error { return t.open(cmd) }
	return cmd
}

type telemetryKey struct{}

// open adds a hook and the pipeline to the command's context.
func (t *Telemetry) open(cmd *cobra.Command) error {
	if !t.wanted {
		return nil
	}
	p, err := export.New(cmd.Context(), &export.Options{
		Service: "swarmbus", Console: cmd.ErrOrStderr(), // standard output has what the command says
		Log: slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: slog.LevelWarn})),
	})
	if err != nil {
		return Usage(err)
	}
	t.pipeline = p
	ctx := hooks.Caused(cmd.Context(), func(name string) string { return os.Getenv(strings.ToUpper(name)) })
	cmd.SetContext(context.WithValue(hooks.With(ctx, p.Observer), telemetryKey{}, p))
	return nil
}

// HookOf returns the hook of a command's context; nil without --otel.
func HookOf(ctx context.Context) hooks.Hook {
	if p, ok := ctx.Value(telemetryKey{}).(*export.Pipeline); ok {
		return p.Observer
	}
	return nil
}

// Close sends what is left and prints what was sent.
func (t *Telemetry) Close(w io.Writer) {
	if t.pipeline != nil {
		fmt.Fprintln(w, "otel:", t.pipeline.Close())
	}
}

// Watch records what happens on a command's bus, with --otel.
func Watch(ctx context.Context, b *bus.Bus) (stop func(), err error) {
	if p, ok := ctx.Value(telemetryKey{}).(*export.Pipeline); ok {
		return p.Observer.Watch(b)
	}
	return func() {}, nil
}
