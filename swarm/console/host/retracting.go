package host

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/view"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Retract implements [api.Solves].
func (s solving) Retract(ctx context.Context, id string, r api.Retraction) (api.SolveDetail, error) {
	d, thread, err := s.own(ctx, id)
	if err != nil {
		return api.SolveDetail{}, err
	}
	switch {
	case d.swarm == nil:
		return api.SolveDetail{}, refused(errWatched)
	case strings.TrimSpace(r.Reason) == "":
		return api.SolveDetail{}, api.NewFieldError("reason", r.Reason, "blank", "a retraction has a reason")
	}
	if err := s.h.person(r.By); err != nil {
		return api.SolveDetail{}, refused(err)
	}
	if err := d.retract(ctx, thread, r); err != nil {
		return api.SolveDetail{}, err
	}
	return s.Get(ctx, id, 0)
}

// retract publishes a retraction, and waits until the book has it. Of two that come at once, the
// second is refused.
func (d *desk) retract(ctx context.Context, thread string, r api.Retraction) error {
	d.deciding.Lock()
	defer d.deciding.Unlock()
	log := d.log.book().Log(thread)
	i := slices.IndexFunc(log, func(said signals.Any) bool { return said.Head().Seq == r.Seq })
	if i < 0 {
		return api.NewFieldError("seq", fmt.Sprint(r.Seq), "no signal of the solve", fmt.Sprintf("the solve has no signal %d", r.Seq))
	}
	said, err := solves.TakeBack(log, log[i].Head().ID, cmp.Or(r.By, runlog.Person), r.Reason)
	if err != nil {
		return refused(err)
	}
	receipt, err := d.swarm.Bus().System().Publish(ctx, said)
	if err != nil {
		return refused(err)
	}
	return d.log.until(ctx, func(b *view.Book) bool {
		seq, err := b.Seq()
		return err != nil || seq >= receipt.Seq
	})
}
