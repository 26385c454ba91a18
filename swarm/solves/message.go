package solves

import (
	"context"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Say leaves a message of a person in the journal of a swarm that is not open: the agents of that
// thread hear it when the solve goes on. They are those whose turns are on record.
func Say(ctx context.Context, j journal.Store, thread string, m runlog.Message) error {
	l, err := read(j, thread)
	if err != nil {
		return err
	}
	said, err := l.team.Message(runlog.StageOf(l.said), thread, m)
	if err != nil {
		return err
	}
	return l.say(ctx, j, said)
}
