package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/cloudevents"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

type logFlags struct {
	filter       bus.Filter
	kinds        []string
	replyTo      string
	since, until string
	follow, json bool
	format       string
	width        int
	server       serverFlag
}

func newLog() *cobra.Command {
	var f logFlags
	cmd := &cobra.Command{
		Use:   "log RUN",
		Short: "Print the signals of a run",
		Long: `Log prints the signals of a run in order, one per line. A signal must meet all
conditions; times are inclusive and written as 2026-04-11T09:00:00Z. With
--format cloudevents each line is a CloudEvent 1.0 in structured mode, from which the
signal can be read again without loss.

` + aRun,
		Args: cli.OneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := errors.Join(f.parse(), atLeastOne(cmd, "width")); err != nil {
				return cli.Usage(err)
			}
			return f.run(cmd.Context(), cmd.OutOrStdout(), args[0])
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.kinds, "kind", nil, "only signals of these kinds")
	flags.StringSliceVar(&f.filter.Threads, "thread", nil, "only signals of these threads")
	flags.StringVar(&f.filter.Source, "source", "", "only signals of this agent")
	flags.StringVar(&f.since, "since", "", "only signals since this time")
	flags.StringVar(&f.until, "until", "", "only signals until this time")
	flags.StringVar(&f.replyTo, "reply-to", "", "only replies to the signal with this id")
	flags.Float64Var(&f.filter.MinConfidence, "min-confidence", 0, "only signals with at least this confidence, 0 to 1")
	flags.Uint64Var(&f.filter.After, "after", 0, "only signals after this sequence number")
	flags.BoolVarP(&f.follow, "follow", "f", false, "wait for more signals")
	flags.BoolVar(&f.json, "json", false, "print JSON, one signal per line; the same as --format json")
	flags.StringVar(&f.format, "format", formatText, "text, json or cloudevents")
	flags.IntVar(&f.width, "width", 0, ofALine)
	f.server.define(flags)
	return cmd
}

// The formats of log.
const (
	formatText   = "text"
	formatJSON   = "json"
	formatEvents = "cloudevents"
)

func (f *logFlags) parse() (err error) {
	switch {
	case !slices.Contains([]string{formatText, formatJSON, formatEvents}, f.format):
		return fmt.Errorf("--format %q is not text, json or cloudevents", f.format)
	case f.json && f.format == formatEvents:
		return errors.New("--json and --format cloudevents exclude each other")
	case f.json:
		f.format = formatJSON
	}
	for _, k := range f.kinds {
		f.filter.Kinds = append(f.filter.Kinds, signals.Kind(k))
	}
	if f.replyTo != "" {
		if f.filter.ReplyTo, err = signals.ParseID(f.replyTo); err != nil {
			return err
		}
	}
	for _, bound := range []struct {
		text string
		time *time.Time
	}{{f.since, &f.filter.Since}, {f.until, &f.filter.Until}} {
		if bound.text == "" {
			continue
		}
		if *bound.time, err = time.Parse(time.RFC3339Nano, bound.text); err != nil {
			return fmt.Errorf("%q is not a time such as 2026-04-11T09:00:00Z", bound.text)
		}
	}
	return nil
}

func (f *logFlags) run(ctx context.Context, w io.Writer, name string) error {
	at, err := f.server.archive()
	if err != nil {
		return err
	}
	v, _, err := at.open(ctx, name)
	if err != nil {
		return err
	}
	if !f.follow {
		if err := checkFilter(ctx, v, &f.filter); err != nil {
			return err
		}
	}
	show := f.printer(w)
	for s, err := range said(ctx, v, &f.filter, f.follow) {
		switch {
		case err != nil && f.follow && errors.Is(err, context.Canceled):
			return nil // whoever follows ends it so
		case err != nil:
			return err
		case !journal.Matches(&f.filter, s):
			continue
		}
		if err := show(solves.Spoke{Signal: s}); err != nil {
			return err
		}
	}
	return nil
}

