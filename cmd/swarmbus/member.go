package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

func newJoin() *cobra.Command {
	return seating("join", "Let an agent of the bench join a solve that is not over", false,
		`Join lets an agent that the team file has on the bench ("bench: true") join a solve of a
server that is not over. It takes part from the next round on: quorum, electorate and budget
go by the team that there is then, and the log says who joined.`)
}

func newLeave() *cobra.Command {
	return seating("leave", "Take an agent out of a solve that is not over", true,
		`Leave takes an agent out of a solve of a server that is not over. A turn that runs ends, no
other begins, and what the agent has said stays: its votes count. The log says who left.`)
}

// seating returns a command that changes who takes part in a solve.
func seating(name, short string, leaves bool, long string) *cobra.Command {
	var thread string
	var server serverFlag
	cmd := &cobra.Command{
		Use: name + " RUN AGENT", Short: short, Long: long,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) != 2:
				return cli.Usage(errors.New("a run and an agent are required"))
			case server.link == "":
				return cli.Usage(errors.New("--server is required: the agents of a solve are those of the server that runs it"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := server.client()
			if err != nil {
				return err
			}
			in, err := goingOn(remote{c}.Log(cmd.Context(), args[0]), args[0], thread)
			if err != nil {
				return err
			}
			if _, err := c.Seat(cmd.Context(), args[0]+"."+in, api.Seat{Agent: args[1], Leaves: leaves}); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s %ss the solve in thread %s.\n", args[1], name, in)
			return err
		},
	}
	cmd.Flags().StringVar(&thread, "thread", "", "thread of the solve; by default the only one that is not over")
	server.define(cmd.Flags())
	return cmd
}
