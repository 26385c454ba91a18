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
	log      *slog.Logger // of a command that has one, where all lines have its form
}

// On gives a command that decides the flag --otel. The others have nothing to
// trace.
func (t *Telemetry) On(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().BoolVar(&t.wanted, "otel", false, "send traces and metrics as the OTEL_* variables say, by default to an OTLP receiver on this machine")
	before := cmd.PreRunE
	cmd.PreRunE = func(cmd *cobra.Command, args []string) error {
		if before != nil {
			if err := before(cmd, args); err != nil {
				return err
			}
		}
		return t.open(cmd)
	}
	return cmd
}

type (
	telemetryKey struct{}
	logKey       struct{}
)

// WithLog returns the context of a command that has a log.
func WithLog(ctx context.Context, log *slog.Logger) context.Context {
	return context.WithValue(ctx, logKey{}, log)
}

// LogOf returns the log of a command's context; else one of lines of text on its standard error.
func LogOf(cmd *cobra.Command) *slog.Logger {
	if log, ok := cmd.Context().Value(logKey{}).(*slog.Logger); ok {
		return log
	}
	return slog.New(slog.NewTextHandler(cmd.ErrOrStderr(), nil))
}

// warnings passes on what is at least a warning.
type warnings struct{ slog.Handler }

// Enabled implements [slog.Handler].
func (w warnings) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && w.Handler.Enabled(ctx, l)
}

// open adds a hook and the pipeline to the command's context.
func (t *Telemetry) open(cmd *cobra.Command) error {
	if !t.wanted {
		return nil
	}
	p, err := export.New(cmd.Context(), &export.Options{
		Service: "swarmbus", Console: cmd.ErrOrStderr(), // standard output has what the command says
		Log: slog.New(warnings{LogOf(cmd).Handler()}),
	})
	if err != nil {
		return Usage(err)
	}
	t.pipeline = p
	t.log, _ = cmd.Context().Value(logKey{}).(*slog.Logger)
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
	switch {
	case t.pipeline == nil:
	case t.log != nil:
		t.log.Info(fmt.Sprint("otel: ", t.pipeline.Close()))
	default:
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
