package desk

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/agents/asking"
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
	return d.folded(ctx, at)
}

// Say gives the agents of a solve what a person says, and returns its position: see [swarm.Swarm.Say].
// A solve that does not run has it when it goes on.
func (d *Desk) Say(ctx context.Context, thread string, m runlog.Message) (seq uint64, err error) {
	return d.tellTeam(ctx, thread, func(log []signals.Any) (signals.Any, error) {
		return append(d.names(false), d.names(true)...).Message(runlog.StageOf(log), thread, m)
	})
}

// Change lets an agent of the bench join a solve, or takes one out, and returns the position of the
// record: see [swarm.Swarm.Join]. A solve that does not run has the change when it goes on.
func (d *Desk) Change(ctx context.Context, thread string, m runlog.Member) (seq uint64, err error) {
	return d.tellTeam(ctx, thread, func(log []signals.Any) (signals.Any, error) {
		return d.names(false).Member(log, thread, d.names(true), m)
	})
}

// names returns the names of the agents with which a solve begins, or of those on the bench.
func (d *Desk) names(bench bool) (ids runlog.Insiders) {
	for _, a := range d.options.Agents {
		if a.Bench == bench {
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// tellTeam says in a solve what the team has to know, by the log of the solve.
func (d *Desk) tellTeam(ctx context.Context, thread string, what func(log []signals.Any) (signals.Any, error)) (seq uint64, err error) {
	d.saying.Lock()
	defer d.saying.Unlock()
	one, _ := d.log.Fold().Solve(thread)
	if err := d.fits(one.Log); err != nil {
		return 0, err
	}
	said, err := what(one.Log)
	if err != nil {
		return 0, err
	}
	if seq, err = d.place.Say(ctx, said); err != nil {
		return 0, err
	}
	return seq, d.folded(ctx, seq)
}

// Answer says a person's answer to a question about the call of a tool of a solve. It reports
// whether all its questions have answers, so that the solve can go on. A question is answered once:
// the error is then an [*runlog.AnsweredError] with the first answer, in whatever process it was said.
func (d *Desk) Answer(ctx context.Context, thread string, a asking.Answer) (all bool, err error) {
	d.saying.Lock()
	defer d.saying.Unlock()
	one, _ := d.log.Fold().Solve(thread)
	if err := d.fits(one.Log); err != nil {
		return false, err
	}
	say, err := one.Questions.Answer(a)
	if err != nil {
		return false, err
	}
	var at uint64
	for _, s := range say {
		if at, err = d.place.Say(ctx, s); err != nil {
			return false, err
		}
	}
	if err := d.folded(ctx, at); err != nil || a.Verdict == asking.Revoke {
		return false, err
	}
	one, _ = d.log.Fold().Solve(thread)
	if got, _ := one.Questions.Of(a.ID); got.Answer == nil || got.Answer.Seq != at || got.Answer.By == asking.ByExpiry {
		_, err = one.Questions.Answer(a) // of another process, a moment before, or it had expired
		return false, err
	}
	return len(one.Questions.Open()) == 0, nil
}

// folded waits until the log is folded up to a position.
func (d *Desk) folded(ctx context.Context, at uint64) error {
	return d.log.Until(ctx, func() bool {
		seq, err := d.log.Fold().Seq()
		return err != nil || seq >= at
	})
}
