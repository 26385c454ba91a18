package main

import (
	"context"

	"github.com/swarmbus/swarmbus/bus/natsbus/machines"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/desk"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// folded returns what keeps the log in this process: nothing, unless a memory learns from it.
func folded(t *teams.Team, records *machines.Records) func(signals.Any) []byte {
	if t.Memory == nil {
		return nil
	}
	return records.Fold
}

// learning has the memory of a team learn what was stated in any process. It returns what says who
// the team's agents are, so that the memory knows their groups, before it is used.
func learning(by *desk.Openers, records *machines.Records) (groups func(swarm.Options)) {
	var known *machines.Memory
	by.Learns = func(m swarm.Memory) (swarm.Memory, func(context.Context) error, error) {
		var err error
		if known, err = machines.NewMemory(m, records); err != nil {
			return nil, nil, err
		}
		return known, known.Learn, nil
	}
	return func(o swarm.Options) {
		if known != nil {
			known.Team = o.Agents
		}
	}
}
