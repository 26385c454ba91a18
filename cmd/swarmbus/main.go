// Swarmbus is the command-line tool of the library: it runs agents with language
// models on a task, and replays recorded votes as decisions and scores them.
//
// Its exit status is 0 when it decided (or did what was asked), 1 for an error,
// 2 for wrong usage, 3 for no consensus, 4 if a budget or the time ran out, 5 if
// someone outside has to answer, as about the call of a tool, 6 if it was canceled, 7 if the decision is another one
// without the retracted signal, and 8 if there is an answer or a leader, but no consensus.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/internal/text"
)

// hangup is SIGHUP, which package syscall does not name on every system that the command builds for.
const hangup = syscall.Signal(1)

func main() {
	asks := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if serves := len(os.Args) > 1 && os.Args[1] == "serve"; !serves && !signal.Ignored(hangup) { // which nohup does, and serve reads its files again
		asks = append(asks, hangup)
	}
	ctx, stop := signal.NotifyContext(context.Background(), asks...)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	status := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// The exit statuses, for every command.
const (
	exitDecided     = 0
	exitError       = 1
	exitUsage       = 2
	exitNoConsensus = 3 // rejected, deadlocked or uncertified
	exitBudget      = 4
	exitEscalated   = 5
	exitCancelled   = 6
	exitChanged     = 7 // of retract
	exitContested   = 8 // settled, contested, or the answer of one agent: something leads, and is no consensus
)

// A statusError ends the program with a status of its own.
type statusError struct {
	status int
	err    error // nil: already reported
}

func (e *statusError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.err.Error()
}

func (e *statusError) Unwrap() error { return e.err }

func usage(err error) error { return &statusError{exitUsage, err} }

// run is the program, without process-global state.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var seen telemetry
	defer seen.close(stderr)
	root := newRoot(&seen)
	root.SetArgs(args)
	out := &output{w: stdout}
	root.SetOut(out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if failed := out.failed(); failed != nil && !errors.Is(err, failed) { // nobody has looked at it
		err = fmt.Errorf("standard output: %w", failed)
	}
	if err == nil {
		return exitDecided
	}
	var s *statusError
	if !errors.As(err, &s) || s.err != nil {
		fmt.Fprintln(stderr, "swarmbus: "+strings.ReplaceAll(text.Lines(err.Error()), "\n", "\nswarmbus: "))
	}
	switch {
	case s != nil:
		return s.status
	case ctx.Err() != nil:
		return exitCancelled
	default:
		return exitError
	}
}

// An output is standard output, and knows whether all of it could be written. It is safe for
// concurrent use.
type output struct {
	w io.Writer

	mu  sync.Mutex // protects the field below
	err error      // the first
}

func (o *output) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = cmp.Or(o.err, err)
	return n, err
}

func (o *output) failed() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}

func newRoot(seen *telemetry) *cobra.Command {
	root := &cobra.Command{
		Use:   "swarmbus",
		Short: "Decisions of teams of agents",
		Long: `Swarmbus runs agents with language models on a task, replays recorded votes as
decisions, and records, shows and verifies runs.

Exit status: 0 decided, 1 error, 2 usage, 3 no consensus (rejected, deadlocked
or uncertified), 4 budget or deadline, 5 somebody outside has to answer: a question was
escalated, or the call of a tool waits for permission; 6 canceled, 7 the decision changes
without the retracted signal, 8 no consensus, but an answer that was settled or is of one
agent, or a leader that is contested.`,
		Version:       version().String(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	parent(root)
	root.SetFlagErrorFunc(badFlag)
	root.SetVersionTemplate("swarmbus {{.Version}}\n")
	group(root, "Decisions", seen.on(newSolve()), seen.on(newAnswer()), newSay(), newRetract(), newOutcome(), seen.on(newDecide()))
	group(root, "Teams", newTeam(), newDoctor(), seen.on(newAgent()), newKeys())
	group(root, "Runs", newRuns(), newShow(), newLog(), newReplay(), newVerify(), newExport(), newImport())
	group(root, "Servers and rooms", seen.on(newServe()), newMCP(), seen.on(newRooms()), newRoom(), newToken())
	root.AddCommand(newSchema(), newModels(), newVersion())
	helps(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	completes(root)
	completesBash(root)
	exemplify(root)
	return root
}

// group adds commands under a title.
func group(root *cobra.Command, title string, all ...*cobra.Command) {
	root.AddGroup(&cobra.Group{ID: title, Title: title + ":"})
	for _, c := range all {
		c.GroupID = title
		root.AddCommand(c)
	}
}
