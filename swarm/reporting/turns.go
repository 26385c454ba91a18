package reporting

import (
	"context"
	"errors"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Listen files what agents report in their turns ([reports.Turn]) until stop is
// called: first the turns in the bus's history that were not filed, then each one when
// it is committed. The first signal of what is filed replies to the turn, so a turn
// whose report is in a log that the bus is fed with is not filed again, and notifies
// no one. Feed the bus with an earlier log before, not while the desk listens: a turn
// is filed as soon as the bus has it.
//
// Until stop is called, [swarm.Swarm.Resume] with an answer to what [Escalate] asked
// decides the escalation: it is answered by whoever answered, who counts as a person.
// An approval stays open for [Desk.Decide], unless the answer begins with "approve" or "refuse".
//
// A [reports.Ruling] that an agent says in its turn decides an escalation, too, in the
// agent's name, unless it requires a person or the ruling does not fit: then it stays
// open.
//
// Research says whose findings are research; nil: everyone's.
//
// The error is of the bus; a turn in the history that cannot be filed is an error, too.
func (d *Desk) Listen(research func(worker string) bool) (stop func(), err error) {
	take := func(ctx context.Context, s signals.Any) error { return d.take(ctx, s, research) }
	turns, err1 := on[reports.Turn](d.bus, reports.ToDesk, take)
	rulings, err2 := on[reports.Ruling](d.bus, reports.ToDesk, take)
	answers, err3 := on[runlog.Answered](d.bus, bus.System, take)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, err // of a closed bus, which has no handlers
	}
	stop = func() {
		turns.Close()
		rulings.Close()
		answers.Close()
	}
	for s := range d.bus.History(bus.Filter{Kinds: []signals.Kind{reports.Turn{}.Kind(), reports.Ruling{}.Kind(), runlog.KindAnswered}}) {
		if s.Kind() == runlog.KindAnswered || s.Head().Recipients.Include(reports.ToDesk) {
			err = errors.Join(err, take(context.Background(), s))
		}
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// on adds a handler.
func on[P signals.Payload](b *bus.Bus, agent string, take func(context.Context, signals.Any) error) (*bus.Handler, error) {
	return bus.Handle(b, bus.HandleOptions{Agent: agent}, func(ctx context.Context, s signals.Signal[P]) error { return take(ctx, &s) })
}

// take files a report, or makes a decision.
func (d *Desk) take(ctx context.Context, s signals.Any, research func(worker string) bool) error {
	switch s := reports.Typed(s).(type) {
	case *signals.Signal[reports.Turn]:
		return d.fileTurn(ctx, s, research)
	case *signals.Signal[reports.Ruling]:
		r := s.Payload
		return d.decideOnce(ctx, reports.Decision{Request: r.Request, By: s.Source, Verdict: r.Verdict, Option: r.Option, Text: r.Text})
	case *signals.Signal[runlog.Answered]:
		return d.answered(ctx, s)
	}
	return nil
}

// fileTurn files the report of a turn, unless the log has a reply to it.
func (d *Desk) fileTurn(ctx context.Context, s *signals.Signal[reports.Turn], research func(worker string) bool) error {
	for range d.bus.History(bus.Filter{Kinds: []signals.Kind{reports.Received{}.Kind(), reports.Rejected{}.Kind()}, ReplyTo: s.ID, After: s.Seq}) {
		return nil
	}
	w, err := d.Worker(reports.Worker{ID: s.Source, Task: s.Thread, Research: research == nil || research(s.Source)})
	if err != nil {
		return err
	}
	_, err = w.report(ctx, []byte(s.Payload.Report), s.ID)
	if refused := (*reports.RefusedError)(nil); errors.As(err, &refused) {
		return nil // the log says so
	}
	return err
}

// answered decides the escalation that a solve asked about.
func (d *Desk) answered(ctx context.Context, a *signals.Signal[runlog.Answered]) error {
	asked, known := d.bus.Get(a.ReplyTo)
	if !known {
		return nil
	}
	r, known := d.Request(asked.Head().ReplyTo)
	if !known {
		return nil
	}
	said, known := d.bus.Get(a.Payload.AnswerID)
	if !known {
		return nil
	}
	v := reports.VerdictOf(r.Escalation.Kind, said)
	if v == "" {
		return nil
	}
	return d.decideOnce(ctx, reports.Decision{
		Request: r.ID, By: a.Payload.By, Human: true, Verdict: v, Text: "see " + a.Payload.AnswerID.String(),
	})
}

// decideOnce makes a decision that is in the log. If it may not be made, the escalation
// stays as it is.
func (d *Desk) decideOnce(ctx context.Context, a reports.Decision) error {
	err := d.Decide(ctx, a)
	for _, refusal := range []error{reports.ErrNoRequest, reports.ErrDecided, reports.ErrExpired, reports.ErrHuman, signals.ErrInvalid} {
		if errors.Is(err, refusal) {
			return nil
		}
	}
	return err
}
