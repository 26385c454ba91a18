package reporting

import (
	"context"
	"errors"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
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
// An approval stays open for [Desk.Decide], because it has to be approved or refused.
//
// Research says whose findings are research; nil:
// everyone's.
//
// The error is of the bus; a turn in the history that cannot be filed is an error, too.
func (d *Desk) Listen(research func(worker string) bool) (stop func(), err error) {
	file := func(ctx context.Context, s *signals.Signal[reports.Turn]) error {
		for range d.bus.History(bus.Filter{Kinds: []signals.Kind{reports.Received{}.Kind(), reports.Rejected{}.Kind()}, ReplyTo: s.ID, After: s.Seq}) {
			return nil
		}
		w, err := d.Worker(reports.Worker{
			ID: s.Source, Task: s.Thread, Research: research == nil || research(s.Source),
		})
		if err != nil {
			return err
		}
		_, err = w.report(ctx, []byte(s.Payload.Report), s.ID)
		if refused := (*reports.RefusedError)(nil); errors.As(err, &refused) {
			return nil // the log says so
		}
		return err
	}
	h, err := bus.Handle(d.bus, bus.HandleOptions{Agent: reports.ToDesk}, func(ctx context.Context, s signals.Signal[reports.Turn]) error {
		return file(ctx, &s)
	})
	if err != nil {
		return nil, err
	}
	answers, err := bus.Handle(d.bus, bus.HandleOptions{Agent: bus.System}, func(ctx context.Context, s signals.Signal[swarm.Answered]) error {
		return d.answered(ctx, &s)
	})
	if err != nil {
		h.Close()
		return nil, err
	}
	stop = func() { h.Close(); answers.Close() }
	for s := range d.bus.History(bus.Filter{Kinds: []signals.Kind{reports.Turn{}.Kind(), swarm.KindAnswered}}) {
		if a, ok := signals.As[swarm.Answered](s); ok {
			err = errors.Join(err, d.answered(context.Background(), a))
		}
		if turn, ok := signals.As[reports.Turn](reports.Typed(s)); ok && turn.Recipients.Include(reports.ToDesk) {
			err = errors.Join(err, file(context.Background(), turn))
		}
	}
	if err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// answered decides the escalation that a solve asked about.
func (d *Desk) answered(ctx context.Context, a *signals.Signal[swarm.Answered]) error {
	asked, known := d.bus.Get(a.ReplyTo)
	if !known {
		return nil
	}
	r, known := d.Request(signals.HeadOf(asked).ReplyTo)
	if !known || r.Decision != nil || r.Escalation.Kind == reports.Approval {
		return nil
	}
	err := d.Decide(ctx, reports.Decision{
		Request: r.ID, By: a.Payload.By, Human: true, Verdict: reports.Answered, Text: "see " + a.Payload.AnswerID.String(),
	})
	if decided := (*reports.DecidedError)(nil); errors.As(err, &decided) || errors.Is(err, reports.ErrExpired) {
		return nil
	}
	return err
}
