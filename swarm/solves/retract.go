package solves

import (
	"context"
	"errors"
	"fmt"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/retract"
	"github.com/swarmbus/swarmbus/swarm/replay"
)

// A Revision says what the votes of a solve decide after something was taken back that it
// was decided with.
type Revision struct {
	Said     []*signals.Signal[retract.Retraction] // after the decision, in log order
	Decision consensus.Decision                    // by the votes that still count
	Changed  bool                                  // it is another one
}

// revised returns the revision of a thread; nil if nothing was taken back after its
// decision, or if nobody knows how it was decided.
func revised(t *replay.Thread) *Revision {
	var late []*signals.Signal[retract.Retraction]
	for _, s := range t.Withdrawn.Said {
		if made := t.Stage.Decided; made != nil && s.Seq > made.Seq {
			late = append(late, s)
		}
	}
	if len(late) == 0 {
		return nil
	}
	d, ok := t.Again()
	if !ok {
		return nil
	}
	return &Revision{late, d, d.Choice != t.Last.Choice || d.Outcome != t.Last.Outcome}
}

// Retract takes back a signal of a thread in the journal of a swarm that is not open, in
// the name of the operator; by says who that is. It returns the result with what the
// retraction changes ([Result].Revision). A solve that goes on goes on without the signal.
func Retract(ctx context.Context, j journal.Store, thread string, id signals.ID, by, reason string) (*Result, error) {
	if err := retractIn(ctx, j, thread, id, by, reason); err != nil {
		return nil, err
	}
	all, err := List(j)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Thread == thread {
			return r, nil
		}
	}
	return nil, fmt.Errorf("solves: there is no solve in thread %q", thread)
}

func retractIn(ctx context.Context, j journal.Store, thread string, id signals.ID, by, reason string) (err error) {
	l, err := read(j, thread)
	if err != nil {
		return err
	}
	said := signals.New(
		signals.Header{Thread: thread, Source: bus.System, ReplyTo: id, Confidence: 1, TTL: forever}, retract.Retraction{TargetSignalID: id, Reason: reason, By: by},
	)
	if err := retract.Check(l.said, said); err != nil {
		return err
	}
	b, err := l.bus(ctx)
	if err != nil {
		return err
	}
	defer b.Close()
	w, err := journal.Continue(ctx, b, j, l.codec)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, w.Close(ctx)) }()
	_, err = b.System().Publish(ctx, said)
	return err
}
