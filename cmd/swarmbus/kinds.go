package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// newCodec returns a codec for all kinds of this program, with texts as long as a
// bus let pass.
func newCodec() (*signals.Codec, error) {
	return runlog.NewCodec(slices.Concat(reports.Payloads(), roomlog.Payloads())...)
}

// checkFilter refuses a thread that is not in the run, and a kind that is neither one of this
// program nor in the run, which may be of another program.
func checkFilter(ctx context.Context, v journal.Reader, asked *bus.Filter) error {
	codec, err := newCodec()
	if err != nil {
		return err
	}
	known := codec.Kinds()
	if asked.Threads == nil && !slices.ContainsFunc(asked.Kinds, func(k signals.Kind) bool { return !slices.Contains(known, k) }) {
		return nil
	}
	var threads []string
	seen := map[string]bool{}
	for _, err := range journal.Select(ctx, v, func(kind signals.Kind, thread string) bool {
		if kind == "" {
			return false
		}
		if !slices.Contains(known, kind) {
			known = append(known, kind)
		}
		if !seen[thread] {
			seen[thread], threads = true, append(threads, thread)
		}
		return false
	}) {
		return err
	}
	for _, t := range asked.Threads {
		if !slices.Contains(threads, t) {
			return cli.Usage(fmt.Errorf("--thread %q is the thread of no signal%s", t, text.Suggest(t, threads)))
		}
	}
	for _, k := range asked.Kinds {
		if !slices.Contains(known, k) {
			return cli.Usage(fmt.Errorf("--kind %q is the kind of no signal%s", k, text.Suggest(k, known)))
		}
	}
	return nil
}
