package swarm

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// sayBegan records which turns begin, and waits until the journal has their input.
func (r *solve) sayBegan(ctx context.Context, starting []*turn, now time.Time, effort signals.Effort) {
	var all []runlog.BegunTurn
	for _, t := range starting {
		all = append(all, t.begun())
	}
	turns, err := runlog.TextOf(all)
	if err != nil {
		r.stop(StopError, "the round cannot be recorded", err)
		return
	}
	r.announce(ctx, signals.New(
		signals.Header{Confidence: 1, Recipients: signals.To(bus.System), Time: now},
		runlog.Began{Turns: turns, Effort: effort, Seed: r.result.Seed, Debate: r.step},
	))
	r.step = settle.Debate{}
	if r.swarm.writer == nil || r.result.Stop != 0 {
		return
	}
	if err := r.swarm.writer.Sync(ctx, r.swarm.bus.Last()); err != nil && ctx.Err() == nil {
		r.stop(StopError, "the journal did not accept all of it", err)
	}
}

func (t *turn) begun() runlog.BegunTurn {
	b := runlog.BegunTurn{Agent: t.Agent}
	for _, waiting := range t.seat.before {
		b.Waiting = append(b.Waiting, waiting.Head().Seq)
	}
	for _, given := range slices.Concat(remembered(t.Turn), t.seat.before) {
		b.Through = max(b.Through, given.Head().Seq)
	}
	return b
}

// give sets the fields that the turns of a round have in common.
func (r *solve) give(t *turn, now time.Time, effort signals.Effort) {
	t.Thread, t.Round, t.Task = r.result.Thread, r.result.Rounds, r.result.Task
	t.Proposals, t.Effort = r.thread.Votes.Show(t.Agent), effort
	t.Inbox = r.thread.Coordination.For(t.Agent)
	for _, mail := range t.Inbox {
		t.seat.mailed = max(t.seat.mailed, mail.Seq)
	}
	t.Seed, t.Time, t.Most = r.result.Seed, now, r.opts.TurnSignals
	if r.opts.Clock != nil { // which only commits advance
		t.Clock = func() time.Time { return now }
	}
	t.Debate = r.asked(t.Turn)
}

// A past says how far the turns of the last round have come in a log.
type past struct {
	spoke *seat // the agent that spoke last: its turn may have more signals
	seat  int   // the last seat with signals in the round; the turns of earlier seats are over
	said  int   // number of agents' signals before the round

	stopped bool // the solve stopped and continues: turns that failed in the round may not fail again
}

// recall takes a signal of an earlier log, after the state of the agents: their inboxes,
// and the beginnings and ends of their turns.
func (r *solve) recall(ctx context.Context, s signals.Any, p *past) {
	before := r.thread.Mark()
	r.apply(ctx, s)
	h, t := s.Head(), r.thread
	r.result.Rounds = t.Turns.Rounds
	for i, seat := range r.seats {
		switch {
		case h.Source == seat.agent.ID:
			seat.spokeBefore(s)
			p.spoke, p.seat = seat, max(p.seat, i)
		case seat.wants(s) && !seat.stopped:
			seat.before = append(seat.before, s)
		}
	}
	for _, late := range t.Turns.Late[before.Late:] {
		r.lateBefore(late, p)
	}
	for _, failed := range t.Turns.Failed[before.Failed:] {
		r.failedBefore(failed, p)
	}
	now := t.Mark()
	if now.Decided != nil && now.Decided != before.Decided {
		p.stopped = true
		if now.Decided.Payload.Stop.GoesOn() {
			r.retry()
		}
	}
	if now.Began != before.Began {
		r.beganBefore(now.Began)
		*p = past{seat: -1, said: r.said}
	}
	if now.Answered != before.Answered {
		r.dropTurns()
		r.tellAll(now.Answered.Payload.AnswerID)
	}
}

func (r *solve) lateBefore(late runlog.Late, p *past) {
	i := slices.IndexFunc(r.seats, func(s *seat) bool { return s.agent.ID == late.Agent })
	if i < 0 {
		return
	}
	p.seat = max(p.seat, i)
	if t := r.seats[i].turn; t != nil && t.Round == late.Round {
		t.state = stateLate
	}
}

func (r *solve) failedBefore(failed runlog.Failed, p *past) {
	i := slices.IndexFunc(r.seats, func(s *seat) bool { return s.agent.ID == failed.Agent })
	if i < 0 {
		return
	}
	seat := r.seats[i]
	p.spoke, p.seat = seat, max(p.seat, i)
	if t := seat.turn; t != nil && t.Round == failed.Round {
		t.failed = true
		seat.fail(t, failed.Err())
	}
}

// spokeBefore takes a signal of the agent in an earlier log.
func (s *seat) spokeBefore(said signals.Any) {
	if s.turn != nil && s.turn.Round == int(said.Head().Round) {
		s.turn.logged = append(s.turn.logged, said)
	}
}

