package host

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// pace is the time between two looks for solves that no process drives, and patience how long a
// person's request waits for the lease of a process that was killed, which ends by itself after 10 s.
const (
	pace     = 2 * time.Second
	patience = 15 * time.Second
)

// keep goes on with solves of a log of many machines that no process drives, until ctx ends. A
// solve is looked at twice, as this server may not have read its end yet, and once for each of its
// signals: what cannot be continued is not tried again.
func (d *desk) keep(ctx context.Context) {
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
			if l.seq != one.Seq {
				l = look{seq: one.Seq}
			}
			l.times++
			if looks[one.Thread] = l; l.times == 2 {
				d.wg.Go(func() {
					err := d.resume(one.Thread, d.log.book().Log(one.Thread), nil)
					if err != nil && !errors.Is(err, errStopping) && !errors.Is(err, errRuns) {
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

// driver returns the process that drives a solve; "": none is known.
func (d *desk) driver(ctx context.Context, thread string) (string, error) {
	if d.elsewhere == nil || d.elsewhere.Driver == nil {
		return "", nil
	}
	task, err := runlog.Opening(d.log.book().Log(thread))
	if err != nil {
		return "", err
	}
	return d.elsewhere.Driver(ctx, task.Payload)
}

// free waits until no other process drives a solve, as the lease of one that was killed ends by
// itself, or this one does.
func (d *desk) free(ctx context.Context, thread string) error {
	for until := time.Now().Add(patience); ; {
		who, err := d.driver(ctx, thread)
		switch {
		case who == "" || err != nil || d.drive(thread):
			return err
		case time.Now().After(until):
			return api.NewError(http.StatusConflict, who+" drives the solve")
		}
		select {
		case <-time.After(pace / 8):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// drive reports whether this process drives a solve, and does not wait until it may.
func (d *desk) drive(thread string) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.running[thread] != nil && (d.elsewhere == nil || d.drives[thread])
}

// known returns the solve that a log of many machines has of a task: there the same words are asked once.
func (d *desk) known(task signals.Task) (api.Solve, bool) {
	if d.elsewhere == nil {
		return api.Solve{}, false
	}
	book := d.log.book()
	for _, one := range book.Solves() {
		if one.Task != task.Task {
			continue
		}
		if opening, err := runlog.Opening(book.Log(one.Thread)); err == nil && opening.Payload == task {
			return one, true
		}
	}
	return api.Solve{}, false
}
