package main

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/machines"
	"github.com/swarmbus/swarmbus/swarm/teams"
)

// folded returns what keeps the log in this process: nothing, unless a memory learns from it.
func (f *solveFlags) folded(records *machines.Records) func(signals.Any) []byte {
	if f.terms.Team.Memory == nil {
		return nil
	}
	return records.Fold
}

// learns gives the parts of a team its memory, which learns what was stated in any process. It
// is nil if the team has none. forget closes it; it must be called, also after an error.
func (f *solveFlags) learns(cmd *cobra.Command, parts *teams.Parts, records *machines.Records, results journal.Caller) (known *machines.Memory, forget func() error, err error) {
	f.calls = results
	if forget, err = f.remember(cmd, parts); err != nil || parts.Memory == nil {
		return nil, forget, err
	}
	if known, err = machines.NewMemory(parts.Memory, records); err != nil {
		return nil, forget, err
	}
	parts.Memory = known
	if recall, ok := parts.Tools[len(parts.Tools)-1].(tools.Tool); ok {
		call := recall.Call
		recall.Call = func(ctx context.Context, args json.RawMessage) (tools.Result, error) {
			if err := known.Learn(ctx); err != nil {
				return tools.Result{}, err
			}
			return call(ctx, args)
		}
		parts.Tools[len(parts.Tools)-1] = recall
	}
	return known, forget, nil
}

// groups tells a memory the groups of the agents.
func (f *solveFlags) groups(known *machines.Memory, parts teams.Parts) error {
	if known == nil {
		return nil
	}
	o, err := f.terms.Team.Build(parts)
	known.Team = o.Agents
	return err
}
