package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/schemas"
	"github.com/swarmbus/swarmbus/internal/text"
)

func newSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [NAME]",
		Short: "Print the JSON Schema of signals, or the description of an API",
		Long: `Schema prints a description for programs in other languages, and without a name the
names of all of them:

  vote, …    JSON Schema of the signals of a kind, as log --json prints them
  report     JSON Schema of a worker's report of a turn
  asyncapi   AsyncAPI 3: the log on NATS, a run as CloudEvents, the events of rooms
  openapi    OpenAPI 3.1: the API of swarmbus serve
  join       OpenAPI 3.1: a member of a swarm over HTTP
  frame      JSON Schema of what the feed of swarmbus serve sends
  team       JSON Schema of a team file`,
		Args: cli.AtMost(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return schemas.Names(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			names := schemas.Names()
			if len(args) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(names, "\n"))
				return err
			}
			if !slices.Contains(names, args[0]) {
				return cli.Usage(fmt.Errorf("no schema %q%s", args[0], cmp.Or(text.Suggest(args[0], names), "; swarmbus schema lists them")))
			}
			text, err := schemas.Get(args[0])
			if err == nil {
				_, err = cmd.OutOrStdout().Write(text)
			}
			return err
		},
	}
}
