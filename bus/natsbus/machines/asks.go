package machines

import (
	"context"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Answer says on the log what a person has answered to a question about the call of a tool in a
// thread, as [solves.Logged].Questions has it by the records. The process has to be one that may
// speak for [bus.System]. Of several answers the first in the log counts. [Drive] and [Resume] go on
// with it, in whatever process.
func Answer(ctx context.Context, log *natsbus.Log, past *Records, thread string, a asking.Answer) error {
	asked, err := solves.Asked(past, thread)
	if err != nil {
		return err
	}
	say, err := asked.Answer(a)
	for _, s := range say {
		if err == nil {
			_, err = log.Bus().System().Publish(ctx, s)
		}
	}
	return err
}
