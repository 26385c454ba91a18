package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// aRun explains how a command finds a run.
const aRun = `A run is the path of a journal, or the name of one in the default directory, which
"swarmbus runs" prints. An argument with a separator or an extension is a path.`

func newRuns() *cobra.Command {
	var server serverFlag
	cmd := &cobra.Command{
		Use:   "runs [DIR]",
		Short: "List the runs in a directory",
		Long: `Runs lists the journals in DIR by their paths, or those in the default directory by their
names, and the state of each: damaged, being written, or the result of its solve. "cut off"
is a solve whose program ended before it, and "revised" one that decides otherwise without
what was retracted since. swarmbus show RUN prints all of a state that is cut here.`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if server.link != "" {
				return server.runs(cmd, args)
			}
			dir, name, err := listed(args)
			if err != nil {
				return err
			}
			paths, err := runs.List(dir)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s in %s\n", text.Plural(len(paths), "run"), dir)
			return listRuns(cmd.Context(), cmd.OutOrStdout(), paths, name)
		},
	}
	server.define(cmd.Flags())
	return cmd
}

// listed returns the directory to list, and what its runs are called by other commands:
// by a name in the default directory, and by their path elsewhere.
func listed(args []string) (dir string, name func(path string) string, err error) {
	if dir, err = runs.Dir(); err != nil || len(args) == 0 {
		return dir, func(path string) string { return strings.TrimSuffix(filepath.Base(path), runs.Suffix) }, err
	}
	_, err = os.Stat(args[0])
	return args[0], func(path string) string { return path }, err
}

// ending is the number of columns for how a run ended: show prints all of it.
const ending = 80

func listRuns(ctx context.Context, w io.Writer, paths []string, nameOf func(string) string) error {
	if len(paths) == 0 {
		return nil
	}
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "run\tsignals\tresults\tbytes\tchanged\tstate")
	for _, path := range paths {
		name := text.Printable(nameOf(path))
		s, err := journal.Verify(ctx, path)
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if s == nil {
			fmt.Fprintf(out, "%s\t\t\t\t\t%v\n", name, err)
			continue
		}
		changed := ""
		if info, err := os.Stat(path); err == nil {
			changed = info.ModTime().Format(time.DateTime)
		}
		fmt.Fprintf(out, "%s\t%d\t%d\t%d\t%s\t%s\n", name, s.Types[journal.TypeSignal], s.Types[journal.TypeResult], s.Bytes, changed, stateOf(ctx, path, s, err))
	}
	return out.Flush()
}

// stateOf describes the state of a run: what is wrong with it or who is writing it, and
// how it ended.
func stateOf(ctx context.Context, path string, s *journal.Summary, err error) string {
	if err != nil {
		return err.Error()
	}
	var all []string
	holder, written := journal.Locked(path)
	if written {
		all = append(all, fmt.Sprintf("being written by %v", holder))
	} else if s.Torn > 0 {
		all = append(all, fmt.Sprintf("interrupted: %d bytes of a torn record", s.Torn))
	}
	v, err := journal.NewView(path)
	if err != nil {
		return err.Error()
	}
	threads, err := threadsOf(ctx, v)
	if err != nil {
		return err.Error()
	}
	if came := summary(threads, written); came != "" {
		all = append(all, transcript.Cut(came, ending))
	}
	if all == nil {
		return "whole"
	}
	return strings.Join(all, "; ")
}

func newVerify() *cobra.Command {
	var known pins
	var server serverFlag
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Verify the checksums and the hash chain of a run",
		Long: `Verify checks the checksum of every record of a run and the hash chain over all of them. It
prints the last hash: as long as that is the same, no record has changed. Damage is an error
with its position. An incomplete record at the end, which a killed program leaves, is not.

Of a run with rooms it also verifies the hash, the chain and the signature of every event,
and prints the newest id of each room (its head). With --head the run must have that event,
so that nobody can have cut off what came before.` + aRun,
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := known.verify(cmd, args[0], &server)
			if err != nil {
				return err
			}
			return sayVerified(cmd.OutOrStdout(), &v)
		},
	}
	cmd.Flags().StringArrayVar(&known.heads, "head", nil, "ROOM=ID: an event that the room must have")
	cmd.Flags().StringVar(&known.process, "process", "", "the first public key of the process, in base64")
	server.define(cmd.Flags())
	return cmd
}

// verify verifies a run here, or has a server do it.
func (p *pins) verify(cmd *cobra.Command, run string, server *serverFlag) (v api.Verification, err error) {
	if server.link != "" {
		return server.verify(cmd, run)
	}
	known, err := p.parse()
	if err != nil {
		return v, err
	}
	path, err := runs.Find(run)
	if err != nil {
		return v, err
	}
	return host.Verify(cmd.Context(), run, path, known)
}

// sayVerified says what a run is by its hashes, or why it is not that; of its rooms all faults.
func sayVerified(w io.Writer, v *api.Verification) error {
	var faults []error
	for _, r := range v.Rooms {
		if r.Fault != "" {
			faults = append(faults, errors.New(r.Fault))
		}
	}
	if faults == nil && v.Problem != "" {
		faults = append(faults, errors.New(v.Problem))
	}
	if faults != nil {
		return errors.Join(faults...)
	}
	state := "whole"
	if v.Torn > 0 {
		state = fmt.Sprintf("interrupted, with %d bytes of a torn record that the next writer cuts off", v.Torn)
	}
	said := fmt.Sprintf("%s: records %d to %d", state, v.First, v.Last)
	if v.Chain != "" { // a journal's
		said += ", chain " + v.Chain
	}
	for _, r := range v.Rooms {
		name := "room " + r.Room
		if r.Room == "" {
			name = "keys"
		}
		said += fmt.Sprintf("\n%s: %s, head %s", text.Printable(name), text.Plural(r.Events, "event"), r.Head)
	}
	_, err := fmt.Fprintln(w, said)
	return err
}

func newExport() *cobra.Command {
	sidecar := false
	cmd := &cobra.Command{
		Use:   "export RUN",
		Short: "Print a run as JSON lines",
		Long: `Export prints all records of a run as JSON lines, for other programs and for
import. For a damaged run it prints the records before the damage, and fails.

With --sidecar it prints, as Markdown, the sections S1, S2, … of each room: what tools
returned and what mail says.

` + aRun,
		Args: oneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			v, err := view(args[0])
			if err != nil {
				return err
			}
			if sidecar {
				return exportSidecars(cmd.OutOrStdout(), v)
			}
			return journal.Export(cmd.Context(), cmd.OutOrStdout(), v)
		},
	}
	cmd.Flags().BoolVar(&sidecar, "sidecar", false, "print the sections of rooms instead")
	return cmd
}

// view opens a run to read it.
func view(name string) (*journal.View, error) {
	path, err := runs.Find(name)
	if err != nil {
		return nil, err
	}
	return journal.NewView(path)
}

func oneRun(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return usage(fmt.Errorf("one run is required, not %d; see swarmbus runs", len(args)))
	}
	return nil
}

func atMost(n int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(fmt.Errorf("%d arguments, at most %d are allowed", len(args), n))
		}
		return nil
	}
}
