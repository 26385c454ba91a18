package desk

import (
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// Follow yields the events of a solve from its beginning, and then as they happen, until it stops.
// Of one that runs here it has what agents are saying, too ([solves.Saying]): a slow caller gets
// the newest of that. The error is the cause of ctx's end, or why the solve
// cannot be followed.
func (d *Desk) Follow(ctx context.Context, thread string) iter.Seq2[solves.Event, error] {
	if r := d.run(thread); r != nil {
		return r.follow(ctx)
	}
	return solves.Watch(ctx, d.place.Log(), thread)
}

// A trail is what has happened in a solve that runs here.
type trail struct {
	over chan struct{} // closed when the solve does not run any more

	mu     sync.Mutex // protects the fields below
	events []solves.Event
	err    error // why the solve could not go on
	ended  bool
	says   []*saying     // what agents are saying, as they began to
	shown  bool          // others are about to be told of it
	news   chan struct{} // closed when something has changed
}

// A saying is what an agent has said of an answer that is not complete.
type saying struct {
	agent string
	speech
}

func newTrail() *trail { return &trail{over: make(chan struct{}), news: make(chan struct{})} }

// change changes the trail, and wakes its followers.
func (t *trail) change(what func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	what()
	close(t.news)
	t.news = make(chan struct{})
}

func (t *trail) add(e solves.Event, err error) {
	t.change(func() {
		if err != nil {
			t.err = err
			return
		}
		t.events = append(t.events, e)
	})
}

func (t *trail) end() {
	t.change(func() { t.ended = true })
	close(t.over)
}

// cancelled returns [ErrIdle] if the solve, which is over, had stopped for another reason before it
// could be cancelled.
func (t *trail) cancelled() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, e := range slices.Backward(t.events) {
		if stopped, ok := e.(solves.Stopped); ok && stopped.Result.Stop != runlog.StopCancelled {
			return ErrIdle
		}
	}
	return nil
}

// say adds a piece of an answer, and reports whether others have to be told of what is said now.
func (t *trail) say(agent string, p models.Piece) (tell bool) {
	t.change(func() {
		of := func(s *saying) bool { return s.agent == agent }
		before := len(t.says)
		if p.Again {
			t.says = slices.DeleteFunc(t.says, of)
		}
		if p.Text == "" && len(t.says) == before {
			return
		}
		if p.Text != "" {
			i := slices.IndexFunc(t.says, of)
			if i < 0 {
				i, t.says = len(t.says), append(t.says, &saying{agent: agent})
			}
			t.says[i].add(p.Text)
		}
		tell, t.shown = !t.shown, true
	})
	return tell
}

// saying returns what agents are saying, by agent.
func (t *trail) saying() map[string]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all map[string]string
	for _, s := range t.says {
		if s.newest != "" {
			if all == nil {
				all = map[string]string{}
			}
			all[s.agent] = s.newest
		}
	}
	return all
}

// follow yields what has happened, and what happens until the solve ends.
func (t *trail) follow(ctx context.Context) iter.Seq2[solves.Event, error] {
	return func(yield func(solves.Event, error) bool) {
		seen, heard := 0, map[*saying]string{}
		for {
			t.mu.Lock()
			events, news, ended, err := t.events[seen:], t.news, t.ended, t.err
			says := t.unheard(heard)
			t.mu.Unlock()
			for _, e := range events {
				if !yield(e, nil) {
					return
				}
			}
			seen += len(events)
			for _, e := range says {
				if !yield(e, nil) {
					return
				}
			}
			switch {
			case err != nil:
				yield(nil, err)
				return
			case ended:
				return
			}
			select {
			case <-news:
			case <-ctx.Done():
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// unheard returns what agents say that was not heard, and notes that it is heard then.
func (t *trail) unheard(heard map[*saying]string) (all []solves.Event) {
	for _, s := range t.says {
		if heard[s] != s.newest {
			all = append(all, solves.Saying{Agent: s.agent, Words: s.newest})
			heard[s] = s.newest
		}
	}
	return all
}
