package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A grant is an answer that holds for a solve.
type grant struct {
	Question string    `json:"question"`
	Thread   string    `json:"thread"`
	By       string    `json:"by"`
	Since    time.Time `json:"since"`
	Like     string    `json:"like"` // the call that was asked about
}

// newGrants returns the command for what is allowed for whole solves.
func newGrants() *cobra.Command {
	var revoke, by string
	var server serverFlag
	var as cli.List
	cmd := &cobra.Command{
		Use:   "grants RUN",
		Short: "List what is allowed for whole solves of a run, and take it back",
		Long: `Grants lists the answers that allow an agent's calls of a tool for a whole solve (answer --allow=solve),
each with the id of its question. With --revoke ID it takes one back: from the agent's next turn on
its calls are asked again.

` + aRun,
		Args: cli.OneRun,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := as.Check(); err != nil {
				return err
			}
			at, err := server.archive()
			if err != nil {
				return err
			}
			all, err := at.asks(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			all = slices.DeleteFunc(all, func(a ask) bool { return !a.standing || !strings.HasPrefix(a.id, revoke) })
			if revoke == "" {
				said := cli.Table{Titles: []string{"question", "solve", "by", "since", "allows all like"}}
				grants := []grant{}
				for _, a := range all {
					g := grant{a.id, a.thread, asking.Answer{By: a.answer.By, From: asking.Answerer(a.answer.From)}.Who(), a.answer.Time, a.line}
					said.Row(g.Question, g.Thread, g.By, g.Since.Format(time.RFC3339), text.Printable(g.Like))
					grants = append(grants, g)
				}
				return cli.PrintList(cmd.OutOrStdout(), &as, grants, &said)
			}
			if len(all) != 1 {
				return cli.Usage(fmt.Errorf("--revoke %s: %s with an id that begins so: swarmbus grants RUN lists them", revoke, text.Plural(len(all), "grant")))
			}
			if err := at.revoke(cmd.Context(), args[0], all[0], by); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "Taken back: %s\n", text.Printable(all[0].line))
			return err
		},
	}
	cmd.Flags().StringVar(&revoke, "revoke", "", "take back the grant of the question with this id, or its beginning")
	cmd.Flags().StringVar(&by, "by", "", "name of the person who takes it back")
	server.define(cmd.Flags())
	as.Define(cmd.Flags())
	return cmd
}

func (machine) revoke(ctx context.Context, run string, of ask, by string) error {
	return written(run, func(file *journal.File) error {
		return solves.Answer(ctx, file, of.thread, asking.Answer{ID: of.id, Verdict: asking.Revoke, By: by})
	})
}

func (r remote) revoke(ctx context.Context, run string, of ask, by string) error {
	_, err := r.Decide(ctx, run+"."+of.thread+"."+of.id, api.Verdict{Verdict: string(asking.Revoke), By: by})
	return err
}
