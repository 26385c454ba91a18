package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
)

// usual are the flags that the short help of a command with many has.
var usual = map[string]string{
	"swarmbus solve":  "team model agents mode budget deadline journal resume server json",
	"swarmbus answer": "question call vote allow deny server json",
	"swarmbus decide": "from map votes strategy items threshold json",
	"swarmbus serve":  "config demo addr dir nats",
	"swarmbus rooms":  "run room nats",
	"swarmbus agent":  "as team model nats",
	"swarmbus log":    "kind thread source since follow json server",
	"swarmbus mcp":    "team model budget demo http dir",
}

// helps gives a command and those below it a help of a screen, which --help prints: what it does, how
// it is called, and its usual flags. The command help prints all.
func helps(root *cobra.Command) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprint(cmd.OutOrStdout(), shortHelp(cmd)) // who prints knows what was lost
	})
	root.SetHelpCommand(&cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Print all about a command",
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) (names []string, _ cobra.ShellCompDirective) {
			of, _, err := cmd.Root().Find(args)
			if err != nil {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			for _, c := range of.Commands() {
				if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), begun) {
					names = append(names, c.Name()+"\t"+c.Short)
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			of, rest, err := cmd.Root().Find(args)
			if err == nil && len(rest) > 0 || err != nil {
				return cli.Usage(unknown(cmd.Root(), args))
			}
			of.InitDefaultHelpFlag()
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n%s", strings.TrimSpace(of.Long), of.UsageString())
			return err
		},
	})
}

// unknown says that a command has none of a name below it.
func unknown(cmd *cobra.Command, args []string) error {
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	return fmt.Errorf("unknown command %q%s; see %s --help", args[0], text.Suggest(args[0], names), cmd.CommandPath())
}

// parent makes a command that only has others below it.
func parent(cmd *cobra.Command) {
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return cli.Usage(unknown(cmd, args))
		}
		return nil
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func shortHelp(cmd *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n", cmd.Short)
	if cmd.Example != "" {
		fmt.Fprintf(&b, "%s\n\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		for _, g := range append(cmd.Groups(), &cobra.Group{Title: "Others:"}) {
			var all cli.Table
			for _, c := range cmd.Commands() {
				if c.GroupID == g.ID && (c.IsAvailableCommand() || c.Name() == "help") {
					all.Row("  "+c.Name(), c.Short)
				}
			}
			if cmd.HasParent() {
				g.Title = "Commands:"
			}
			if len(all.Rows) > 0 {
				b.WriteString(g.Title + "\n" + all.Lines(new(cli.List), -1))
			}
		}
		what := "explains them"
		if !cmd.HasParent() {
			what = "has the exit statuses, and swarmbus help COMMAND all about one"
		}
		fmt.Fprintf(&b, "\nswarmbus help%s %s.\n", strings.TrimPrefix(cmd.CommandPath(), "swarmbus"), what)
		return b.String()
	}
	fmt.Fprintf(&b, "Usage: %s\n", cmd.UseLine())
	shown := pflag.NewFlagSet("", pflag.ContinueOnError)
	names := strings.Fields(usual[cmd.CommandPath()])
	more := 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		switch {
		case f.Name == "help" || f.Hidden:
		case len(names) == 0 || slices.Contains(names, f.Name):
			shown.AddFlag(f)
		default:
			more++
		}
	})
	b.WriteString(shown.FlagUsages())
	if rest := fmt.Sprintf("swarmbus help%s", strings.TrimPrefix(cmd.CommandPath(), "swarmbus")); more > 0 {
		fmt.Fprintf(&b, "\n%s explains it, with %s more.\n", rest, text.Plural(more, "flag"))
	} else {
		fmt.Fprintf(&b, "\n%s explains it.\n", rest)
	}
	return b.String()
}
