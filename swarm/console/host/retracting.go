package host

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Say implements [api.Solves].
func (s solving) Say(ctx context.Context, id string, m api.Message) (api.Solve, error) {
	d, thread, err := s.own(ctx, id)
	if err != nil {
		return api.Solve{}, err
	}
	if err := s.h.person(m.By); err != nil {
		return api.Solve{}, refused(err)
	}
	if _, err := d.Say(ctx, thread, runlog.Message(m)); err != nil {
		return api.Solve{}, refused(err)
	}
	return s.get(d, thread)
}

// Seat implements [api.Solves].
func (s solving) Seat(ctx context.Context, id string, m api.Seat) (api.Solve, error) {
	d, thread, err := s.own(ctx, id)
	if err != nil {
		return api.Solve{}, err
	}
	if _, err := d.Change(ctx, thread, runlog.Member(m)); err != nil {
		return api.Solve{}, refused(err)
	}
	return s.get(d, thread)
}

// Retract implements [api.Solves].
func (s solving) Retract(ctx context.Context, id string, r api.Retraction) (api.SolveDetail, error) {
	d, thread, err := s.own(ctx, id)
	if err != nil {
		return api.SolveDetail{}, err
	}
	if strings.TrimSpace(r.Reason) == "" {
		return api.SolveDetail{}, api.NewFieldError("reason", r.Reason, "blank", "a retraction has a reason")
	}
	if err := s.h.person(r.By); err != nil {
		return api.SolveDetail{}, refused(err)
	}
	if err := d.Retract(ctx, thread, r.Seq, r.By, r.Reason); err != nil {
		if field := (*signals.FieldError)(nil); errors.As(err, &field) && field.Field == "seq" {
			return api.SolveDetail{}, api.NewFieldError("seq", field.Value, field.Problem, fmt.Sprintf("the solve has no signal %d", r.Seq))
		}
		return api.SolveDetail{}, refused(err)
	}
	return s.Get(ctx, id, 0)
}
