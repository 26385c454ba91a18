package machines

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
)

// Answer says on the log what a person has answered to a question about the call of a tool, one
// of [cassette.Questions] of the records. The process has to be one that may speak for
// [bus.System]. Of several answers the first in the log counts. [Drive] and [Resume] go on with it,
// in whatever process.
func Answer(ctx context.Context, log *natsbus.Log, q tools.Question, a tools.Answer) error {
	return sayOfCall(ctx, log, q, tools.AnsweredCall{Place: q.PlaceOf(a), Answer: a})
}

// ask says on the log what a turn that ended with an error asks, as far as the log lacks it.
func ask(ctx context.Context, log *natsbus.Log, asks *cassette.Asks, err error) error {
	var asking *tools.AskError
	if !errors.As(err, &asking) {
		return nil
	}
	for _, q := range asking.Questions {
		if slices.ContainsFunc(asks.Questions(), func(known cassette.Question) bool { return known.Once == q.Once }) {
			continue
		}
		if err := sayOfCall(ctx, log, q, tools.AskedOf(q)); err != nil {
			return err
		}
	}
	return nil
}

// sayOfCall says something of a question in its thread, where no agent hears it.
func sayOfCall[P signals.Payload](ctx context.Context, log *natsbus.Log, q tools.Question, p P) error {
	h := signals.Header{Thread: q.Once.Thread, Confidence: 1, TTL: -time.Millisecond, Recipients: signals.To(bus.System)}
	_, err := log.Bus().System().Publish(ctx, signals.New(h, p))
	return err
}
