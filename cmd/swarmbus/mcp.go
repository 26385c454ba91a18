package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/open"
	"github.com/swarmbus/swarmbus/swarm/console/server"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

type mcpFlags struct {
	team  teamFlags
	teams []string
	http  string
	dir   string
	demo  bool
	pace  time.Duration
}

func newMCP() *cobra.Command {
	f := mcpFlags{team: teamFlags{agents: 1, seed: teams.DefaultSeed, rounds: teams.DefaultRounds}}
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Offer teams to editors and assistants (MCP)",
		Long: `MCP serves the Model Context Protocol: an editor or an assistant that starts it asks a
team for a second opinion (solve), counts votes (decide), and looks at what was decided and
why (runs, show, why). It answers on standard output what it reads from standard input, or
with --http serves clients over streamable HTTP, with a token that it prints.

Without --team it offers the ready-made teams whose models can be asked. --model replaces the
models of all teams. A client that can ask its user gets the questions of agents; otherwise
they wait. Each team has a journal under its name in the directory of --dir.`,
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd) },
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.teams, "team", nil, "ready-made team ("+strings.Join(teams.Names(), ", ")+") or file; may be repeated")
	flags.StringArrayVar(&f.team.models, "model", nil, "PROVIDER:NAME; may be repeated")
	flags.StringVar(&f.team.baseURL, "base-url", "", "base URL of the models' server (default: the provider's)")
	flags.StringVar(&f.team.budget, "budget", "", "maximum cost of each team, such as 0.50usd or 20000tokens")
	flags.StringArrayVar(&f.team.prices, "price", nil, "PROVIDER:NAME=IN/OUT, in dollars per million tokens")
	flags.DurationVar(&f.team.deadline, "deadline", time.Duration(teams.DefaultDeadline), "time limit of a solve")
	flags.StringVar(&f.http, "http", "", "serve HTTP at this loopback address")
	flags.Lookup("http").NoOptDefVal = "127.0.0.1:7335"
	flags.StringVar(&f.dir, "dir", "", "directory of the journals (default: that of swarmbus runs)")
	flags.BoolVar(&f.demo, "demo", false, "offer the scripted team of the demo, which needs no key")
	flags.DurationVar(&f.pace, "pace", 0, "with --demo: how long agents seem to think")
	return cmd
}

// serve serves until the client leaves, or the command is interrupted.
func (f *mcpFlags) serve(cmd *cobra.Command) (err error) {
	ctx, config := cmd.Context(), &serveConfig{Addr: f.http, Dir: f.dir}
	if _, err := config.place(false); err != nil {
		return err
	}
	log, err := (&serviceFlags{format: "text", level: "warn"}).log(cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	o := server.Options{OnlyMCP: true, Version: version().Version, Log: log, Host: host.Options{Dir: config.Dir, Version: version().String()}}
	if o.Host.Teams, err = f.load(cmd, config.Dir); err != nil {
		return err
	}
	if f.http != "" {
		if o.At, err = config.listen(ctx); err != nil {
			return err
		}
	}
	s, err := server.New(ctx, o)
	switch {
	case err != nil:
		return err
	case f.http == "":
		return s.Stdio(ctx, closable(cmd.InOrStdin()), stdout{cmd.OutOrStdout()})
	}
	fmt.Fprintf(cmd.OutOrStdout(), "MCP is at %s%s\nAuthorization: Bearer %s\n", o.At.Base(), server.MCPPath, s.Token())
	return s.Run(ctx)
}

// load returns the teams, each with a journal that no other process has.
func (f *mcpFlags) load(cmd *cobra.Command, dir string) (all []host.Team, err error) {
	if f.demo {
		team := demo.Team(f.pace)
		team.Run = free(dir, team.Name)
		all = append(all, team)
	}
	names := f.teams
	if len(names) == 0 && !f.demo {
		names = teams.Names()
	}
	work, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	known := claimed{}
	with := open.With(open.Options{Dir: work, Stderr: cmd.ErrOrStderr()})
	for _, name := range names {
		f.team.team = name
		file, err := f.team.make(cmd)
		if err != nil {
			return nil, err
		}
		if _, _, err := with.Models(file); err != nil && len(f.teams) == 0 {
			fmt.Fprintf(cmd.ErrOrStderr(), "mcp: the team %s is not offered: %v\n", name, err)
			continue
		}
		short := shortName(name)
		if err := known.claim(short, short, name); err != nil {
			return nil, err
		}
		all = append(all, host.Team{Team: desk.Team{Name: short, File: file, Open: desk.Opener(file, with)}, Run: free(dir, short)})
	}
	return all, nil
}

// free returns the name of a journal that no process writes: each editor starts its own server.
func free(dir, name string) string {
	run := name
	for i := 2; i < 100; i++ {
		if _, taken := journal.Locked(filepath.Join(dir, run+runs.Suffix)); !taken {
			break
		}
		run = fmt.Sprintf("%s-%d", name, i)
	}
	return run
}

// closable returns a reader that can be closed, so that a server that is interrupted stops
// reading.
func closable(r io.Reader) io.ReadCloser {
	if c, ok := r.(io.ReadCloser); ok {
		return c
	}
	return io.NopCloser(r)
}

// stdout is not closed: what comes after the last answer goes there, too.
type stdout struct{ io.Writer }

func (stdout) Close() error { return nil }
