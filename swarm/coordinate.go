package swarm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/connectivity"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// coordinates reports whether signals of a kind go through the layer.
func coordinates(k signals.Kind) bool { return slices.Contains(connectivity.Kinds(), k) }

// openLayer opens the layer of the swarm, unless it was given one.
func (s *Swarm) openLayer() (err error) {
	if s.layer = s.opts.Layer; s.layer == nil {
		s.layer, err = connectivity.New(s.bus, &connectivity.Options{Name: "swarm"})
	}
	return err
}

// enroll tells the layer who takes part. It is done with the first signal that an agent
// yields to coordinate: a solve in which none does has no such entries in its log.
func (r *solve) enroll() error {
	if r.records.enrolled {
		return nil
	}
	thread, layer := r.result.Thread, r.swarm.layer
	var ids []string
	for _, s := range r.seats {
		ids = append(ids, s.agent.ID)
	}
	if err := layer.Register(thread, ids...); err != nil {
		return err
	}
	if err := layer.SetCoordinator(thread, r.opts.Coordinator); err != nil {
		return err
	}
	next := r.opts.Continues
	if next == nil {
		next = following(ids)
	}
	layer.SetResolver(thread, next)
	r.records.enrolled = true
	return nil
}

// following returns a resolver that names the agent after the source.
func following(ids []string) connectivity.Resolver {
	return func(_ context.Context, s coordination.Signal) ([]string, error) {
		i := slices.Index(ids, s.Source)
		return []string{ids[(i+1)%len(ids)]}, nil
	}
}

// coordinate emits what an agent yielded to coordinate, and reports whether it entered
// the log as a signal of its own: it may only repeat another, or end one.
func (r *solve) coordinate(ctx context.Context, s *seat, draft signals.Any) (entered bool, err error) {
	if !s.agent.May(draft.Kind()) {
		return false, &bus.PermissionError{Agent: s.agent.ID, Kind: draft.Kind(), Reason: "CanEmit does not list it"}
	}
	if err := r.enroll(); err != nil {
		return false, err
	}
	self, err := r.swarm.layer.Component(s.agent.ID)
	if err != nil {
		return false, err
	}
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	r.swarm.now() // the bus's clock, by which the layer writes
	e, err := self.EmitDraft(inTime, r.result.Thread, draft)
	r.drain(ctx)
	if err != nil {
		return false, err
	}
	agents.Note(ctx, e)
	return !e.Suppressed && coordination.NoteOf(draft) != nil, nil
}

// settled ends signals that have been dealt with, in the name of the swarm.
func (r *solve) settled(ctx context.Context, all []coordination.Signal) {
	for _, s := range all {
		if r.result.Stop != 0 {
			return
		}
		r.swarm.now()
		if _, err := r.swarm.layer.Resolve(ctx, s.ID); !errors.Is(err, connectivity.ErrNotFound) { // of another layer
			r.coordinated(ctx, err)
		}
	}
}

// coordinated folds what the layer wrote, and stops a solve whose layer failed.
func (r *solve) coordinated(ctx context.Context, err error) {
	r.drain(ctx)
	switch {
	case err == nil:
	case ctx.Err() != nil:
		r.interrupted(ctx)
	default:
		r.stop(StopError, "the coordination of the solve failed", err)
	}
}

// nextStep begins the step of the next round, and delivers what is addressed to the agents
// that have a turn in it. Both may have happened before the solve was interrupted.
func (r *solve) nextStep(ctx context.Context, starting []*turn) {
	if !r.thread.Coordination.Begun() {
		return
	}
	if !r.stepped() {
		r.swarm.now()
		_, err := r.swarm.layer.AdvanceStep(ctx, r.result.Thread)
		r.coordinated(ctx, err)
	}
	for _, t := range starting {
		for _, s := range r.thread.Coordination.For(t.Agent) {
			if s.State == coordination.Emitted && r.result.Stop == 0 {
				r.coordinated(ctx, r.swarm.layer.Received(ctx, s.ID))
			}
		}
	}
}

// stepped reports whether the thread has reached a step since the last round began.
func (r *solve) stepped() bool {
	for _, s := range slices.Backward(r.thread.Log) {
		switch s.Kind() {
		case connectivity.KindStep:
			return true
		case runlog.KindBegan:
			return false
		}
	}
	return false
}

// hasMail reports whether something is addressed to the agent that it has not had in a
// turn.
func (r *solve) hasMail(s *seat) bool {
	return slices.ContainsFunc(r.thread.Coordination.For(s.agent.ID), func(m coordination.Signal) bool { return m.Seq > s.mailed })
}

