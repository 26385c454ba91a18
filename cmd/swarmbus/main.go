// Swarmbus is the command-line tool of the library: it runs agents with language
// models on a task, and replays recorded votes as decisions and scores them.
//
// Its exit status is 0 when it decided (or did what was asked), 1 for an error,
// 2 for wrong usage, 3 for no consensus, 4 if a budget or the time ran out, 5 if
// someone outside has to answer, as about the call of a tool, 6 if it was canceled, 7 if the decision is another one
// without the retracted signal, and 8 if there is an answer or a leader, but no consensus.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/decide"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/natsflags"
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

// run is the program, without process-global state.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var seen cli.Telemetry
	defer seen.Close(stderr)
	return cli.Run(ctx, newRoot(&seen), args, stdout, stderr)
}

func newRoot(seen *cli.Telemetry) *cobra.Command {
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
		Version: version().String(),
	}
	parent(root)
	root.SetFlagErrorFunc(badFlag)
	root.SetVersionTemplate("swarmbus {{.Version}}\n")
	group(root, "Decisions", seen.On(newSolve()), seen.On(newAnswer()), newSay(), newJoin(), newLeave(), newRetract(), newOutcome(), newAgents(), seen.On(decide.New()))
	group(root, "Teams", newTeam(), newDoctor(), seen.On(newAgent()), natsflags.NewKeys())
	group(root, "Runs", newRuns(), newShow(), newLog(), newReplay(), newGrants(), newVerify(), newExport(), newImport())
	group(root, "Servers and rooms", seen.On(newServe()), newMCP(), seen.On(newRooms()), newRoom(), newToken())
	root.AddCommand(newSchema(), newModels(), newVersion())
	helps(root)
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		parent(completion)
	}
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
