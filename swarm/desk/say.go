package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Tell records which proposal of a solve turned out to be right, "" for none of them.
func (d *Desk) Tell(ctx context.Context, thread, right string) error {
	if err := d.Ready(ctx); err != nil {
		return err
	}
	return d.place.Tell(ctx, thread, right)
}

// Retract takes back the signal at a position of a solve, in the name of the operator; by says who
// asks for it. The error is a [*signals.FieldError] if that signal cannot be taken back. Of two
// that come at once, the second is refused.
func (d *Desk) Retract(ctx context.Context, thread string, seq uint64, by, reason string) error {
	d.saying.Lock()
	defer d.saying.Unlock()
	one, _ := d.log.Fold().Solve(thread)
	i := slices.IndexFunc(one.Log, func(said signals.Any) bool { return said.Head().Seq == seq })
	if i < 0 {
		return &signals.FieldError{Field: "seq", Value: fmt.Sprint(seq), Problem: "no signal of the solve"}
	}
	said, err := solves.TakeBack(one.Log, one.Log[i].Head().ID, cmp.Or(by, runlog.Person), reason)
	if err != nil {
		return err
	}
	at, err := d.place.Say(ctx, said)
	if err != nil {
		return err
	}
	return d.log.Until(ctx, func() bool {
		seq, err := d.log.Fold().Seq()
		return err != nil || seq >= at
	})
}

// AnswerCall records an answer to a question about the call of a tool. Of several the first in the
// log counts.
func (d *Desk) AnswerCall(ctx context.Context, q tools.Question, a tools.Answer) error {
	one, _ := d.log.Fold().Solve(q.Once.Thread)
	if err := d.Fits(one.Log); err != nil {
		return err
	}
	return d.place.Answer(ctx, q, a)
}