// beganBefore restores the turns that a round of an earlier log began. All earlier
// turns are over, except late ones.
func (r *solve) beganBefore(b *signals.Signal[runlog.Began]) {
	for _, s := range r.seats {
		if s.turn != nil && s.turn.state != stateLate {
			s.over()
		}
	}
	turns, err := b.Payload.All()
	if err != nil {
		r.stop(StopError, "the log cannot be read", err)
		return
	}
	r.result.Seed = b.Payload.Seed
	for _, begun := range turns {
		s := r.byID[begun.Agent]
		if s == nil {
			continue
		}
		if s.turn != nil {
			s.over()
		}
		s.begin(s.hearAgain(begun))
		r.give(s.turn, b.Time, b.Payload.Effort)
	}
}

// over marks the agent's turn as over.
func (s *seat) over() { s.turn = nil }

// again makes what the agent heard in its last turns new to it once more.
func (s *seat) again(turns ...*turn) {
	s.heard = turns[0].Heard
	for _, t := range slices.Backward(turns) {
		s.before, s.routed = slices.Concat(t.New, s.before), slices.Concat(t.Routed, s.routed)
	}
	inOrder(s.before)
}

// hearAgain is hear for a turn of an earlier log.
func (s *seat) hearAgain(begun runlog.BegunTurn) *agents.Turn {
	t := &agents.Turn{Agent: s.agent.ID, Heard: s.heard, Said: s.said}
	var later []signals.Any
	waited := map[uint64]int{}
	for _, heard := range s.before {
		switch seq := heard.Head().Seq; {
		case slices.Contains(begun.Waiting, seq):
			later, waited[seq] = append(later, heard), s.waited[seq]+1
		case seq > begun.Through:
			later = append(later, heard)
		case !s.takeBack(heard):
			t.New = append(t.New, heard)
		}
	}
	s.before, s.waited = later, waited
	var routedLater []agents.Routed
	for _, routed := range s.routed {
		if routed.Signal.Head().Seq <= begun.Through {
			t.Routed = append(t.Routed, routed)
		} else {
			routedLater = append(routedLater, routed)
		}
	}
	s.routed = routedLater
	if s.machine != nil {
		t.State = s.machine.State()
	}
	s.remember(remembered(t)...)
	return t
}

// closeTurns ends the turns that are complete in the log: those of the last round
// before the last one with signals, since turns are committed in order.
func (r *solve) closeTurns(p past) {
	next := r.stepped() // the next round was about to begin
	for i, s := range r.seats {
		switch t := s.turn; {
		case t == nil:
		case t.state == stateStopped,
			s != p.spoke && t.state == stateLate && t.back(),
			t.state == stateAwaited && (next || i < p.seat) && (!t.failed || !p.stopped):
			s.over()
		}
	}
	r.round.saidBefore, r.round.stopped = p.said, p.stopped
}

// back reports whether the log says that the turn has ended.
func (t *turn) back() bool { return t.failed || len(t.logged) > 0 }

// retry lets the agents that failed hear again what they failed on, and what they heard
// since, because the solve stopped and goes on. A turn that failed in the last round is
// taken again as it was.
func (r *solve) retry() {
	for _, s := range r.seats {
		if len(s.missed) > 0 && s.missed[0] != s.turn {
			s.again(s.missed...)
			s.turn = nil
		}
		s.missed = nil
	}
}

// dropTurns ends all turns, because the solve stopped. The signals that a late agent
// heard are new to it again.
func (r *solve) dropTurns() {
	for _, s := range r.seats {
		switch t := s.turn; {
		case t == nil:
		case t.state == stateLate && !t.back():
			s.again(t)
			s.turn = nil
		default:
			s.over()
		}
	}
}

// finishRound ends the round in which the solve was interrupted, with the turns that are
// incomplete in the log.
func (r *solve) finishRound(ctx context.Context) {
	var turns, starting []*turn
	for _, s := range r.seats {
		if s.turn == nil {
			continue
		}
		turns = append(turns, s.turn)
		if s.turn.state == stateAwaited {
			starting = append(starting, s.turn)
		}
	}
	if len(turns) == 0 || r.result.Stop != 0 {
		return
	}
	ctx, end := agents.Start(ctx, agents.Op{Name: agents.OpRound, Thread: r.result.Thread, Round: r.result.Rounds})
	defer end(nil, nil)
	r.round.begun = len(starting)
	r.yield(RoundStarted{r.result.Rounds, idsOf(starting)})
	for _, t := range turns {
		if t.failed {
			r.result.Failed = slices.DeleteFunc(r.result.Failed, func(f TurnFailed) bool { return f.Agent == t.Agent && f.Round == t.Round })
			t.failed = !r.round.stopped // each failure is published once
		}
		r.start(ctx, t)
	}
	r.commitAll(ctx, turns)
}

// has reports, once per signal, whether the log has the turn's signal from an earlier
// process.
func (t *turn) has(said signals.Any) bool {
	if len(t.logged) == 0 {
		return false
	}
	logged, err := runlog.TextOf(yielded(t.logged[0]))
	text, problem := runlog.TextOf(yielded(said))
	if t.logged[0].Kind() != said.Kind() || logged != text || errors.Join(err, problem) != nil {
		return false
	}
	t.logged = t.logged[1:]
	return true
}

// yielded returns what an agent said, without what a layer adds to it.
func yielded(s signals.Any) any {
	n := coordination.NoteOf(s)
	if n == nil {
		return s.Body()
	}
	said := *n
	said.Link, said.Step, said.Components, said.ExpiresAtStep, said.ExpiresAfter = coordination.Link{}, 0, 0, 0, 0
	return said
}
