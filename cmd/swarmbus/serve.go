package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/rs/xid"
	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/join"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/swarm/a2a"
	"github.com/swarmbus/swarmbus/swarm/console"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/web"
)

// serveFlags are those of serve; they win over the file.
type serveFlags struct {
	config string
	demo   bool
	addr   string
	dir    string
	pace   time.Duration
	nats   natsFlags
	stated bool // --stream was
	jaeger string
}

func newServe() *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Serve the web console",
		Long: `Serve runs teams and rooms, and serves a console in which you start solves, watch them,
answer their questions and talk in rooms. It prints a link with a token that opens the
console. Programs send the token as "Authorization: Bearer TOKEN" to the API, which
/api/openapi.json describes; /api/mcp, /api/a2a/TEAM and /api/agui speak the protocols of
docs/interop.md. Without TLS the address has to be a loopback address.

With --demo it runs scripted agents, which need no key. The file of --config is YAML:

  addr: 127.0.0.1:7333            # the default
  dir: ./journals                 # default: where "swarmbus runs" looks
  teams: [review, ./team.yaml]    # ready-made teams, or files
  office: ./office.yaml           # rooms; none by default
  tls: {cert: cert.pem, key: key.pem}
  hosts: [console.example.org]    # names of the server, beside its address
  jaeger: http://127.0.0.1:16686  # page that shows traces

Each team has a journal in the directory, and so has the office. A server that is stopped or
killed continues its solves when it starts again, with the same token as long as the
directory has the file console.key.

With --nats the console is that of a log on NATS servers: it shows the solves of other
processes and answers their questions, and the team of the file drives those begun here.
Teams beside the one on --stream, and the rooms of swarmbus rooms --nats, name their streams:

  teams: [{team: ./policy.yaml, stream: policy}, {team: review, stream: reviews}]
  office: {file: ./office.yaml, stream: office, keys: /srv/office.keys}
` + natsHelp,
		Args: atMost(0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := f.nats.check(cmd.Flags()); err != nil {
				return err
			}
			if cmd.Flags().Changed("pace") && !f.demo {
				return usage(errors.New("--pace is for --demo"))
			}
			f.stated = cmd.Flags().Changed("stream")
			return f.serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	cmd.Flags().StringVar(&f.config, "config", "", "read this file")
	cmd.Flags().BoolVar(&f.demo, "demo", false, "run the demo")
	cmd.Flags().StringVar(&f.addr, "addr", "", "address to listen on (default 127.0.0.1:7333)")
	cmd.Flags().StringVar(&f.dir, "dir", "", "directory of the journals (default: a temporary one for the demo, else that of swarmbus runs)")
	cmd.Flags().StringVar(&f.jaeger, "jaeger", "", "address of a page that shows traces, to which those of solves lead: see --otel")
	cmd.Flags().DurationVar(&f.pace, "pace", time.Second, "with --demo: how long agents seem to think")
	f.nats.define(cmd.Flags())
	f.nats.defineSnapshots(cmd.Flags())
	return cmd
}

// defaultAddr is where the console is.
const defaultAddr = "127.0.0.1:7333"

