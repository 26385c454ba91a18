package solves

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Revision says what the votes of a solve decide after something was taken back that it
// was decided with.
type Revision struct {
	Said     []*signals.Signal[signals.Retraction] // after the decision, in log order
	Decision consensus.Decision                    // by the votes that still count
	Changed  bool                                  // it is another one
}

// RevisionOf returns the revision of a thread that is over; nil if nothing was taken back after
// its decision, or if nobody knows how it was decided.
func RevisionOf(t *replay.Thread) *Revision {
	var late []*signals.Signal[signals.Retraction]
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
// retraction changes ([Result].Revision). A solve that goes on goes on without the signal. The
// error is a [*signals.FieldError] if the signal is already taken back, or by is an agent of the
// journal.
func Retract(ctx context.Context, j journal.Store, thread string, id signals.ID, by, reason string) (*Result, error) {
	if err := retractIn(ctx, j, thread, id, by, reason); err != nil {
		return nil, err
	}
	return resultOf(j, thread)
}

// resultOf returns the result of a thread.
func resultOf(j journal.Reader, thread string) (*Result, error) {
	all, err := List(j)
	if err != nil {
		return nil, err
	}
	for _, r := range all {
		if r.Thread == thread {
			return r, nil
		}
	}
	return nil, fmt.Errorf("solves: no solve in thread %q", thread)
}

func retractIn(ctx context.Context, j journal.Store, thread string, id signals.ID, by, reason string) error {
	l, err := read(j, thread)
	if err != nil {
		return err
	}
	if !l.run.Outside(by) {
		return &signals.FieldError{Kind: signals.KindRetraction, Field: "by", Value: by, Problem: "an agent of the run, not who asks for it"}
	}
	said, err := TakeBack(l.said, id, by, reason)
	if err != nil {
		return err
	}
	return l.say(ctx, j, said)
}

// TakeBack returns the signal that takes back one of a thread's log in the name of the operator, for
// the system's publisher of the bus of a swarm that is open; by is who asks for it. The error is a
// [*signals.FieldError] if that signal cannot be taken back, or already is. A caller that
// publishes several holds a lock meanwhile.
func TakeBack(log []signals.Any, id signals.ID, by, reason string) (signals.Any, error) {
	said := signals.New(
		signals.Header{Source: bus.System, ReplyTo: id, Confidence: 1, TTL: runlog.Forever}, signals.Retraction{TargetSignalID: id, Reason: reason, By: by},
	)
	if len(log) > 0 {
		said.Thread = log[0].Head().Thread
	}
	if err := signals.CheckRetraction(log, said); err != nil {
		return nil, err
	}
	back := signals.RetractionsOf(log)
	if !back.Has(id) {
		return said, nil
	}
	for _, s := range slices.Backward(back.Said) {
		if s.Payload.TargetSignalID == id {
			who := cmp.Or(s.Payload.By, s.Source)
			return nil, &signals.FieldError{Kind: signals.KindRetraction, Field: "targetSignalId", Value: id.String(), Problem: fmt.Sprintf("already taken back by %s, in signal %d", who, s.Seq)}
		}
	}
	return said, nil
}
