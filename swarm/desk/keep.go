package desk

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// pace is the time between two looks for solves that no process drives, and patience how long
// [Desk.Free] waits for the lease of a process that was killed, which ends by itself after 10 s.
const (
	pace     = 2 * time.Second
	patience = 15 * time.Second
)

// goOn continues the solves that were cut off.
func (d *Desk) goOn(ctx context.Context) {
	if d.shared != nil {
		if _, err := d.shared.Driver(ctx, signals.Task{}); !errors.Is(err, ErrWatched) {
			d.wg.Go(func() { d.keep(ctx) })
		}
		return
	}
	for _, one := range d.log.Fold().Solves() {
		d.watch(one.Thread)
	}
	for _, one := range d.cutOff() {
		if err := d.Resume(one.Thread, nil); err != nil {
			if !errors.Is(err, ErrStopping) {
				d.log.fail(fmt.Errorf("%s cannot be continued: %w", one.Thread, err))
			}
			return
		}
	}
}

// cutOff returns the solves that goOn continues, and that do not run here: those that ended with
// their process, and those whose questions were answered meanwhile.
func (d *Desk) cutOff() (all []Standing) {
	for _, one := range d.log.Fold().Solves() {
		cut := one.Stop == 0
		cut = cut || one.Stop == runlog.StopCancelled && strings.HasPrefix(one.Detail, ErrStopping.Error())
		cut = cut || one.Stop == runlog.StopAsked && (len(one.Questions.Open()) == 0 || len(one.Questions.Expire(d.now())) > 0)
		if cut && !d.runs(one.Thread) && d.fits(one.Log) == nil {
			all = append(all, one)
		}
	}
	return all
}

// now returns the time by which questions expire: that of the swarm's clock.
func (d *Desk) now() time.Time {
	if d.options.Clock != nil {
		return d.options.Clock()
	}
	return time.Now()
}

// expire continues a solve of this process when a question of it expires, until ctx ends. It does
// so again when the solve has stopped again.
func (d *Desk) expire(ctx context.Context, thread string) {
	one, _ := d.log.Fold().Solve(thread)
	at := one.Questions.Next()
	if at.IsZero() || one.Stop != runlog.StopAsked || d.options.Clock != nil {
		return // a clock that is given moves with the solves, which look at it when they go on
	}
	wait := time.NewTimer(max(at.Sub(d.now()), pace)) // one that cannot be continued is not tried at once
	defer wait.Stop()
	select {
	case <-ctx.Done():
	case <-wait.C:
		err := d.Resume(thread, nil)
		if err != nil && !errors.Is(err, ErrStopping) && !errors.Is(err, ErrRuns) {
			d.log.fail(fmt.Errorf("%s cannot be continued: %w", thread, err))
		}
	}
}

// keep goes on with solves of a shared place that no process drives, until ctx ends. A solve is
// looked at twice, as this process may not have read its end yet, and once for each of its signals:
// what cannot be continued is not tried again.
func (d *Desk) keep(ctx context.Context) {
	type look struct {
		seq   uint64
		times int
	}
	looks := map[string]look{}
	for {
		for _, one := range d.cutOff() {
			if who, err := d.driver(ctx, one.Thread); who != "" || err != nil {
				delete(looks, one.Thread)
				continue
			}
			l := looks[one.Thread]
			if l.seq != one.seq() {
				l = look{seq: one.seq()}
			}
			l.times++
			if looks[one.Thread] = l; l.times == 2 {
				d.wg.Go(func() {
					err := d.Resume(one.Thread, nil)
					if err != nil && !errors.Is(err, ErrStopping) && !errors.Is(err, ErrRuns) {
						d.log.fail(fmt.Errorf("%s cannot be continued: %w", one.Thread, err))
					}
				})
			}
		}
		select {
		case <-time.After(pace):
		case <-ctx.Done():
			return
		}
	}
}

// fits returns an [*UnfitError] for a solve that is not one of the team by its terms now.
func (d *Desk) fits(log []signals.Any) error {
	if d.shared == nil {
		return nil
	}
	if err := d.shared.Fits(log); err != nil {
		return &UnfitError{err}
	}
	return nil
}

// driver returns the process that drives a solve of a shared place; "": none is known.
func (d *Desk) driver(ctx context.Context, thread string) (string, error) {
	if d.shared == nil {
		return "", nil
	}
	one, ok := d.log.Fold().Solve(thread)
	if !ok {
		return "", nil
	}
	task, err := runlog.Opening(one.Log)
	if err != nil {
		return "", err
	}
	who, err := d.shared.Driver(ctx, task.Payload)
	if errors.Is(err, ErrWatched) {
		err = nil // nobody is known
	}
	return who, err
}

// Free waits until no other process drives a solve, as the lease of one that was killed ends by
// itself, or this one does. The error is a [*DrivenError] if that takes too long.
func (d *Desk) Free(ctx context.Context, thread string) error {
	for until := time.Now().Add(patience); ; {
		who, err := d.driver(ctx, thread)
		switch {
		case who == "" || err != nil || d.Drives(thread):
			return err
		case time.Now().After(until):
			return &DrivenError{who}
		}
		select {
		case <-time.After(pace / 8):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Reached returns an [*OutageError] while no server of the log answers, or the disk is full: what has
// to be written would wait until that has passed.
func (d *Desk) Reached(ctx context.Context) error {
	h := d.Health(ctx)
	if problem := h.Outage(); problem != "" {
		return &OutageError{problem}
	}
	return nil
}
