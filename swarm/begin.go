package swarm

import (
	"context"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// begin begins a round with the turns that are not awaited yet.
func (r *solve) begin(ctx context.Context, turns []*seat.Turn) {
	starting := awaited(turns)
	r.yield(solves.RoundStarted{Round: r.result.Rounds, Turns: idsOf(starting)})
	if r.nextStep(ctx, starting); r.over() {
		return
	}
	now, effort := r.swarm.clock.Now().UTC().Truncate(time.Millisecond), r.effort() // as the log has it
	r.sayBegan(ctx, starting, now, effort)
	if r.over() {
		return
	}
	for _, t := range starting {
		r.give(t, now, effort)
		r.startTurn(ctx, t)
	}
}

func awaited(turns []*seat.Turn) (all []*seat.Turn) {
	for _, t := range turns {
		if t.State == seat.Awaited {
			all = append(all, t)
		}
	}
	return all
}

func idsOf(turns []*seat.Turn) (all []string) {
	for _, t := range turns {
		all = append(all, t.Agent)
	}
	return all
}

// sayBegan records which turns begin, and waits until the journal has their input.
func (r *solve) sayBegan(ctx context.Context, starting []*seat.Turn, now time.Time, effort signals.Effort) {
	var all []runlog.BegunTurn
	for _, t := range starting {
		all = append(all, t.Seat.Begun())
	}
	turns, err := runlog.TextOf(all)
	var speakers runlog.Text
	if r.step.speakers != nil && err == nil {
		speakers, err = runlog.TextOf(r.step.speakers)
	}
	if err != nil {
		r.fail("the round cannot be recorded", err)
		return
	}
	r.announce(ctx, signals.New(
		signals.Header{Confidence: 1, Recipients: signals.To(bus.System), Time: now},
		runlog.Began{Turns: turns, Effort: effort, Seed: r.result.Seed, Debate: r.step.debate, Ask: r.step.plan.Part, Against: r.step.against, Speakers: speakers},
	))
	r.step = nextStep{}
	if r.swarm.keeper == nil || r.over() {
		return
	}
	if err := r.swarm.keeper.Sync(ctx, r.swarm.bus.Last()); err != nil && ctx.Err() == nil {
		r.fail("the journal did not accept all of it", err)
	}
}

// give sets the fields that the turns of a round have in common.
func (r *solve) give(t *seat.Turn, now time.Time, effort signals.Effort) {
	t.Thread, t.Round, t.Task = r.result.Thread, r.result.Rounds, r.result.Task
	t.Proposals, t.Effort = r.thread.Votes.Show(t.Agent), effort
	t.Inbox = r.thread.Coordination.For(t.Agent)
	for _, mail := range t.Inbox {
		t.Seat.Mailed = max(t.Seat.Mailed, mail.Seq)
	}
	t.Seed, t.Time, t.Most = r.result.Seed, now, r.opts.Limits.TurnSignals
	if r.opts.Clock != nil { // which only commits advance
		t.Clock = func() time.Time { return now }
	}
	t.Debate = r.table().Asked(t.Turn)
	t.Against = r.thread.Turns.Began.Payload.Against
	r.confine(t)
}

// startTurn runs the turn in a goroutine of its own.
func (r *solve) startTurn(ctx context.Context, t *seat.Turn) {
	r.result.Turns.Taken++
	t.Start(r.spent.Counting(ctx, t.Agent), r.span, r.opts.Limits.Retries, &r.swarm.running, r.wake.Returned)
}
