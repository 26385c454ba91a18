package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/cmd/swarmbus/internal/cli"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console"
	"github.com/swarmbus/swarmbus/swarm/console/join"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// joinAddr is where agents join a solve.
const joinAddr = "127.0.0.1:7334"

// deskOf returns the desk of the agents of teams that join; nil: none does. An agent of two
// teams is one member. Refused answers are printed.
func deskOf(all []*teams.Team, progress io.Writer) (*join.Desk, error) {
	tokens := map[string]string{}
	for _, team := range all {
		for agent, variable := range team.Joins() {
			token := strings.TrimSpace(os.Getenv(string(variable)))
			if token == "" {
				return nil, fmt.Errorf("%s joins, and its token is missing: set %s", agent, variable)
			}
			if other, taken := tokens[agent]; taken && other != token {
				return nil, fmt.Errorf("%s is in two teams, with two tokens", agent)
			}
			tokens[agent] = token
		}
	}
	if len(tokens) == 0 {
		return nil, nil
	}
	return join.New(join.Options{Tokens: tokens, Refused: func(agent string, why error) {
		fmt.Fprintf(progress, "join: an answer of %s is refused: %s\n", text.Printable(agent), text.Printable(why.Error()))
	}})
}

// joined returns what lets the agents of a team that join take their turns at the address of --join.
func (f *solveFlags) joined(notes io.Writer) func(context.Context, *teams.Team) (func() agents.Reactor, func() error, error) {
	return func(ctx context.Context, t *teams.Team) (func() agents.Reactor, func() error, error) {
		joins, err := deskOf([]*teams.Team{t}, notes)
		if err != nil || joins == nil {
			return nil, nil, err
		}
		if f.record != "" || f.cassette != "" {
			return nil, nil, cli.Usage(errors.New("a cassette cannot have the answers of agents that join"))
		}
		var of net.ListenConfig
		listener, err := of.Listen(ctx, "tcp", f.join)
		if err != nil {
			return nil, nil, err
		}
		if !listener.Addr().(*net.TCPAddr).IP.IsLoopback() {
			return nil, nil, errors.Join(cli.Usage(fmt.Errorf("--join %s is not a loopback address; swarmbus serve can use TLS", f.join)), listener.Close())
		}
		server := console.Server(joins.Handler())
		served := make(chan struct{})
		go func() { defer close(served); _ = server.Serve(listener) }() // it ends with the solve
		fmt.Fprintf(notes, "agents join at http://%s\n", listener.Addr())
		return joins.Reactor, func() error {
			joins.Close()
			bye, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
			defer cancel()
			if server.Shutdown(bye) != nil {
				_ = server.Close() // a member does not let go
			}
			<-served
			return nil
		}, nil
	}
}
