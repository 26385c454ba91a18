package swarm

import (
	"context"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/internal/seat"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// runRound runs a turn of every agent with something to hear, and checks whether
// there is a reason to stop.
func (r *solve) runRound(ctx context.Context) {
	if r.joined(ctx); r.over() {
		return
	}
	if r.fire(ctx); r.over() || r.alarmed(ctx) {
		return
	}
	gather, end := r.gather, r.exhausted
	if r.thread.Calls.Plan() != nil {
		gather, end = r.gatherStep, r.carriedOut
	}
	turns, begin := gather(ctx)
	late := slices.DeleteFunc(slices.Clone(turns), func(t *seat.Turn) bool { return t.State != seat.Late })
	switch {
	case r.cancelled(ctx):
		r.interrupted(ctx)
	case len(turns) == 0 && r.step.plan.Part == 0:
		end(ctx)
	case len(late) > 0 && (begin == 0 || r.timeIsUp(ctx)):
		r.await(ctx, late)
	case r.timeIsUp(ctx):
		r.outOfTime(ctx)
	case r.roundsLeft() == 0 && r.thread.Calls.Plan() == nil:
		r.outOfRounds(ctx)
	default:
		r.result.Rounds++
		ctx, over := hooks.Start(ctx, hooks.Op{Name: hooks.OpRound, Thread: r.result.Thread, Round: r.result.Rounds})
		defer over(nil, nil)
		r.round = lastRound{begun: begin, emittedBefore: r.emitted}
		r.begin(ctx, turns)
		r.commitAll(ctx, turns)
	}
}

// await waits for the first of the late turns, or for the deadline. All other agents
// have spoken, or no longer can.
func (r *solve) await(ctx context.Context, turns []*seat.Turn) {
	for !slices.ContainsFunc(turns, (*seat.Turn).Back) && ctx.Err() == nil {
		select {
		case <-r.wake.Back:
		case <-r.wake.Outside:
			r.drain(ctx)
		case <-ctx.Done():
		}
	}
	if r.cancelled(ctx) {
		return // handled by the next round
	}
	r.commitAll(ctx, turns)
}

// fire publishes the timers that are due. They count against the limit of signals.
func (r *solve) fire(ctx context.Context) {
	if _, running := r.seats.NextTimer(); !running {
		return
	}
	now := r.swarm.clock.Now()
	for _, s := range r.seats {
		for _, due := range s.Due(now) {
			if r.signalsLeft() == 0 {
				r.outOfSignals()
				return
			}
			r.fired++
			r.announce(ctx, signals.New(signals.Header{Confidence: 1, Time: now, Recipients: signals.To(s.Agent.ID)}, due))
		}
	}
}

// awaitTimer waits until the next timer is due, and reports whether there is one that is
// due within the solve's time. The run's clock has advanced by then: the time of waiting is
// the machine's.
func (r *solve) awaitTimer(ctx context.Context) bool {
	next, running := r.seats.NextTimer()
	if !running {
		return false
	}
	wait := next.Sub(r.swarm.clock.Now())
	if time.Until(r.span.Deadline) <= wait || r.roundsLeft() == 0 {
		return false
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-r.wake.Outside:
		r.drain(ctx)
		return true
	case <-ctx.Done():
		return true // handled by the next round
	}
	r.swarm.clock.Advance(next)
	return true
}

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

// confine limits a turn of a plan to what the agent is to see.
func (r *solve) confine(t *seat.Turn) {
	began := r.thread.Turns.Began
	if began == nil || began.Payload.Ask == 0 {
		return
	}
	t.Ask, t.Heard, t.Inbox, t.New, t.Said = began.Payload.Ask, nil, nil, nil, nil
	shown, proposals := r.thread.Shown(began, func(id string) bool { return r.seats.Of(id) != nil })
	t.Proposals = proposals
	for _, s := range shown {
		switch {
		case s.Head().Source == t.Agent:
			t.Said = append(t.Said, s)
		case t.Seat.Wants(s):
			t.New = append(t.New, s)
		}
	}
}

// startTurn runs the turn in a goroutine of its own.
func (r *solve) startTurn(ctx context.Context, t *seat.Turn) {
	r.result.Turns.Taken++
	ctx = asking.With(ctx, r.thread.Questions.Answers())
	t.Start(r.returned.Watching(r.spent.Counting(ctx, t.Agent)), r.span, &r.swarm.running, r.wake.Returned)
}
