package open

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/agents/tools/mcp"
	"github.com/swarmbus/swarmbus/internal/runs"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// Servers starts the servers of a team, or connects to them, and returns them in the order of
// their names. An agent that names a tool which its server does not have is an error. end ends
// the servers; it must be called, also after an error.
func (o Options) Servers(ctx context.Context, t *teams.Team) (all []tools.Source, end func() error, err error) {
	var opened []*mcp.Server
	end = func() (err error) {
		for _, s := range opened {
			err = errors.Join(err, s.Close())
		}
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(t.Servers)) {
		server, err := o.Server(ctx, name, t.Servers[name])
		if err != nil {
			return nil, end, err
		}
		opened, all = append(opened, server), append(all, server)
		for _, why := range server.LeftOut() {
			if o.Stderr != nil {
				_, _ = fmt.Fprintln(o.Stderr, text.Printable(why.Error()))
			}
		}
		has, err := server.Tools(ctx)
		if err == nil {
			err = t.CheckTools(name, has)
		}
		if err != nil {
			return nil, end, err
		}
	}
	return all, end, nil
}

// Server starts or connects to one server. The caller must close it.
func (o Options) Server(ctx context.Context, name string, s teams.Server) (*mcp.Server, error) {
	url, err := s.URL.Expand()
	if err != nil {
		return nil, err
	}
	dir, err := s.Dir.Expand()
	if err != nil {
		return nil, err
	}
	spec := mcp.Spec{Name: name, URL: url, Connect: time.Duration(s.Connect), Limits: tools.Limits{Rate: s.Rate}}
	if len(s.Command) > 0 {
		spec.Command, spec.Args, spec.Dir = s.Command[0], s.Command[1:], dir
		if !filepath.IsAbs(dir) && o.Dir+dir != "" {
			spec.Dir = filepath.Join(o.Dir, dir)
		}
	}
	for _, v := range s.Env {
		spec.Env = append(spec.Env, string(v))
	}
	for header, v := range s.Headers {
		if spec.Headers == nil {
			spec.Headers = map[string]string{}
		}
		spec.Headers[header] = string(v)
	}
	if l := s.Login; l != nil {
		spec.Login = &mcp.Login{Client: l.Client, Secret: string(l.Secret), Alone: l.Alone}
	}
	with := &mcp.Options{Stderr: o.Stderr}
	if state, err := runs.Dir(); err == nil {
		with.Logins = filepath.Join(state, "logins")
	}
	if o.Stderr != nil {
		with.Login = func(address string) {
			_, _ = fmt.Fprintf(o.Stderr, "server %s wants a login, for which there are five minutes; open\n  %s\n", name, text.Printable(address))
		}
	}
	return mcp.Open(ctx, spec, with)
}
