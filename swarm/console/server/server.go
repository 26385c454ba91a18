// Package server runs a console with all its protocols in one process.
//
//	at, err := server.Listen(ctx, server.At{Addr: "127.0.0.1:7333"})
//	s, err := server.New(ctx, server.Options{Host: host.Options{Dir: dir, Teams: teams}, At: at})
//	fmt.Println("The console is at", s.Link())
//	err = s.Run(ctx)
//
// A [Server] has the teams and rooms of a host, and serves the page, the API and its feed, AG-UI,
// the Model Context Protocol and A2A, and agents that join. Whoever has the token of the directory
// may use all of it; others have tokens with roles ([guard.Tokens]).
//
// New opens everything and begins to read the journals; Run serves until its context ends, lets
// requests end, and closes all. A server that is not run has to be closed.
package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/xid"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/swarm/console"
	"github.com/swarmbus/swarmbus/swarm/console/a2a"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/feed"
	"github.com/swarmbus/swarmbus/swarm/console/guard"
	"github.com/swarmbus/swarmbus/swarm/console/host"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/console/mcpserver"
	"github.com/swarmbus/swarmbus/swarm/console/web"
)

// MCPPath is where clients of the Model Context Protocol find a server.
const MCPPath = api.Root + "/mcp"

// Options of a [Server]. The zero value of a field has the meaning given.
type Options struct {
	Host    host.Options // but for its Hub and Boot, which are the server's
	At      *Listener    // which the server closes; nil: only [Server.Stdio] serves
	OnlyMCP bool         // no page, API or other protocol
	Joins   *join.Desk   // of agents that join, which the server closes; nil: none does
	Version string       // that protocols tell
	// Log has a line for each start and stop, token and client that is refused, solve and failed turn,
	// and no token. Nil: none.
	Log *slog.Logger
	// Opened is called once all journals have been read, and ends with its context. Nil: not called.
	Opened func(ctx context.Context, b *api.Backend) error
}

// A Server serves teams and rooms. Make one with [New].
type Server struct {
	o       Options
	hub     *feed.Hub
	host    *host.Host
	mcp     *mcpserver.Server
	guard   *guard.Guard
	key     guard.Key
	handler http.Handler
	closed  sync.Once
	leaves  atomic.Bool // it stops

	looks sync.Mutex // protects the fields below
	seen  time.Time  // when it was looked whether the server can work
	found error
}

// New returns a server that has begun to read its journals. After an error everything is closed.
func New(ctx context.Context, o Options) (_ *Server, err error) {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	o.Host.Log = o.Log
	boot := xid.New().String()
	s := &Server{o: o, hub: feed.New(feed.Options{Boot: boot})}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(ctx))
		}
	}()
	o.Host.Hub, o.Host.Boot = s.hub, boot
	if s.host, err = host.Open(ctx, o.Host); err != nil {
		return nil, err
	}
	s.mcp, err = mcpserver.New(ctx, mcpserver.Options{Backend: s.backend().Guarded(), Version: o.Version, Refused: s.refused("mcp")})
	if err != nil || o.At == nil {
		return s, err
	}
	if s.key, err = guard.Load(filepath.Join(o.Host.Dir, "console.key")); err != nil {
		return nil, err
	}
	tokens := guard.Tokens{Path: filepath.Join(o.Host.Dir, guard.TokensFile)}
	if _, err = tokens.All(); err != nil {
		return nil, err
	}
	s.guard = guard.New(guard.Options{
		Key: s.key, Tokens: tokens, Hosts: o.At.names(), Site: o.At.site, Log: o.Log,
	})
	routes, err := s.routes(ctx)
	s.handler = o.At.site.Wrap(traced(routes))
	return s, err
}

// routes returns the handler of all protocols.
func (s *Server) routes(ctx context.Context) (http.Handler, error) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", s.lives)
	mux.HandleFunc("GET /readyz", s.ready)
	mux.Handle(MCPPath, s.guard.Wrap(s.mcp.Handler()))
	if s.o.OnlyMCP {
		mux.Handle("/", s.guard.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			api.Refuse(w, api.NewError(http.StatusNotFound, "this server has only "+MCPPath))
		})))
		return mux, nil
	}
	agents, err := a2a.New(ctx, a2a.Options{Backend: s.backend().Guarded(), Version: s.o.Version, Base: s.o.At.site.Base, Refused: s.refused("a2a")})
	if err != nil {
		return nil, err
	}
	mux.Handle(a2a.Prefix, s.guard.Wrap(agents.Handler()))
	mux.HandleFunc("GET "+a2a.CardPath, agents.Card)
	mux.Handle("/", console.New(console.Options{Backend: s.backend().Guarded(), Hub: s.hub, Guard: s.guard, Files: web.Files(), Base: s.o.At.site.Path(), Version: s.o.Version}))
	if s.o.Joins != nil {
		mux.Handle(join.Prefix+"/", s.guard.Wrap(s.guard.Counts(s.o.Joins.Handler())))
	}
	return mux, nil
}

// traced has the solves that requests ask for inside of what sends the requests.
func traced(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if ctx := hooks.Caused(r.Context(), r.Header.Get); ctx != r.Context() {
			r = r.WithContext(ctx)
		}
		next.ServeHTTP(w, r)
	})
}

// refused returns what notes the clients of a protocol that are beyond a limit.
func (s *Server) refused(protocol string) func(client, limit string) {
	return func(client, limit string) {
		s.o.Log.Warn("client refused", "protocol", protocol, "client", client, "limit", limit)
	}
}

// backend returns what the protocols call.
func (s *Server) backend() *api.Backend { return s.host.Backend() }

// Works reports whether the server works, or has to be started again.
func (s *Server) Works() bool { return !s.host.Stuck() }

// Link returns the address of the console with the token, for a browser.
func (s *Server) Link() string { return s.guard.Link(s.o.At.Base()) }

// Token returns what programs send as "Authorization: Bearer TOKEN".
func (s *Server) Token() string { return s.key.Token() }

// leave is how long solves and rooms have to end.
const leave = 20 * time.Second

// Close ends everything at once. It may be called more than once.
func (s *Server) Close(ctx context.Context) (err error) {
	s.closed.Do(func() {
		s.hang()
		if s.host != nil {
			bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), leave)
			defer cancel()
			err = s.host.Close(bye)
		}
		if s.o.At != nil {
			_ = s.o.At.Close() // whoever has served has closed it
		}
	})
	return err
}

// hang ends the requests that wait for something to happen.
func (s *Server) hang() {
	s.hub.Close()
	if s.mcp != nil {
		s.mcp.Close()
	}
	if s.o.Joins != nil {
		s.o.Joins.Close()
	}
}
