package rooms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// Run gives agents their turns until ctx ends, and then waits for those that are
// running. Turns that ctx cut off are taken again when the router continues. It
// returns the cause of ctx's end, or the error of a log that cannot be written.
//
// A turn that has not returned a second after its timeout, or after the end of ctx, is
// abandoned: Go cannot stop it, and its later messages and calls are refused.
func (r *Router) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var turns sync.WaitGroup
	defer turns.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, a := range r.state.Unfinished() {
		r.beginLocked(ctx, &turns, a)
	}
	for {
		if err := r.chooseLocked(ctx, &turns); err != nil {
			cancel(err)
			return err
		}
		if err := r.awaitLocked(ctx); err != nil {
			return err
		}
	}
}

// chooseLocked begins as many turns as may run.
func (r *Router) chooseLocked(ctx context.Context, turns *sync.WaitGroup) error {
	for r.turns < r.opts.Turns {
		if r.err != nil {
			return r.err
		}
		next, ok := r.state.Choose(r.now())
		if !ok {
			return nil
		}
		began := signals.New(signals.Header{Source: next.Agent, Thread: next.Room}, next.Record(r.state))
		if _, err := r.commitLocked(ctx, began); err != nil {
			return err
		}
		r.beginLocked(ctx, turns, r.state.Agent(next.Agent))
	}
	return nil
}

// beginLocked runs the turn of an agent that has begun.
func (r *Router) beginLocked(ctx context.Context, turns *sync.WaitGroup, a *roomlog.Agent) {
	r.turns++
	t := r.turnLocked(a)
	turns.Go(func() {
		ctx, end := t.process(ctx)
		defer func() {
			end(nil, nil)
			r.mu.Lock()
			defer r.mu.Unlock()
			t.over = true
			r.turns--
			r.changedLocked()
		}()
		if err := t.settle(ctx); err != nil {
			if ctx.Err() == nil {
				r.broken(ctx, err)
			}
			return
		}
		said, err := r.take(ctx, t)
		r.ran(ctx, t, said, err)
	})
}

// process reports the turn as the processing of its message, or of its oldest mail.
func (t *Turn) process(ctx context.Context) (context.Context, hooks.End) {
	about := t.turn.New[len(t.turn.New)-1]
	return hooks.Start(ctx, hooks.Op{Name: hooks.OpProcess, Target: string(about.Kind()), Thread: t.room, Cause: about.Head().Trace})
}

// awaitLocked waits for news, for the end of a pause or for the end of ctx, without the lock
// meanwhile.
func (r *Router) awaitLocked(ctx context.Context) error {
	news := r.news
	var pause <-chan time.Time
	if at, some := r.state.Resume(r.now()); some {
		pause = r.opts.After(at.Sub(r.now()))
	}
	r.mu.Unlock()
	defer r.mu.Lock()
	select {
	case <-news:
	case <-pause:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// ran commits the outcome of a turn.
func (r *Router) ran(ctx context.Context, t *Turn, said []Say, err error) {
	if ctx.Err() != nil {
		return // it is taken again
	}
	if err == nil {
		err = r.end(ctx, t, said)
	}
	if err != nil && ctx.Err() == nil {
		err = r.fail(ctx, t, err)
	}
	if err != nil {
		r.broken(ctx, err)
	}
}

// broken ends the router: turns cannot be recorded.
func (r *Router) broken(ctx context.Context, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() == nil && r.err == nil {
		r.err = err
		r.changedLocked()
	}
}

// take has the agent take its turn, and returns its messages. One whose routes withhold what is
// new, or that listens to nothing of it, passes.
func (r *Router) take(ctx context.Context, t *Turn) ([]Say, error) {
	if t.moot || t.out {
		return nil, nil
	}
	a, turn := r.agents[t.agent], *t.turn
	deaf := func(s signals.Any) bool { return !a.Hears(s.Kind()) }
	turn.New, turn.Heard = slices.Clone(turn.New), slices.DeleteFunc(slices.Clone(turn.Heard), deaf)
	t.route(a.Router, &turn)
	turn.New = slices.DeleteFunc(turn.New, deaf)
	if t.out || len(turn.New)+len(turn.Routed) == 0 {
		return nil, nil
	}
	all, err := react(context.WithValue(ctx, turnKey{}, t), a, &turn)
	if err != nil {
		return nil, err
	}
	var said []Say
	for _, s := range all {
		if k := s.Kind(); !a.May(k) && !slices.Contains(agents.Records(), k) {
			return nil, &signals.FieldError{Kind: k, Field: "type", Value: string(k), Problem: "not in CanEmit of " + a.ID}
		}
		switch p := s.Body().(type) {
		case Say:
			if !roomlog.IsSilence(p.Content) {
				said = append(said, p)
			}
		case agents.Passed, agents.Fallback:
		default:
			return nil, &signals.FieldError{Kind: s.Kind(), Field: "type", Value: string(s.Kind()), Problem: "not room.say"}
		}
	}
	return said, nil
}

// grace is how long a turn may take to return after its timeout.
const grace = time.Second

// react has an agent take its turn in a goroutine of its own: one that ignores the end of its
// context, as a tool that hangs does, holds up neither the room nor the end of the router.
func react(ctx context.Context, a *agents.Agent, t *agents.Turn) ([]signals.Any, error) {
	if a.TurnTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, a.TurnTimeout)
		defer cancel()
	}
	var said []signals.Any
	err := agents.ErrNoReturn // if the agent ends the goroutine
	returned := make(chan struct{})
	go func() {
		defer close(returned)
		said, err = a.Take(ctx, t)
	}()
	select {
	case <-returned:
		return said, err
	case <-ctx.Done():
	}
	late := time.NewTimer(grace)
	defer late.Stop()
	select {
	case <-returned:
		return said, err
	case <-late.C:
		return nil, fmt.Errorf("rooms: %s does not return: %w", a.ID, context.Cause(ctx))
	}
}

