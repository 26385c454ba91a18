package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// aRun explains how a command finds a run.
const aRun = `A run is the path of a journal, or the name of one in the default directory, which
"swarmbus runs" prints. An argument with a separator or an extension is a path.`

func newRuns() *cobra.Command {
	var server serverFlag
	var as cli.List
	cmd := &cobra.Command{
		Use:   "runs [DIR]",
		Short: "List the runs in a directory",
		Long: `Runs lists the journals in DIR by their paths, or those in the default directory by their
names, and the state of each: damaged, being written, or the result of its solve. "cut off"
is a solve whose program ended before it, and "revised" one that decides otherwise without
what was retracted since. It ends with status 1 if a run is damaged or cannot be read.`,
		Args: cli.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := as.Check(); err != nil {
				return err
			}
			at, err := server.archive()
			if err != nil {
				return err
			}
			dir, all, err := at.runs(cmd.Context(), args)
			if err != nil {
				return err
			}
			counted := "solves"
			if dir != "" {
				counted = "results"
			}
			if dir != "" && !as.Quiet {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s in %s\n", text.Plural(len(all), "run"), dir)
			}
			return printRuns(cmd.OutOrStdout(), &as, all, counted)
		},
	}
	server.define(cmd.Flags())
	as.Define(cmd.Flags())
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

// A listedRun is a run of this machine or of a server.
type listedRun struct {
	Run     string     `json:"run"` // what other commands call it
	Signals *int       `json:"signals,omitempty"`
	Results *int       `json:"results,omitempty"`
	Solves  *int       `json:"solves,omitempty"` // of a run of a server
	Bytes   int64      `json:"bytes"`
	Changed *time.Time `json:"changed,omitempty"`
	State   string     `json:"state,omitempty"`
	Problem string     `json:"problem,omitempty"` // why it cannot be read, or what of it is damaged
}

// printRuns lists runs, and returns status 1 if there is one with a problem.
func printRuns(w io.Writer, as *cli.List, all []listedRun, counted string) error {
	t := cli.Table{Titles: []string{"run", "signals", counted, "bytes", "changed", "state"}}
	damaged := false
	for _, r := range all {
		changed := ""
		if r.Changed != nil {
			changed = cli.Stamp(*r.Changed)
		}
		damaged = damaged || r.Problem != ""
		t.Row(r.Run, count(r.Signals), count(cmp.Or(r.Results, r.Solves)), strconv.FormatInt(r.Bytes, 10), changed, cmp.Or(r.Problem, r.State))
	}
	if err := cli.PrintList(w, as, all, &t); err != nil || !damaged {
		return err
	}
	return &cli.StatusError{Status: cli.ExitError}
}

func count(n *int) string {
	if n == nil {
		return ""
	}
	return strconv.Itoa(*n)
}

// runAt returns what there is to list of a journal.
func runAt(ctx context.Context, name, path string) listedRun {
	r := listedRun{Run: name}
	s, err := journal.Verify(ctx, path)
	if err != nil {
		r.Problem = err.Error()
	}
	if info, err := os.Stat(path); err == nil {
		at := info.ModTime()
		r.Bytes, r.Changed = info.Size(), &at
	}
	if s == nil {
		return r
	}
	said, results := s.Types[journal.TypeSignal], s.Types[journal.TypeResult]
	r.Signals, r.Results, r.Bytes = &said, &results, s.Bytes
	if err == nil {
		if r.State, err = stateOf(ctx, path, s); err != nil {
			r.Problem = err.Error()
		}
	}
	return r
}

// stateOf describes the state of a run: who is writing it, and how it ended.
func stateOf(ctx context.Context, path string, s *journal.Summary) (string, error) {
	var all []string
	holder, written := journal.Locked(path)
	if written {
		all = append(all, fmt.Sprintf("being written by %v", holder))
	} else if s.Torn > 0 {
		all = append(all, fmt.Sprintf("interrupted: %d bytes of a torn record", s.Torn))
	}
	v, err := journal.NewView(path)
	if err != nil {
		return "", err
	}
	threads, err := threadsOf(ctx, v)
	if err != nil {
		return "", err
	}
	if len(threads) == 1 || slices.ContainsFunc(threads, func(t *threadState) bool { return t.back }) { // several are counted
		if err := foldInto(v, threads); err != nil {
			return "", err
		}
	}
	if came := summary(threads, written); came != "" {
		all = append(all, came)
	}
	return cmp.Or(strings.Join(all, "; "), "whole"), nil
}

func newVerify() *cobra.Command {
	var known pins
	var server serverFlag
	var as cli.List
	receipts := false
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Verify the checksums and the hash chain of a run",
		Long: `Verify checks the checksum of every record of a run and the hash chain over all of them. It
prints the last hash: as long as that is the same, no record has changed. Damage is an error
with its position. An incomplete record at the end, which a killed program leaves, is not.

Of a run with rooms it also verifies the hash, the chain and the signature of every event,
and prints the newest id of each room (its head). With --head the run must have that event,
so that nobody can have cut off what came before.

With --receipts it prints for each call that a tool got what was sent and what allowed it: the rule,
or the answer of a person to the question with these arguments, which the log has before the call. It
fails if the records do not show that of a call.

` + aRun,
		Args: cli.OneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := server.archive()
			if err != nil {
				return err
			}
			pins, err := known.parse()
			if err != nil {
				return err
			}
			v, err := at.verify(cmd.Context(), args[0], pins, receipts)
			if err != nil {
				return err
			}
			return sayVerified(cmd.OutOrStdout(), &as, &v)
		},
	}
	cmd.Flags().StringArrayVar(&known.heads, "head", nil, "ROOM=ID: an event that the room must have")
	cmd.Flags().BoolVar(&receipts, "receipts", false, "also print what allowed each call of a tool")
	cmd.Flags().StringVar(&known.process, "process", "", "the first public key of the process, in base64")
	server.define(cmd.Flags())
	as.Report(cmd.Flags())
	return cmd
}

// sayVerified says what a run is by its hashes, or why it is not that; of its rooms all faults.
func sayVerified(w io.Writer, as *cli.List, v *api.Verification) error {
	if as.JSON {
		if err := cli.Encode(w, []*api.Verification{v}); err != nil {
			return err
		}
	}
	var faults []error
	for _, c := range v.Calls {
		if c.Problem != "" {
			faults = append(faults, errors.New(text.Printable(c.Words)))
		}
	}
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
	if as.JSON {
		return nil
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
	for _, c := range v.Calls {
		said += "\n" + text.Printable(c.Words)
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
		Args: cli.OneRun,
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
