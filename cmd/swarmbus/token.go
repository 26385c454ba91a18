package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
)

// A tokenDir is the directory of the server whose tokens commands are about; "": that of swarmbus runs.
type tokenDir string

func (d *tokenDir) tokens() (of guard.Tokens, err error) {
	in := string(*d)
	if in == "" {
		in, err = runs.Dir()
	}
	return guard.Tokens{Path: filepath.Join(in, guard.TokensFile)}, err
}

// newToken returns the commands for the tokens of a server.
func newToken() *cobra.Command {
	var dir tokenDir
	cmd := &cobra.Command{
		Use:   "token",
		Short: "Make, list and revoke the tokens of a server",
	}
	parent(cmd)
	for _, c := range []*cobra.Command{dir.newNew(), dir.newList(), dir.newRevoke()} {
		c.Flags().StringVar((*string)(&dir), "dir", "", "directory of the server (default: that of swarmbus runs)")
		cmd.AddCommand(c)
	}
	return cmd
}

func (d *tokenDir) newNew() *cobra.Command {
	var role, kind string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Make a token with a role, and print it",
		Long: `New prints a token once; the server keeps its hash. What somebody answers with it is said under its
name. A reader reads; an author also starts solves and says something in them; an approver also
answers questions, and speaks in rooms; an operator does everything.`,
		Args: single("a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			of, err := d.tokens()
			if err != nil {
				return err
			}
			secret, err := of.New(args[0], api.Role(role), asking.Answerer(kind), time.Now())
			if err == nil {
				fmt.Fprintln(cmd.OutOrStdout(), secret)
			}
			return err
		},
	}
	cmd.Flags().StringVar(&role, "role", string(api.RoleReader), "reader, author, approver or operator")
	cmd.Flags().StringVar(&kind, "kind", "", "what holds it, and answers with it: person, agent or program (default: an agent by A2A and AG-UI, else a person)")
	return cmd
}

func (d *tokenDir) newList() *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the tokens of a server",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := as.Check(); err != nil {
				return err
			}
			of, err := d.tokens()
			if err != nil {
				return err
			}
			all, err := of.All()
			if err != nil {
				return err
			}
			said := cli.Table{Titles: []string{"NAME", "ROLE", "KIND", "MADE"}}
			for i, t := range all {
				all[i].Hash = nil // for the server alone
				said.Row(t.Name, string(t.Role), cmp.Or(string(t.Kind), "-"), t.Made.Format(time.RFC3339))
			}
			return cli.PrintList(cmd.OutOrStdout(), &as, all, &said)
		},
	}
	as.Define(cmd.Flags())
	return cmd
}

func (d *tokenDir) newRevoke() *cobra.Command {
	return &cobra.Command{
		Use:   "revoke NAME",
		Short: "Take a token back: from now on it opens nothing",
		Args:  single("a name"),
		RunE: func(_ *cobra.Command, args []string) error {
			of, err := d.tokens()
			if err == nil {
				err = of.Revoke(args[0])
			}
			return err
		},
	}
}
