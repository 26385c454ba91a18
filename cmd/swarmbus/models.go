package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

func newModels() *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the providers whose keys are set, or the models of one",
		Long: `Models lists the providers whose keys are in the environment, each with its small model,
which solve chooses where none is named. With a PROVIDER it lists the models of that one, and
the variable that has its key: --model PROVIDER:NAME. Prices are in dollars for a million
tokens of input and output, as they were known when the catalogue was made; then follow the
thousands of tokens that the model's context has.`,
		Args: cli.AtMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var all []listedModel
			var ids []string
			for _, p := range catalogue.All() {
				ids = append(ids, p.ID)
			}
			if len(args) > 0 {
				p, found := catalogue.Find(args[0])
				if !found {
					return cli.Usage(fmt.Errorf("no provider %q%s", args[0], cmp.Or(text.Suggest(args[0], ids), "; it is one of "+strings.Join(ids, ", "))))
				}
				for _, m := range p.Models {
					all = append(all, modelOf(p, m))
				}
				return printModels(cmd, &as, all)
			}
			reachable := providers.Reachable()
			for _, p := range reachable {
				for _, m := range p.Models {
					if m.Name == p.Small {
						all = append(all, modelOf(p, m))
					}
				}
			}
			if !as.Quiet {
				fmt.Fprintf(cmd.ErrOrStderr(), "%s set, of %s\n", text.Plural(len(reachable), "key"), strings.Join(ids, ", "))
			}
			return printModels(cmd, &as, all)
		},
	}
	as.Define(cmd.Flags())
	return cmd
}

// A listedModel is one of the catalogue, with its prices in dollars for a million tokens.
type listedModel struct {
	Model  string   `json:"model"` // as --model has it
	Input  *float64 `json:"input,omitempty"`
	Output *float64 `json:"output,omitempty"`
	Window int      `json:"window"` // tokens of the context
	Key    string   `json:"key"`    // the variable that has it
}

func modelOf(p catalogue.Provider, m catalogue.Model) listedModel {
	of := listedModel{Model: p.ID + ":" + m.Name, Window: m.Window, Key: p.Key}
	if x, known := catalogue.Price(p.ID, m.Name); known {
		of.Input, of.Output = &x.Input, &x.Output
	}
	return of
}

func printModels(cmd *cobra.Command, as *cli.List, all []listedModel) error {
	t := cli.Table{Titles: []string{"model", "price", "context", "key"}}
	for _, m := range all {
		price := "unknown"
		if m.Input != nil {
			price = fmt.Sprintf("%v/%v", *m.Input, *m.Output)
		}
		t.Row(m.Model, price, fmt.Sprintf("%dk", m.Window/1000), "$"+m.Key)
	}
	return cli.PrintList(cmd.OutOrStdout(), as, all, &t)
}