// continuing returns the agents that open handoffs name and that can take a turn. If
// there are any, only they begin turns.
func (r *solve) continuing() (names []string) {
	for _, s := range r.seats {
		free := !s.stopped && (s.turn == nil || s.turn.state == stateLate)
		if free && slices.ContainsFunc(r.thread.Coordination.For(s.agent.ID), isHandoff) {
			names = append(names, s.agent.ID)
		}
	}
	return names
}

func isHandoff(s coordination.Signal) bool { return s.Class == coordination.HandoffReady }

// takeOver ends the handoffs with which an agent had its turn.
func (r *solve) takeOver(ctx context.Context, t *turn) {
	open := r.thread.Coordination.For(t.Agent)
	r.settled(ctx, slices.DeleteFunc(slices.Clone(t.Inbox), func(s coordination.Signal) bool {
		return !isHandoff(s) || !slices.ContainsFunc(open, func(o coordination.Signal) bool { return o.ID == s.ID })
	}))
}

// alarmed asks somebody outside about a critical escalation that no agent can still
// answer, and reports whether it did.
func (r *solve) alarmed(ctx context.Context) bool {
	if r.thread.Stage.Asked != nil || r.result.Stop != 0 {
		return false
	}
	for _, alarm := range r.alarms() {
		if slices.ContainsFunc(r.seats, func(s *seat) bool { return r.mayAnswer(s, alarm) }) {
			continue
		}
		r.announce(ctx, signals.New(signals.Header{ReplyTo: alarm.ID, Confidence: 1}, signals.Escalation{
			Reason: alarm.Summary, Context: strings.TrimSpace(fmt.Sprintf("%s by %s. %s", alarm.Class, alarm.Source, alarm.Details)),
		}))
		r.stop(StopEscalated, alarm.Summary, nil)
		return true
	}
	return false
}

// alarms returns the open critical escalations.
func (r *solve) alarms() []coordination.Signal {
	return slices.DeleteFunc(r.thread.Coordination.Unacknowledged(), func(s coordination.Signal) bool {
		return s.Class.Message() != coordination.AboutEscalation
	})
}

// mayAnswer reports whether an agent is still to have, or to end, the turn in which it
// may deal with a signal that is addressed to it.
func (r *solve) mayAnswer(s *seat, to coordination.Signal) bool {
	isIt := func(m coordination.Signal) bool { return m.ID == to.ID }
	return !s.stopped && s.agent.ID != to.Source && (s.mailed < to.Seq || s.turn != nil) &&
		slices.ContainsFunc(r.thread.Coordination.For(s.agent.ID), isIt)
}

// obstacles says what keeps the thread from converging; "" if nothing does.
func (r *solve) obstacles() string {
	var all []string
	for _, o := range r.thread.Coordination.Converged().Obstacles {
		all = append(all, o.String())
	}
	return strings.Join(atMost(all), "; ")
}

// withholds says why a proposal that the votes have chosen is not the decision: it is
// one of a single agent, or there are obstacles. "" means that it is.
func (r *solve) withholds(d consensus.Decision) string {
	if why := r.alone(d); why != "" || d.Outcome != consensus.Reached {
		return why
	}
	if why := r.obstacles(); why != "" {
		return fmt.Sprintf("%q is withheld: %s", d.Choice, why)
	}
	return ""
}

// effort returns the effort of the next turns: what the program says; else, with a layer
// of the program, the mode that its hook requested; else deep while an escalation is open.
func (r *solve) effort() signals.Effort {
	if r.opts.Effort != nil {
		return r.opts.Effort(r.result.Thread)
	}
	if r.opts.Layer != nil {
		return r.thread.Coordination.Mode()
	}
	for _, o := range r.thread.Coordination.Converged().Obstacles {
		if o.Cause == connectivity.OpenEscalation {
			return signals.Deep
		}
	}
	return 0
}

// endCoordination forgets what the swarm's own layer holds of a solve that is over.
func (r *solve) endCoordination(ctx context.Context) {
	if stop := r.result.Stop; r.opts.Layer != nil || !r.thread.Coordination.Begun() || stop == StopEscalated || stop.GoesOn() {
		return
	}
	inTime, cancel := r.inTime(ctx)
	defer cancel()
	if err := r.swarm.layer.CloseThread(inTime, r.result.Thread); err != nil {
		agents.Note(ctx, err)
	}
	r.drain(ctx)
}
