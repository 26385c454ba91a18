package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/items"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
)

func newImport() *cobra.Command {
	var format string
	var strict bool
	cmd := &cobra.Command{
		Use:   "import FILE [RUN]",
		Short: "Create a run from the output of export, or from CloudEvents",
		Long: `Import creates a run from the JSON lines in FILE, or from standard input if FILE is "-". The
run has the name of the file unless RUN is given, which standard input requires.

With --format cloudevents it reads CloudEvents 1.0 in structured mode, one on each line or as
a batch, such as those that log --format cloudevents prints. An event of another type is kept
if it has the attributes of package signals/cloudevents and JSON as data. All others are
refused, with their line and the attribute that is wrong.

` + aRun,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage(errors.New("a file is required"))
			}
			if len(args) == 1 && args[0] == "-" {
				return cli.Usage(errors.New("a run from standard input needs a name"))
			}
			return cli.AtMost(2)(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != formatExport && format != formatEvents {
				return cli.Usage(fmt.Errorf("--format %q is neither %s nor %s", format, formatExport, formatEvents))
			}
			from, err := text.Open(args[0])
			if err != nil {
				return err
			}
			defer from.Close() //nolint:errcheck // only read
			name := strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
			if len(args) == 2 {
				name = args[1]
			}
			path, err := runs.Make(name)
			if err != nil {
				return err
			}
			if format == formatExport {
				err = hinted(journal.Import(path, from))
			} else {
				err = importEvents(cmd.Context(), path, from, cmd.ErrOrStderr(), strict)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), path)
			return err
		},
	}
	cmd.Flags().StringVar(&format, "format", formatExport, "what the file has: export or cloudevents")
	cmd.Flags().BoolVar(&strict, "strict", false, "create nothing if an event is refused")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{formatExport, formatEvents}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// hinted says of what is no export which format it has.
func hinted(err error) error {
	if err != nil && strings.Contains(err.Error(), "specversion") {
		return fmt.Errorf("%w (for CloudEvents use --format %s)", err, formatEvents)
	}
	return err
}

// formatExport is the format of export.
const formatExport = "export"

// importEvents makes a run of the signals that events are, and says what it refused.
func importEvents(ctx context.Context, path string, from io.Reader, report io.Writer, strict bool) error {
	codec, err := newCodec()
	if err != nil {
		return err
	}
	in := eventImport{codec: cloudevents.Codec{Signals: codec}, kept: new(journal.Memory), report: report, known: map[[2]string]bool{}}
	if err := eachEvent(from, in.event); err != nil {
		return err
	}
	fmt.Fprintf(report, "%s, %d of them of other kinds; %d refused\n", text.Plural(in.signals, "signal"), in.others, in.refused)
	switch {
	case in.refused > 0 && strict:
		return fmt.Errorf("%s refused", text.Plural(in.refused, "event"))
	case in.signals == 0:
		return errors.New("no event is a signal")
	}
	var lines bytes.Buffer
	if err := journal.Export(ctx, &lines, in.kept); err != nil {
		return err
	}
	return journal.Import(path, &lines)
}

// An eventImport keeps the signals that events are.
type eventImport struct {
	codec  cloudevents.Codec
	kept   *journal.Memory
	report io.Writer

	last                     uint64             // sequence number
	known                    map[[2]string]bool // by source and id, which are an event's own
	signals, others, refused int
}

// event takes in an event, or says why not.
func (in *eventImport) event(where string, text []byte) {
	s, err := in.codec.ReadStructured(text)
	if err == nil {
		err = in.keep(s)
	}
	if err != nil {
		in.refused++
		fmt.Fprintf(in.report, "refused: %s: %v\n", where, err)
	}
}

// keep writes a signal. One that was in no log gets the next number.
func (in *eventImport) keep(s signals.Any) error {
	h := s.Head()
	event := [2]string{h.Source, h.ID.String()}
	switch {
	case in.known[event]:
		return &signals.FieldError{Kind: s.Kind(), Field: "id", Value: h.ID.String(), Problem: "used by an earlier event of this source"}
	case h.Seq > math.MaxInt64:
		return &signals.FieldError{Kind: s.Kind(), Field: "sequence", Value: fmt.Sprint(h.Seq), Problem: fmt.Sprintf("more than %d, so none could follow", uint64(math.MaxInt64))}
	}
	if h.Seq == 0 {
		h.Seq = in.last + 1
		s = signals.With(s, h)
	}
	if h.Seq <= in.last {
		return &signals.FieldError{Kind: s.Kind(), Field: "sequence", Value: fmt.Sprint(h.Seq), Problem: fmt.Sprintf("not after %d", in.last)}
	}
	r, err := journal.SignalRecord(s)
	if err != nil {
		return err
	}
	if _, err := in.kept.Append(r); err != nil {
		return err
	}
	in.last, in.known[event] = h.Seq, true
	in.signals++
	if _, ok := s.(*signals.Signal[signals.Raw]); ok {
		in.others++
	}
	return nil
}

// eachEvent calls do for each event of a batch, or on a line, with where it stands.
func eachEvent(from io.Reader, do func(where string, text []byte)) error {
	all, err := io.ReadAll(text.UTF8(from))
	if err != nil {
		return err
	}
	line, counted := 1, 0
	for at := items.Space(all, 0); at < len(all); at = items.Space(all, at) {
		line, counted = line+bytes.Count(all[counted:at], []byte("\n")), at
		if all[at] != '[' {
			text, _, _ := bytes.Cut(all[at:], []byte("\n"))
			do(fmt.Sprint("line ", line), bytes.TrimSpace(text))
			at += len(text)
			continue
		}
		n, where := 0, fmt.Sprint("batch in line ", line)
		at, err = items.Each(all, at, func(_ int, text []byte) error {
			n++
			do(fmt.Sprintf("%s: event %d", where, n), text)
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: event %d: %w", where, n+1, err)
		}
	}
	return nil
}
