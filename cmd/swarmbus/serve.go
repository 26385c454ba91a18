package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/natsflags"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/console/server"
)

// serveFlags are those of serve; they win over the file.
type serveFlags struct {
	config string
	demo   bool
	addr   string
	url    string
	dir    string
	pace   time.Duration
	nats   natsflags.Flags
	stated bool // --stream was
	jaeger string

	service serviceFlags
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the web console",
		Long: `Serve runs teams and rooms, and serves a console in which you start solves, watch them,
answer their questions and talk in rooms. It prints a link with a token that opens the
console. Programs send the token as "Authorization: Bearer TOKEN" to the API, which
/api/v1/openapi.json describes; /api/mcp, /api/a2a/TEAM and /api/agui speak the protocols of
docs/interop.md. Without TLS the address has to be a loopback address.

With --demo it runs scripted agents, which need no key. The file of --config is YAML:

  addr: 127.0.0.1:7333            # the default
  dir: ./journals                 # default: where "swarmbus runs" looks
  teams: [review, ./team.yaml]    # ready-made teams, or files
  office: ./office.yaml           # rooms; none by default
  tls: {cert: cert.pem, key: key.pem}
  hosts: [console.example.org]    # names of the server, with any port, beside its address
  url: https://console.example.org/swarm/  # at which clients find it, behind a proxy
  trusted: [127.0.0.1/32]         # proxies that say where requests come from
  jaeger: http://127.0.0.1:16686  # page that shows traces

Each team has a journal in the directory, and so has the office. A server that is stopped or
killed continues its solves when it starts again, with the same token as long as the
directory has the file console.key.

With --nats the console is that of a log on NATS servers: it shows the solves of other
processes and answers their questions, and the team of the file drives those begun here.
Teams beside the one on --stream, and the rooms of swarmbus rooms --nats, name their streams:

  teams: [{team: ./policy.yaml, stream: policy}, {team: review, stream: reviews}]
  office: {file: ./office.yaml, stream: office, keys: /srv/office.keys}
` + natsflags.Help,
		Args: cli.AtMost(0),
		PreRunE: func(cmd *cobra.Command, _ []string) error {
			log, err := f.service.log(cmd.ErrOrStderr())
			cmd.SetContext(cli.WithLog(cmd.Context(), log))
			return err
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := errors.Join(notEmpty(cmd), f.nats.Check(cmd.Flags())); err != nil {
				return err
			}
			if cmd.Flags().Changed("pace") && !f.demo {
				return cli.Usage(errors.New("--pace is for --demo"))
			}
			f.stated = cmd.Flags().Changed("stream")
			return f.serve(cmd.Context(), cmd.OutOrStdout(), cli.LogOf(cmd))
		},
	}
	cmd.Flags().StringVar(&f.config, "config", "", "read this file")
	cmd.Flags().BoolVar(&f.demo, "demo", false, "run the demo")
	cmd.Flags().StringVar(&f.addr, "addr", "", "address to listen on, or unix: and the path of a socket (default 127.0.0.1:7333)")
	cmd.Flags().StringVar(&f.url, "public-url", "", "URL at which clients find the server, behind a proxy")
	cmd.Flags().StringVar(&f.dir, "dir", "", "directory of the journals (default: a temporary one for the demo, else that of swarmbus runs)")
	cmd.Flags().StringVar(&f.jaeger, "jaeger", "", "address of a page that shows traces, to which those of solves lead: see --otel")
	cmd.Flags().DurationVar(&f.pace, "pace", time.Second, "with --demo: how long agents seem to think")
	f.service.define(cmd.Flags())
	f.nats.Define(cmd.Flags())
	f.nats.DefineSnapshots(cmd.Flags())
	return cmd
}

// defaultAddr is where the console is.
const defaultAddr = "127.0.0.1:7333"

