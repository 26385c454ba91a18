package machines

import (
	"context"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/remote"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

const turns = "turn:" // and the id of an agent is the name of its calls

// A Server answers calls of a name: a [natsbus.Log], or a [natsbus.Link] for a process that
// reads no log.
type Server interface {
	Serve(ctx context.Context, name string, answer func(ctx context.Context, request []byte) []byte) error
}

// Serve takes the turns of the agent with that id until ctx or the log ends, and returns
// why. Of several processes that serve an agent, one takes each turn. Build is called once at
// the start, where it is an error if it does not return the agent with that id, and then for each
// turn, perhaps concurrently: a model of package cassette counts the calls of its turn from
// the first one, so that a turn that is taken again finds what was recorded. Kinds are those
// of the program.
func Serve(ctx context.Context, log Server, id string, build func() *agents.Agent, kinds ...signals.Registration) error {
	codec, err := runlog.NewCodec(kinds...)
	if err != nil {
		return err
	}
	switch a := build(); {
	case a == nil:
		return fmt.Errorf("machines: build returns no agent for %q", id)
	case a.ID != id:
		return fmt.Errorf("machines: build returns the agent %q for %q", a.ID, id)
	default:
		if err := a.Validate(); err != nil {
			return fmt.Errorf("machines: build returns the agent %q, which is not valid: %w", id, err)
		}
	}
	return log.Serve(ctx, turns+id, func(ctx context.Context, request []byte) []byte {
		return remote.Take(ctx, build(), codec, request)
	})
}

// Remote makes the turns of agents be taken by the processes that serve them.
func Remote(log *natsbus.Log, team []*agents.Agent, kinds ...signals.Registration) error {
	codec, err := runlog.NewCodec(kinds...)
	if err != nil {
		return err
	}
	for _, a := range team {
		a.Reactor = remote.Reactor(func(ctx context.Context, agent string, request []byte) ([]byte, error) {
			return log.Call(ctx, turns+agent, request)
		}, codec)
	}
	return nil
}

// Reserved returns the kinds that only processes that drive solves may say
// ([natsbus.Options].Reserved).
func Reserved() []signals.Kind {
	return append(runlog.Reserved(), signals.KindTask, signals.KindConflict, signals.KindConsensus, conflict.KindResolved)
}

// Codec returns the codec with which the processes of a swarm read their log
// ([natsbus.Options].Codec).
func Codec(kinds ...signals.Registration) (*signals.Codec, error) {
	return runlog.NewCodec(kinds...)
}