// serve serves until ctx ends.
func (f *serveFlags) serve(ctx context.Context, out, progress io.Writer) (err error) {
	config, err := f.read()
	if err != nil {
		return err
	}
	if err := f.checkNATS(config); err != nil {
		return err
	}
	clean, err := config.place(f.demo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, clean()) }()
	listener, err := config.listen(ctx)
	if err != nil {
		return err
	}
	defer listener.Close() //nolint:errcheck // the server has closed it
	key, err := guard.Load(filepath.Join(config.Dir, "console.key"))
	if err != nil {
		return err
	}
	boot := xid.New().String()
	hub := feed.New(feed.Options{Boot: boot})
	defer hub.Close()
	o := host.Options{Dir: config.Dir, Hub: hub, Version: version().String(), Boot: boot, Demo: f.demo, Jaeger: config.Jaeger, Hook: hookOf(ctx)}
	o.Watch = func(b *bus.Bus) (func(), error) { return watch(ctx, b) }
	logs, err := f.elsewhere(ctx, config, &o, progress)
	defer func() { logs.close() }() // after the host
	if err != nil {
		return err
	}
	for i, log := range logs {
		nats := f.nats
		nats.stream = o.Elsewhere[i].Run
		defer nats.store(log, progress)()
	}
	desk, err := config.teams(&o, progress)
	if err != nil {
		return err
	}
	of, log, end, err := f.office(ctx, config, progress)
	defer func() { err = errors.Join(err, end()) }() // after the host
	if log != nil {
		logs = append(logs, log)
	}
	if err != nil {
		return err
	}
	o.Office = of
	if f.demo {
		o.Teams, o.Office = append(o.Teams, demo.Team(f.pace)), demo.Office()
		if err := demo.Reports(filepath.Join(config.Dir, "workers"+runs.Suffix)); err != nil {
			return err
		}
	}
	h, err := host.Open(ctx, o)
	if err != nil {
		return err
	}
	defer func() {
		bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), 20*time.Second)
		defer cancel()
		err = errors.Join(err, h.Close(bye))
	}()
	g := guard.New(guard.Options{Key: key, Hosts: config.names(listener.Addr()), TLS: config.TLS.Cert != ""})
	tools, err := newMCPServer(ctx, h, progress)
	if err != nil {
		return err
	}
	agents, err := a2a.New(ctx, a2a.Options{Backend: h.Backend(), Version: version().Version, TLS: config.TLS.Cert != "", Refused: func(client, limit string) {
		fmt.Fprintf(progress, "a2a: %s is refused: %s\n", client, limit)
	}})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle(mcpPath, g.Wrap(tools.Handler()))
	mux.Handle(a2a.Prefix, g.Wrap(agents.Handler()))
	mux.Handle("/", console.New(console.Options{Backend: h.Backend(), Hub: hub, Guard: g, Files: web.Files(), Version: version().Version}))
	if desk != nil {
		mux.Handle(join.Prefix+"/", g.Wrap(desk.Handler()))
	}
	fmt.Fprintf(out, "The console is at %s\n", g.Link(config.base(listener.Addr())))
	if desk != nil {
		fmt.Fprintf(out, "Agents join at %s%s\n", config.base(listener.Addr()), join.Prefix)
	}
	goes, stop := context.WithCancel(ctx)
	defer stop()
	logs.ended(goes, stop)
	opened := make(chan error, 1)
	go func() {
		err := h.Wait(goes)
		if opened <- err; err != nil {
			stop() // a team cannot work
		} else if f.demo {
			_ = demo.Play(goes, h.Backend(), "platform", 6*f.pace)
		}
	}()
	err = serveUntil(goes, console.Server(mux), listener, func() {
		hub.Close()
		tools.Close()
		if desk != nil {
			desk.Close()
		}
	})
	stop()
	if failed := <-opened; !errors.Is(failed, context.Canceled) {
		err = errors.Join(err, failed)
	}
	return errors.Join(err, logs.err())
}

// patience is how long requests have to end.
const patience = 5 * time.Second

// serveUntil serves until ctx ends, ends the requests that wait, and lets the others end.
func serveUntil(ctx context.Context, server *http.Server, listener net.Listener, end func()) error {
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	end()
	bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	if server.Shutdown(bye) != nil {
		_ = server.Close() // a client does not let go
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

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

// listen returns the listener: on a loopback address, or with TLS.
func (c *serveConfig) listen(ctx context.Context) (net.Listener, error) {
	var of net.ListenConfig
	if _, _, err := net.SplitHostPort(c.Addr); err != nil {
		return nil, usage(fmt.Errorf("--addr, or addr in the file of --config: %q is not HOST:PORT, such as %s", c.Addr, defaultAddr))
	}
	listener, err := of.Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return nil, fmt.Errorf("--addr, or addr in the file of --config, needs a free address, such as 127.0.0.1:0: %w", err)
	}
	if c.TLS.Cert == "" {
		if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
			return nil, errors.Join(usage(fmt.Errorf("%s is not a loopback address: it needs tls in the file of --config", c.Addr)), listener.Close())
		}
		return listener, nil
	}
	pair, err := tls.LoadX509KeyPair(c.TLS.Cert, c.TLS.Key)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("tls in the file of --config names no certificate with its key: %w", err), listener.Close())
	}
	return tls.NewListener(listener, &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}), nil
}