// end commits the agent's messages and the end of its turn.
func (r *Router) end(ctx context.Context, t *Turn, said []Say) error {
	for _, s := range said {
		if err := checkMessage(Message{Content: s.Content, Priority: s.Priority}); err != nil {
			return err
		}
	}
	var sending []hooks.End
	err := r.commit(ctx, func() ([]any, error) {
		c := r.composerLocked(ctx, r.state.Agent(t.agent))
		for _, s := range said {
			c.add(s)
		}
		c.stop()
		sending = c.sending
		return append(append(t.unreturnedLocked(), c.out...), t.ended(outcome(t, c), 0)), nil
	})
	for _, end := range sending {
		end(nil, err)
	}
	if err == nil && len(said) == 0 && !t.moot {
		t.live(events.Pass{Common: t.common(normal)})
	}
	return err
}

func outcome(t *Turn, c *composer) roomlog.Outcome {
	switch {
	case t.moot:
		return roomlog.Moot
	case c.said == 0 && len(c.out) == 0:
		return roomlog.Passed
	}
	return roomlog.Spoke
}

// fail commits the failure of a turn and the pause of its agent, and sets aside the message
// and mail of the turn if the agent has failed at them too often.
func (r *Router) fail(ctx context.Context, t *Turn, why error) error {
	return r.commit(ctx, func() ([]any, error) {
		pause := r.opts.Pause
		for range r.state.Agent(t.agent).Failures {
			pause = min(2*pause, r.opts.Most)
		}
		if after, ok := agents.IsRetryable(why); ok {
			pause = min(max(pause, after), r.opts.Most)
		}
		all := append(t.unreturnedLocked(), system(t.room, events.Faulted, t.agent, "%s failed: %s; it is left alone for %v", t.agent, failure(why), pause))
		tries := r.state.Agent(t.agent).Running.Failed + 1
		if tries < r.opts.Tries {
			return append(all, t.ended(roomlog.Failed, pause)), nil
		}
		what := "the message that it had to answer is set aside"
		switch mail := len(r.state.Agent(t.agent).Running.Mail); {
		case mail > 0 && r.state.Agent(t.agent).Running.Message.Body == nil:
			what = "the mail that it had to answer is set aside"
		case mail > 0:
			what = "the message and the mail that it had to answer are set aside"
		}
		return append(all,
			system(t.room, events.SetAside, t.agent, "%s failed in %d turns: %s", t.agent, tries, what), t.ended(roomlog.SetAside, pause)), nil
	})
}

// failure describes an error in one line.
func failure(err error) string {
	var panicked *agents.PanicError
	if errors.As(err, &panicked) {
		err = panicked
	}
	return roomlog.FirstLine(err.Error())
}