// serve serves until ctx ends.
func (f *serveFlags) serve(ctx context.Context, out io.Writer, log *slog.Logger) (err error) {
	config, err := f.read()
	if err != nil {
		return err
	}
	if err := f.checkNATS(config); err != nil {
		return err
	}
	progress := lines{log}
	slog.SetDefault(log) // has the stacks of panics
	var ends ends
	defer func() { err = errors.Join(err, ends.end()) }() // after the server
	clean, err := config.place(f.demo)
	ends.add(clean)
	if err != nil {
		return err
	}
	o := server.Options{Version: version().Version, Log: log}
	if o.At, err = config.listen(ctx); err != nil {
		return err
	}
	defer o.At.Close() //nolint:errcheck // the server has closed it
	logs, err := f.fill(ctx, config, &o, &ends, progress)
	if err != nil {
		return err
	}
	s, err := server.New(ctx, o)
	if err != nil {
		return err
	}
	link, err := f.service.link(s)
	if err != nil {
		return errors.Join(err, s.Close(ctx))
	}
	fmt.Fprintf(out, "The console is at %s\n", link)
	if o.Joins != nil {
		fmt.Fprintf(out, "Agents join at %s%s\n", o.At.Base(), join.Prefix)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	logs.ended(ctx, stop)
	var beside sync.WaitGroup
	beside.Go(func() { config.tls.reloads(ctx, log) })
	beside.Go(func() { tells(ctx, s) })
	err = s.Run(ctx)
	stop()
	beside.Wait()
	return errors.Join(err, logs.err())
}

// fill has the server show the logs, teams and rooms of the file, or the demo. It returns the logs.
func (f *serveFlags) fill(ctx context.Context, config *serveConfig, o *server.Options, ends *ends, progress io.Writer) (logs logsOf, err error) {
	o.Host = host.Options{
		Dir: config.Dir, Version: version().String(), Demo: f.demo, Jaeger: config.Jaeger, Hook: cli.HookOf(ctx),
		Watch: func(b *bus.Bus) (func(), error) { return cli.Watch(ctx, b) },
	}
	if err := f.elsewhere(ctx, config, &o.Host, ends, &logs, progress); err != nil {
		return nil, err
	}
	if o.Joins, err = config.teams(&o.Host, progress); err != nil {
		return nil, err
	}
	if o.Host.Office, err = f.office(ctx, config, ends, &logs, progress); err != nil || !f.demo {
		return logs, err
	}
	o.Host.Teams, o.Host.Office = append(o.Host.Teams, demo.Team(f.pace)), demo.Office()
	o.Opened = func(ctx context.Context, b *api.Backend) error { return demo.Play(ctx, b, "platform", 6*f.pace) }
	return logs, demo.Reports(filepath.Join(config.Dir, "workers"+runs.Suffix))
}

// ends are what has to end, the last first.
type ends []func() error

func (all *ends) add(end func() error) { *all = append(*all, end) }

func (all *ends) end() (err error) {
	for _, end := range slices.Backward(*all) {
		err = errors.Join(err, end())
	}
	return err
}

// patience is how long requests have to end.
const patience = 5 * time.Second

// place makes the directory of the journals, and returns what removes it.
func (c *serveConfig) place(temporary bool) (clean func() error, err error) {
	clean = func() error { return nil }
	if c.Dir == "" && temporary {
		if c.Dir, err = os.MkdirTemp("", "swarmbus-demo-"); err != nil {
			err = fmt.Errorf("--demo needs --dir, or TMPDIR with a directory that is there: %w", err)
		}
		return func() error { return os.RemoveAll(c.Dir) }, err
	}
	if c.Dir == "" {
		if c.Dir, err = runs.Dir(); err != nil {
			return clean, err
		}
	}
	return clean, os.MkdirAll(c.Dir, 0o700)
}

// listen begins to listen: on a loopback address, or with TLS.
func (c *serveConfig) listen(ctx context.Context) (*server.Listener, error) {
	at := server.At{Addr: c.Addr, Hosts: c.Hosts, Identity: c.Identity}
	var err error
	if at.URL, err = publicURL(c.URL); err != nil {
		return nil, cli.Usage(fmt.Errorf("--public-url, or url in the file of --config: %w", err))
	}
	for _, text := range c.Trusted {
		one, err := netip.ParsePrefix(text)
		if alone, failed := netip.ParseAddr(text); failed == nil {
			one, err = netip.PrefixFrom(alone, alone.BitLen()), nil
		}
		if err != nil {
			return nil, cli.Usage(fmt.Errorf("trusted in the file of --config: %q is neither an address nor a network such as 127.0.0.1/32", text))
		}
		at.Trusted = append(at.Trusted, one.Masked())
	}
	if c.Identity != nil {
		if err := c.Identity.Validate(); err != nil {
			return nil, cli.Usage(fmt.Errorf("the file of --config: %w", err))
		}
	}
	if c.TLS.Cert != "" {
		c.tls.cert, c.tls.key = c.TLS.Cert, c.TLS.Key
		if err := c.tls.read(); err != nil {
			return nil, fmt.Errorf("tls in the file of --config names no certificate with its key: %w", err)
		}
		at.Certificate = c.tls.get
	}
	if at.Socket, err = activated(); err != nil {
		return nil, err
	}
	l, err := server.Listen(ctx, at)
	wrong := (*server.AddrError)(nil)
	switch {
	case errors.As(err, &wrong) && wrong.Public:
		return nil, cli.Usage(fmt.Errorf("%w in the file of --config", err))
	case wrong != nil:
		return nil, cli.Usage(fmt.Errorf("--addr, or addr in the file of --config: %w", err))
	case err != nil:
		return nil, fmt.Errorf("--addr, or addr in the file of --config, %w", err)
	}
	return l, nil
}
