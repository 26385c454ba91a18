package bus

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/signals"
)

// A Layer is the handle of a package that keeps state of its own on a bus, as a
// fold of the log. Certain kinds are reserved for it; it publishes them in the
// name of the agents that it acts for, and its signals may depend on all that are in
// the log before them. Its methods may be called concurrently.
type Layer struct{ p *Publisher }

// Follow has fold called with each signal of the layer's kinds behind the position that it
// returns, in log order, unless it gets there by [Layer.Append] or [Layer.Record] of a layer
// of this bus: with what other processes append ([Options].Sequencer), or with what the bus is
// fed with. fold runs with the bus's lock held, before anything is decided behind the signal;
// it must be quick and must not call the bus. It returns whether to go on.
func (l *Layer) Follow(fold func(signals.Any) (more bool)) (from uint64) {
	return l.p.bus.follow(follower{l.p.permissions.CanEmit, fold})
}

// Append publishes the signals that decide returns, either all of them with
// consecutive sequence numbers or none, and then calls committed, which may be
// nil. decide gets the sequence number of the next signal and the time of the bus's clock;
// no other signal enters the log between that moment and these signals. committed gets them
// as they are in the log. Both functions run with the bus's lock held, must be quick and
// must not call the bus. A signal without a
// source gets the layer's name; its kind must be one of the layer's. For
// [Options].Rate, the signals of one source in a call count as one signal.
//
// With a [Sequencer], decide is called again if another bus was quicker. If it is not known
// whether the signals enter the log ([ErrUnknown]), and they do later, committed is called
// then, after Append has returned the error: what it folds is always what the log has. As long
// as it is not known, the next call sends them again before decide is called.
//
// Its errors are those of decide and of [Publisher.Publish]. It is not an error
// if decide returns no signals: committed is then called with none.
func (l *Layer) Append(ctx context.Context, decide func(seq uint64, now time.Time) ([]signals.Any, error), committed func([]signals.Any)) error {
	return l.write(ctx, false, decide, committed)
}

// Record is [Layer.Append] for signals that only record what became of signals
// in the log, and are not refused with [ErrBacklog] or a [*LimitError].
func (l *Layer) Record(ctx context.Context, decide func(seq uint64, now time.Time) ([]signals.Any, error), committed func([]signals.Any)) error {
	return l.write(ctx, true, decide, committed)
}

func (l *Layer) write(ctx context.Context, records bool, decide func(seq uint64, now time.Time) ([]signals.Any, error), committed func([]signals.Any)) error {
	if committed == nil {
		committed = func([]signals.Any) {}
	}
	return l.p.commit(ctx, func(seq uint64, now int64) ([]draft, error) {
		all, err := decide(seq, time.Unix(0, now).UTC())
		if err != nil {
			return nil, err
		}
		ds, err := l.p.drafts(all)
		for i := range ds {
			ds[i].record = records
		}
		return ds, err
	}, committed)
}
