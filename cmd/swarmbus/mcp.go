package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/desk/open"
	"github.com/swarmbus/swarmbus/swarm/mcpserver"
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

// mcpPath is where clients of the Model Context Protocol find a server over HTTP.
const mcpPath = api.Prefix + "/mcp"

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
		Args: noArgs,
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
	ctx, progress := cmd.Context(), cmd.ErrOrStderr()
	config := &serveConfig{Addr: f.http, Dir: f.dir}
	if _, err := config.place(false); err != nil {
		return err
	}
	o := host.Options{Dir: config.Dir, Version: version().String()}
	if o.Teams, err = f.load(cmd, config.Dir); err != nil {
		return err
	}
	hub := feed.New(feed.Options{})
	defer hub.Close()
	o.Hub = hub
	h, err := host.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		err = errors.Join(err, h.Close(bye))
	}()
	server, err := newMCPServer(ctx, h, progress)
	if err != nil {
		return err
	}
	if f.http == "" {
		err := server.Stdio(ctx, closable(cmd.InOrStdin()), stdout{cmd.OutOrStdout()})
		if ctx.Err() != nil || errors.Is(err, io.EOF) {
			return nil // whoever interrupts it ends it so
		}
		return err
	}
	return config.serveMCP(ctx, server, cmd.OutOrStdout())
}

// newMCPServer returns a server that says which clients it refuses.
func newMCPServer(ctx context.Context, h *host.Host, progress io.Writer) (*mcpserver.Server, error) {
	return mcpserver.New(ctx, mcpserver.Options{Backend: h.Backend(), Version: version().Version, Refused: func(client, limit string) {
		fmt.Fprintf(progress, "mcp: %s is refused: %s\n", text.Printable(client), limit)
	}})
}

// serveMCP serves clients over HTTP that have the token.
func (c *serveConfig) serveMCP(ctx context.Context, server *mcpserver.Server, out io.Writer) error {
	listener, err := c.listen(ctx)
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // the server has closed it
	key, err := guard.Load(filepath.Join(c.Dir, "console.key"))
	if err != nil {
		return err
	}
	g := guard.New(guard.Options{Key: key, Hosts: c.names(listener.Addr())})
	mux := http.NewServeMux()
	mux.Handle(mcpPath, server.Handler())
	fmt.Fprintf(out, "MCP is at %s%s\nAuthorization: Bearer %s\n", c.base(listener.Addr()), mcpPath, key.Token())
	return serveUntil(ctx, console.Server(g.Wrap(mux)), listener, server.Close)
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
		short := strings.TrimSuffix(filepath.Base(name), filepath.Ext(name))
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
