package swarm

import (
	"cmp"
	"slices"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Results returns the results of the solves in a journal, in the order in which
// they began, without those that [Retain] dropped. A result is the one that
// [Watch] would show last, with its Proposals. Its Stop is unset if the solve is running or was
// interrupted, and [StopEscalated] if it waits for an answer, with which
// [Swarm.Resume] can continue from the result's Log.
func Results(j journal.Reader) ([]*Result, error) {
	replay, after, err := replayOf(j)
	if err != nil {
		return nil, err
	}
	defer replay.Close()
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	for said, err := range journal.Signals(j, codec, after) {
		if err == nil {
			err = replay.Next(said)
		}
		if err != nil {
			return nil, err
		}
	}
	var all []*Result
	for _, name := range replay.names {
		t := replay.threads[name]
		if len(t.Log) == 0 || after > 0 && t.Log[0].Kind() != signals.KindTask {
			continue // it was dropped, or its beginning was
		}
		all = append(all, t.result())
	}
	return all, nil
}

// result returns the result of the thread, as far as its log has it.
func (t *replayed) result() *Result {
	r := &Result{Thread: t.Name, Task: t.Task(), Decision: t.last}
	r.read(t.Thread)
	r.Log = slices.Clip(r.Log)
	for _, f := range t.Turns.Failed {
		r.Failed = append(r.Failed, TurnFailed{f.Agent, f.Round, f.Err()})
	}
	if !t.Stage.Stopped() {
		return r
	}
	d := t.Stage.Decided.Payload
	r.Detail, r.Observed, r.Stop = d.Detail, d.Observed, cmp.Or(d.Stop, runlog.StopFor(t.last.Outcome))
	switch {
	case r.Stop == StopConsensus:
		r.Answer = t.Stage.Announced.Payload.Decision
	case r.Stop == StopEscalated && t.Stage.Asked != nil:
		r.Question = questionOf(t.Thread)
	}
	return r
}

// questionOf returns the question of a thread that escalated.
func questionOf(t *runlog.Thread) *Question {
	asked := t.Stage.Asked
	q := &Question{Asks: asked.Source, Reason: asked.Payload.Reason, Context: asked.Payload.Context}
	for _, p := range t.Votes.Show("") {
		q.Options = append(q.Options, p.ID())
	}
	return q
}

// Results is [Results] of the swarm's journal; empty without a journal.
func (s *Swarm) Results() ([]*Result, error) {
	if s.writer == nil {
		return nil, nil
	}
	return Results(s.opts.Journal)
}