// printer prints each signal in the format that was asked for.
func (f *logFlags) printer(w io.Writer) func(solves.Event) error {
	switch f.format {
	case formatJSON:
		return transcript.Log(cli.Printable(w))
	case formatEvents:
		return func(e solves.Event) error {
			text, err := cloudevents.Structured(e.(solves.Spoke).Signal)
			if err == nil {
				_, err = cli.Printable(w).Write(append(text, '\n'))
			}
			return err
		}
	default:
		return transcript.Text(w, cli.LookOf(w, os.Environ(), f.width))
	}
}

// said yields the signals of a run, from the first that is kept; others than those of the kinds and
// threads of a filter may be missing.
func said(ctx context.Context, v journal.Reader, of *bus.Filter, follow bool) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		codec, err := newCodec()
		if err != nil {
			yield(nil, err)
			return
		}
		snapshot, err := v.Snapshot()
		if err != nil {
			yield(nil, err)
			return
		}
		records := v.Read(snapshot.Through)
		switch {
		case follow:
			records = v.Follow(ctx, snapshot.Through)
		case of.Kinds != nil || of.Threads != nil:
			records = journal.Select(ctx, v, func(kind signals.Kind, thread string) bool {
				return (of.Kinds == nil || slices.Contains(of.Kinds, kind)) && (of.Threads == nil || slices.Contains(of.Threads, thread))
			})
		}
		for r, err := range until(ctx, records) {
			var s signals.Any
			if err == nil && r.Type == journal.TypeSignal {
				s, err = r.Signal(codec)
			}
			if s == nil && err == nil {
				continue
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// until ends an iteration over records when ctx ends.
func until(ctx context.Context, all iter.Seq2[journal.Record, error]) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for r, err := range all {
			if err == nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			if !yield(r, err) || err != nil {
				return
			}
		}
	}
}

type showFlags struct {
	thread             string
	full, follow, json bool
	width              int
	about              aboutFlags
	server             serverFlag
}

func newShow() *cobra.Command {
	var f showFlags
	cmd := &cobra.Command{
		Use:   "show RUN",
		Short: "Print the transcript of a recorded solve",
		Long: `Show prints what was said in a thread, round by round, and the result. Of a run that is still
being written it prints what there is, or with --follow everything until the solve ends.
Without --thread, a run with several threads is listed with the result of each.

--without prints which claims fall or are weakened if some signals are retracted, --assume
which fall if the claim of a signal is made true (an intervention), both by the numbers of
the transcript. --credit prints who moved the result, and --why the mode with its reason and
what hearing each other changed. Each prints that alone, unless with --follow. With --json
the events are printed as solve --json prints them.

` + aRun,
		Args: cli.OneRun,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args[0]) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.thread, "thread", "", "thread of the solve")
	flags.BoolVar(&f.full, "full", false, "do not cut texts")
	flags.BoolVarP(&f.follow, "follow", "f", false, "continue until the solve ends")
	flags.BoolVar(&f.json, "json", false, "print events as JSON, one object per line")
	flags.IntVar(&f.width, "width", 0, ofALine)
	f.about.add(cmd)
	f.server.define(flags)
	return cmd
}

