package main

import (
	"cmp"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/teams/catalogue"
	"github.com/swarmbus/swarmbus/swarm/teams/providers"
)

func newModels() *cobra.Command {
	return &cobra.Command{
		Use:   "models [PROVIDER]",
		Short: "List the providers whose keys are set, or the models of one",
		Long: `Models lists the providers whose keys are in the environment, each with its small model,
which solve chooses where none is named. With a PROVIDER it lists the models of that one, and
the variable that has its key: --model PROVIDER:NAME. Prices are in dollars for a million
tokens of input and output, as they were known when the catalogue was made; then follow the
thousands of tokens that the model's context has.`,
		Args: atMost(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			row := func(p catalogue.Provider, m catalogue.Model) {
				price := "unknown"
				if x, known := catalogue.Price(p.ID, m.Name); known {
					price = fmt.Sprintf("%v/%v", x.Input, x.Output)
				}
				fmt.Fprintf(w, "%s:%s\t%s\t%dk\t$%s\n", p.ID, m.Name, price, m.Window/1000, p.Key)
			}
			var ids []string
			for _, p := range catalogue.All() {
				ids = append(ids, p.ID)
			}
			if len(args) > 0 {
				p, found := catalogue.Find(args[0])
				if !found {
					return usage(fmt.Errorf("no provider %q%s", args[0], cmp.Or(text.Suggest(args[0], ids), "; it is one of "+strings.Join(ids, ", "))))
				}
				for _, m := range p.Models {
					row(p, m)
				}
				return w.Flush()
			}
			all := providers.Reachable()
			for _, p := range all {
				for _, m := range p.Models {
					if m.Name == p.Small {
						row(p, m)
					}
				}
			}
			fmt.Fprintf(cmd.ErrOrStderr(), "%s set, of %s\n", text.Plural(len(all), "key"), strings.Join(ids, ", "))
			return w.Flush()
		},
	}
}
