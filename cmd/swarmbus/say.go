package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func newSay() *cobra.Command {
	var thread string
	var m runlog.Message
	var server serverFlag
	cmd := &cobra.Command{
		Use:   "say RUN TEXT",
		Short: "Say something to the agents of a solve that is not over",
		Long: `Say gives the agents of a solve a message of a person, a signal of kind user:message. The
routes of their strategies, agents and plugins decide about it; swarmbus team routes FILE
explains them. What they do not withhold is new in the agents' next turns, whatever they
listen to. A solve that runs is in the run of a server: name it with --server. One that was
interrupted, or that waits for an answer, has the message when it goes on.

` + aRun,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return cli.Usage(errors.New("a run and a text are required"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			m.Text = args[1]
			at, err := server.archive()
			if err != nil {
				return err
			}
			in, when, err := at.say(cmd.Context(), args[0], thread, m)
			if err != nil {
				return err
			}
			who := "All agents"
			if len(m.To) > 0 {
				who = strings.Join(m.To, ", ")
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s of the solve in thread %s can hear it %s.\n", who, in, when)
			return err
		},
	}
	cmd.Flags().StringVar(&thread, "thread", "", "thread of the solve; by default the only one that is not over")
	cmd.Flags().StringSliceVar(&m.To, "to", nil, "agent that hears it, and no other does; may be repeated")
	cmd.Flags().StringVar(&m.By, "by", "", "who says it (default: "+runlog.Person+")")
	server.define(cmd.Flags())
	return cmd
}

// goingOn returns a thread that is named, or else the only one of a run that is not over.
func goingOn(log journal.Reader, run, thread string) (string, error) {
	if thread != "" {
		return thread, nil
	}
	all, err := solves.List(log)
	if err != nil {
		return "", err
	}
	var open []string
	for _, r := range all {
		if !runlog.StageOf(r.Log).Closed() {
			open = append(open, r.Thread)
		}
	}
	switch len(open) {
	case 0:
		return "", cli.Usage(fmt.Errorf("every solve of %s is over: no agent would hear it", run))
	case 1:
		return open[0], nil
	}
	return "", cli.Usage(fmt.Errorf("%d solves of %s are not over: name one with --thread: %s", len(open), run, strings.Join(open, ", ")))
}
