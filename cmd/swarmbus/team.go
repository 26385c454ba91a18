package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

func newTeam() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "team",
		Short: "Describe a team in a file",
		Long: `A team file says who solves a task and how: agents, models, strategy, threshold,
conflicts, budget, deadline. swarmbus solve --team uses it. It has no keys: it names the
environment variables that have them. docs/teams.md explains each field.

Ready-made teams: ` + strings.Join(teams.Names(), ", ") + ".\n",
	}
	parent(cmd)
	cmd.AddCommand(newTeamInit(), newTeamList(), newTeamCheck(), newTeamShow(), newTeamSchema(), newTeamPolicy(), newTeamRoutes())
	return cmd
}

func newTeamInit() *cobra.Command {
	var from string
	cmd := &cobra.Command{
		Use:   "init FILE",
		Short: "Write a ready-made team to a new file",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			content, found := teams.Ready(from)
			if !found {
				return cli.Usage(fmt.Errorf("--from %q is none of %s%s", from, strings.Join(teams.Names(), ", "), text.Suggest(from, teams.Names())))
			}
			file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, file.Close()) }()
			_, err = io.WriteString(file, content)
			return err
		},
	}
	cmd.Flags().StringVar(&from, "from", "decision", "the ready-made team: "+strings.Join(teams.Names(), ", "))
	return cmd
}

// A listedTeam is a team as it is listed or checked.
type listedTeam struct {
	Team    string   `json:"team"`
	Name    string   `json:"name,omitempty"`
	Agents  []string `json:"agents"`
	Models  []string `json:"models"`
	Problem string   `json:"problem,omitempty"`
}

func listTeam(called string, t *teams.Team) listedTeam {
	of := listedTeam{Team: called, Name: t.Name, Agents: []string{}, Models: slices.Sorted(maps.Keys(t.Models))}
	for _, a := range t.Agents {
		of.Agents = append(of.Agents, a.ID)
	}
	return of
}

func newTeamList() *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the ready-made teams",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var all []listedTeam
			t := cli.Table{Titles: []string{"team", "agents"}}
			for _, name := range teams.Names() {
				team, err := teams.Load(name)
				if err != nil {
					return err
				}
				of := listTeam(name, team)
				all = append(all, of)
				t.Row(name, strings.Join(of.Agents, ", "))
			}
			return errors.Join(as.Check(), cli.PrintList(cmd.OutOrStdout(), &as, all, &t))
		},
	}
	as.Define(cmd.Flags())
	return cmd
}

func newTeamCheck() *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "check NAME|FILE",
		Short: "Say what is wrong with a team, with line and column",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			team, err := teams.Load(args[0])
			if err == nil {
				err = idle(cmd, team)
			}
			if err != nil && as.JSON {
				return errors.Join(cli.Encode(cmd.OutOrStdout(), []listedTeam{{Team: args[0], Agents: []string{}, Models: []string{}, Problem: err.Error()}}), err)
			}
			if err != nil {
				return err
			}
			var said cli.Table
			said.Row(fmt.Sprintf("%s is a team of %s with %s", args[0], text.Plural(len(team.Agents), "agent"), text.Plural(len(team.Models), "model")))
			return cli.PrintList(cmd.OutOrStdout(), &as, []listedTeam{listTeam(args[0], team)}, &said)
		},
	}
	as.Report(cmd.Flags())
	return cmd
}

func newTeamSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON schema of a team file, for editors",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := io.WriteString(cmd.OutOrStdout(), teams.Schema())
			return err
		},
	}
}

func newTeamShow() *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "show NAME|FILE",
		Short: "Print a team with its defaults, as a file",
		Args:  oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			team, err := teams.Load(args[0])
			if err != nil {
				return err
			}
			if as.JSON {
				return cli.Encode(cmd.OutOrStdout(), []any{team.Whole()})
			}
			whole, err := yaml.MarshalWithOptions(team.Whole(), yaml.UseLiteralStyleIfMultiline(true), yaml.IndentSequence(true))
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text.Lines(string(whole)))
			return err
		},
	}
	as.Report(cmd.Flags())
	return cmd
}

func newTeamPolicy() *cobra.Command {
	var as cli.List
	cmd := &cobra.Command{
		Use:   "policy NAME|FILE CALL.json",
		Short: "Say whether a call of a tool would be made, and by which rule",
		Long: `Policy says what the rules of a team say of a call, which is a JSON object with the members
agent, tool and args. It calls no tool, and runs the rules' checks.
`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			team, err := teams.Load(args[0])
			if err != nil {
				return err
			}
			written, err := text.ReadFile(args[1], 1<<20)
			if err != nil {
				return err
			}
			j, err := judged(cmd.Context(), team, written)
			if err != nil {
				return fmt.Errorf("%s: %w", args[1], err)
			}
			said := cli.Table{Rows: [][]string{{fmt.Sprint(j.Policy)}}}
			for _, why := range j.Why {
				said.Row("  " + why)
			}
			type judged struct {
				Policy string   `json:"policy"`
				Why    []string `json:"why"`
			}
			return cli.PrintList(cmd.OutOrStdout(), &as, []judged{{fmt.Sprint(j.Policy), append([]string{}, j.Why...)}}, &said)
		},
	}
	as.Report(cmd.Flags())
	return cmd
}

// judged returns what a team says of a call, which is JSON.
func judged(ctx context.Context, team *teams.Team, written []byte) (j tools.Judgement, err error) {
	var call struct {
		Agent string          `json:"agent"`
		Tool  string          `json:"tool"`
		Args  json.RawMessage `json:"args"`
	}
	if err := json.Unmarshal(written, &call); err != nil {
		return j, cli.Usage(fmt.Errorf("not a JSON object with agent, tool and args: %w", err))
	}
	i := slices.IndexFunc(team.Agents, func(a teams.Agent) bool { return a.ID == call.Agent })
	if i < 0 {
		return j, cli.Usage(fmt.Errorf("agent: the team has no agent %q", call.Agent))
	}
	if _, unclear := asking.Show(string(call.Args)); unclear != nil {
		return tools.Judgement{Policy: tools.Deny, Why: []string{unclear.Error()}}, nil //nolint:nilerr // that is the judgement
	}
	var rules []tools.Rule
	for _, name := range slices.Sorted(maps.Keys(team.Agents[i].Tools)) {
		of, err := team.Agents[i].Tools[name].Rules(name)
		if err != nil {
			return j, err
		}
		rules = append(rules, of...)
	}
	spec := tools.Spec{Name: call.Tool}
	if server, name, of := strings.Cut(call.Tool, "/"); of {
		spec = tools.Spec{Server: server, Name: name}
	}
	return tools.Judge(ctx, rules, call.Agent, spec, call.Args), nil
}

func oneFile(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return cli.Usage(fmt.Errorf("one team is required, not %d: a file, or %s", len(args), strings.Join(teams.Names(), ", ")))
	}
	return nil
}
