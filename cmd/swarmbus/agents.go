package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
)

func newAgents() *cobra.Command {
	var server serverFlag
	var as cli.List
	var export string
	cmd := &cobra.Command{
		Use:   "agents RUN",
		Short: "List how far a team trusts its agents, and why",
		Long: `Agents lists who voted in the solves of a run: how often each is taken to be right, what
that rests on (known outcomes, or agreement alone), the 95 % interval of its share of right
votes where outcomes are known, and from how many more outcomes on the interval is at most
20 points wide. Outcomes are told by "swarmbus outcome". --ledger FILE adds what was learned to a
ledger, with which swarmbus solve --ledger FILE begins.

` + aRun,
		Args: single("a run"),
		RunE: func(cmd *cobra.Command, args []string) error {
			at, err := server.archive()
			if err != nil {
				return err
			}
			log, _, err := at.open(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			ledger, err := ledgerOf(log)
			if err != nil || ledger == nil {
				return err
			}
			if export != "" {
				file, err := ledgerAt(export, "")
				if err == nil {
					err = file.add(ledger, nil)
				}
				return err
			}
			all, percent := ledger.Trust(), func(x float64) string { return fmt.Sprintf("%.0f %%", 100*x) }
			table := cli.Table{Titles: []string{"agent", "trust", "rests on", "right", "interval", "more"}}
			for _, t := range all {
				trust, rests := "-", "nothing yet"
				if t.Rate > 0 {
					trust, rests = percent(t.Rate), "agreement"
				}
				right, interval := "-", "-"
				if t.Told > 0 {
					rests, right = "outcomes", fmt.Sprintf("%d of %d", t.Right, t.Told)
					interval = percent(t.Low) + " to " + percent(t.High)
				}
				table.Row(t.Voter, trust, rests, right, interval, fmt.Sprint(t.More))
			}
			return cli.PrintList(cmd.OutOrStdout(), &as, all, &table)
		},
	}
	cmd.Flags().StringVar(&export, "ledger", "", "add what the run has learned to this ledger, and list nothing")
	server.define(cmd.Flags())
	as.Define(cmd.Flags())
	return cmd
}
