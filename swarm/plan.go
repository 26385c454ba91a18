package swarm

import (
	"context"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// newest is how many of the known outcomes say what a mode is chosen by: agents change.
const newest = 500

// plan records how the solve works, unless an earlier process has done so or the swarm
// deliberates. It is chosen by what is known at this point of the log.
func (r *solve) plan(ctx context.Context) {
	if r.opts.Mode <= mode.Deliberate || r.thread.Calls.Planned != nil || r.thread.Turns.Began != nil || r.over() {
		return
	}
	text, err := runlog.TextOf(mode.Choose(r.opts.Mode, r.opts.about(ctx, r.result)))
	if err != nil {
		r.stop(runlog.StopError, "the plan cannot be recorded", err)
		return
	}
	r.announce(ctx, signals.New(signals.Header{Confidence: 1, Recipients: signals.To(bus.System)}, runlog.Planned{Plan: text}))
	r.countPlanned()
}

// countPlanned makes votes count by the terms of the plan, if there is one.
func (r *solve) countPlanned() {
	if r.thread.Calls.Plan() == nil || r.over() {
		return
	}
	by, known := r.opts.decideBy()
	if err := r.count.By(by, r.opts.planned(known)); err != nil {
		r.stop(runlog.StopError, "the votes cannot be counted", err)
	}
}

// about returns what the mode of a solve is chosen by.
func (o *Options) about(ctx context.Context, of *solves.Result) mode.Case {
	c := mode.Case{Calls: o.Limits.Calls, Share: o.Threshold, Seed: of.Seed, Thread: of.Thread}
	if o.Traits != nil {
		c.Traits = o.Traits(ctx, of.Task)
	}
	for _, a := range o.Agents {
		if !proposes(a) {
			c.Silent = append(c.Silent, a.ID)
			continue
		}
		c.Members = append(c.Members, mode.Member{ID: a.ID, Family: a.Group})
	}
	if o.Ledger != nil {
		for _, d := range o.Ledger.Resolved(newest) {
			c.Known = append(c.Known, mode.Outcome(d))
		}
	}
	return c
}

// planned returns the terms of a plan, which chooses among the answers that there are:
// where the program states neither, there is no threshold and no quorum.
func (o *Options) planned(terms *consensus.Options) *consensus.Options {
	if o.Threshold == 0 {
		terms.Threshold = consensus.Plurality
	}
	if o.Quorum == 0 {
		terms.Quorum = 1
	}
	terms.Electorate = nil
	for _, a := range o.Agents {
		if proposes(a) {
			terms.Electorate = append(terms.Electorate, a.ID)
		}
	}
	return terms
}