// run shows a solve of a run, or lists its solves.
func (f *showFlags) run(cmd *cobra.Command, run string) error {
	if err := errors.Join(atLeastOne(cmd, "width"), f.about.asText(f.json)); err != nil {
		return cli.Usage(err)
	}
	at, err := f.server.archive()
	if err != nil {
		return err
	}
	v, running, err := at.open(cmd.Context(), run)
	if err != nil {
		return err
	}
	if f.thread == "" {
		threads, err := threadsOf(cmd.Context(), v)
		if err != nil {
			return err
		}
		if len(threads) == 0 {
			return fmt.Errorf("no solve in %s; see swarmbus log, and swarmbus room for rooms", run)
		}
		if len(threads) > 1 && f.json {
			return cli.Usage(fmt.Errorf("--json is for one solve: name one of the %d threads of %s with --thread", len(threads), run))
		}
		if len(threads) > 1 {
			return listThreads(cmd.OutOrStdout(), v, threads, running)
		}
		f.thread = threads[0].thread
	}
	read := showThread
	if f.follow {
		read = watchThread
	} else if v, err = alone(cmd.Context(), v, f.thread); err != nil {
		return err
	}
	switch {
	case f.json && f.about.credit:
		return creditJSON(cmd.OutOrStdout(), v, f.thread)
	case f.about.asked() && !f.json && !f.follow:
		return f.about.printAlone(cmd.OutOrStdout(), v, f.thread)
	case f.json:
		return showJSON(cmd, v, f.thread, read)
	}
	look := cli.LookOf(cmd.OutOrStdout(), os.Environ(), f.width)
	look.Full = f.full
	if err := read(cmd.Context(), v, f.thread, transcript.Text(cmd.OutOrStdout(), look)); err != nil {
		return err
	}
	return f.about.print(cmd.OutOrStdout(), v, f.thread)
}

// alone returns a reader of one thread of a journal, if nothing was taken back in it: what a solve
// decides without that depends on what was learned from the others.
func alone(ctx context.Context, v journal.Reader, thread string) (journal.Reader, error) {
	if _, is := v.(*journal.View); !is {
		return v, nil
	}
	back := false
	for _, err := range journal.Select(ctx, v, func(kind signals.Kind, of string) bool {
		back = back || of == thread && kind == signals.KindRetraction
		return false
	}) {
		return nil, err
	}
	if back {
		return v, nil
	}
	return journal.OfThread(ctx, v, thread), nil
}

// showJSON prints the events of a thread, of which read yields those that it is to print. The last
// result has what was taken back since it was decided.
func showJSON(cmd *cobra.Command, v journal.Reader, thread string, read func(context.Context, journal.Reader, string, func(solves.Event) error) error) error {
	show := transcript.JSON(cmd.OutOrStdout())
	var last *solves.Result // not yet printed
	stopped := func() error {
		if last == nil {
			return nil
		}
		e := solves.Stopped{Result: last}
		last = nil
		return show(e)
	}
	err := read(cmd.Context(), v, thread, func(e solves.Event) error {
		if err := stopped(); err != nil {
			return err
		}
		if e, ok := e.(solves.Stopped); ok {
			last = e.Result
			return nil
		}
		return show(e)
	})
	if err == nil && last != nil {
		var now *solves.Result
		if now, err = resultIn(v, thread); err == nil && now.Revision != nil {
			last = now
		}
	}
	return errors.Join(err, stopped())
}

const ofALine = "columns per line (default: the width of the terminal; otherwise unlimited)"

// atLeastOne refuses a number below one, if the flag is given.
func atLeastOne(cmd *cobra.Command, name string) error {
	n, err := cmd.Flags().GetInt(name)
	if err == nil && n < 1 && cmd.Flags().Changed(name) {
		err = fmt.Errorf("--%s %d is not positive", name, n)
	}
	return err
}

func watchThread(ctx context.Context, v journal.Reader, thread string, show func(solves.Event) error) error {
	for e, err := range solves.Watch(ctx, v, thread) {
		if errors.Is(err, context.Canceled) {
			return nil // whoever follows ends it so
		}
		if err == nil {
			err = show(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// showThread shows what there is of a solve, and does not wait for more.
func showThread(ctx context.Context, v journal.Reader, thread string, show func(solves.Event) error) error {
	shown := 0
	err := watchThread(ctx, soFar{v}, thread, func(e solves.Event) error {
		shown++
		return show(e)
	})
	if err == nil {
		err = context.Cause(ctx)
	}
	if err == nil && shown == 0 {
		err = fmt.Errorf("no signal in thread %q", thread)
	}
	return err
}

// soFar ends where the journal does now.
type soFar struct{ journal.Reader }

func (s soFar) Follow(ctx context.Context, after uint64) iter.Seq2[journal.Record, error] {
	return until(ctx, s.Read(after))
}
