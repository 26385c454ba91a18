package swarm

import (
	"slices"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// Past returns the results of the solves in a journal, in the order in which
// they began, without those that [Retain] dropped. A result is the one that
// [Watch] would show last, with its Proposals. Its Stop is unset if the solve is running or was
// interrupted, and [StopEscalated] if it waits for an answer, with which
// [Swarm.Resume] can continue from the result's Log.
func Past(j journal.Reader) ([]*Result, error) {
	replay, after, err := replayOf(j)
	if err != nil {
		return nil, err
	}
	defer replay.Close()
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	var all []*Result
	threads := map[string]*sight{}
	in := func(thread string) *sight {
		t := threads[thread]
		if t == nil {
			t = &sight{result: Result{Thread: thread}}
			threads[thread], all = t, append(all, &t.result)
		}
		return t
	}
	replay.Decided = func(thread, _ string, d consensus.Decision) { in(thread).result.Decision = d }
	for said, err := range journal.Signals(j, codec, after) {
		if err == nil {
			err = replay.Next(said)
		}
		if err != nil {
			return nil, err
		}
		t := in(signals.HeadOf(said).Thread)
		t.spoke(said)
		t.events = nil
	}
	for _, r := range all {
		again, err := refold(consensus.Default(), new(consensus.Options), nil, r.Log)
		if err != nil {
			return nil, err
		}
		r.Proposals = again.proposals.show("")
	}
	return slices.DeleteFunc(all, func(r *Result) bool {
		return after > 0 && r.Log[0].Kind() != signals.KindTask // the rest of a dropped solve
	}), nil
}

// Past is [Past] of the swarm's journal; empty without a journal.
func (s *Swarm) Past() ([]*Result, error) {
	if s.writer == nil {
		return nil, nil
	}
	return Past(s.opts.Journal)
}
