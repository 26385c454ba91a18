package seat

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Seat is the state of an agent in one solve. It is used by one goroutine, except for
// the turns that run.
type Seat struct {
	Agent     *agents.Agent
	Publisher *bus.Publisher // as which the agent speaks
	Turn      *Turn          // running; nil: none
	Out       bool           // takes no more turns
	Mailed    uint64         // sequence number of the newest signal that was in an inbox of its turns

	inbox  *bus.Subscription
	before []signals.Any  // to hear before its inbox
	waited map[uint64]int // by sequence number: turns in which a signal was left out
	memory memory
	router *router               // nil: none
	missed []*Turn               // from one that failed on, while the agent has said nothing since
	gone   bool                  // nothing more is heard
	kept   []coordination.Signal // what was addressed to it before the newest step of an earlier log
}

// New returns the seat of an agent that remembers that number of signals, of those that
// it heard and of its own each.
func New(a *agents.Agent, memories int) *Seat {
	return &Seat{Agent: a, memory: memory{most: memories}, router: newRouter(a)}
}

// Listen opens the agent's inbox: the signals of others to it in the thread, during the
// solve, except those of coordination, which are in the inbox of its turns.
func (s *Seat) Listen(thread string) error { return s.listen(thread, 0) }

func (s *Seat) listen(thread string, after uint64) (err error) {
	kinds := s.Agent.Listens
	if kinds != nil {
		kinds = append(slices.Clone(kinds), routing.KindUserMessage)
	}
	s.inbox, err = s.Publisher.Subscribe(bus.SubscribeOptions{
		Kinds: kinds, Threads: []string{thread}, After: after,
		Where: func(heard signals.Any) bool {
			return !s.gone && heard.Head().Source != s.Agent.ID && !Coordinates(heard.Kind())
		},
	})
	return err
}

// Wants reports whether a signal of the log is for the agent.
func (s *Seat) Wants(heard signals.Any) bool {
	h := heard.Head()
	return h.Source != s.Agent.ID && h.Recipients.Include(s.Agent.ID) && s.Agent.Hears(heard.Kind()) && !Coordinates(heard.Kind())
}

// deliver makes a signal of the log new to the agent, whatever it listens to.
func (s *Seat) deliver(heard signals.Any) { s.before = append(s.before, heard) }

// Routes reports whether the agent has a router.
func (s *Seat) Routes() bool { return s.router != nil }

// Collect returns a turn with what is new for the agent and what it heard and said
// before.
func (s *Seat) Collect() *agents.Turn {
	t := &agents.Turn{Agent: s.Agent.ID, Heard: s.memory.heard, Said: s.memory.said, New: s.News()}
	s.before = nil
	return t
}

// News returns what is new for the agent, which its next turn gets.
func (s *Seat) News() []signals.Any {
	for heard, _ := s.inbox.Poll(); heard != nil; heard, _ = s.inbox.Poll() {
		s.before = append(s.before, heard)
	}
	inOrder(s.before)
	return s.before
}

// Reserve asks whether the agent can pay for that number of turns like t, to which it adds
// what the agent remembers. One that panics cannot.
func (s *Seat) Reserve(ctx context.Context, t *agents.Turn, turns int) (release func(), ok bool) {
	p, pays := s.Agent.Reactor.(agents.Payer)
	if !pays {
		return func() {}, true
	}
	defer func() {
		if recover() != nil || release == nil {
			release = func() {}
		}
	}()
	t.Heard, t.Said = s.memory.heard, s.memory.said
	return p.Reserve(ctx, t, turns)
}

// Hear completes a collected turn, and remembers what is new in it. It returns nil if the
// agent has no reason to take it: nothing is news to it, and it need not.
func (s *Seat) Hear(t *agents.Turn, isNews func(signals.Any) bool, must bool, record func(source string) float64) *agents.Turn {
	s.router.hand(t)
	switch {
	case s.Out:
		return nil
	case !must && len(t.Routed) == 0 && !slices.ContainsFunc(t.New, isNews):
		s.before = t.New // nothing worth a turn
		return nil
	}
	s.attend(t, record)
	s.memory.hear(remembered(t)...)
	return t
}

// attend limits the turn to what the agent can attend to. The rest comes first
// next time.
func (s *Seat) attend(t *agents.Turn, record func(source string) float64) {
	if most := s.Agent.Attention; most <= 0 || len(t.New) <= most {
		s.waited = nil
		return
	}
	var fresh []agents.Fresh
	for _, heard := range t.New {
		h := heard.Head()
		fresh = append(fresh, agents.Fresh{Signal: heard, Waited: s.waited[h.Seq], Record: record(h.Source)})
	}
	now, later := s.Agent.Attend(fresh)
	t.New, s.before, s.waited = nil, nil, map[uint64]int{}
	for _, f := range now {
		t.New = append(t.New, f.Signal)
	}
	for _, f := range later {
		s.before = append(s.before, f.Signal)
		s.waited[f.Signal.Head().Seq] = f.Waited
	}
}

// Spoke remembers a signal of the agent in the log.
func (s *Seat) Spoke(said signals.Any) {
	s.memory.say(said)
	s.missed = nil
}

// Begin gives the agent a turn.
func (s *Seat) Begin(t *agents.Turn) *Turn {
	s.Turn = &Turn{Turn: t, Seat: s, done: make(chan Outcome, 1)}
	if len(s.missed) > 0 {
		s.missed = append(s.missed, s.Turn)
	}
	return s.Turn
}

// Begun returns the record of the turn that the agent begins.
func (s *Seat) Begun() runlog.BegunTurn {
	b := runlog.BegunTurn{Agent: s.Agent.ID}
	for _, waiting := range s.before {
		b.Waiting = append(b.Waiting, waiting.Head().Seq)
	}
	for _, given := range slices.Concat(remembered(s.Turn.Turn), s.before) {
		b.Through = max(b.Through, given.Head().Seq)
	}
	return b
}

// Fail takes the failure of a turn. An agent that only takes other turns after it, and
// says nothing, has still to say what it failed to.
func (s *Seat) Fail(t *Turn, err error) {
	if t.Err = err; len(s.missed) == 0 && len(t.logged) == 0 {
		s.missed = []*Turn{t}
	}
}

// Failed returns the last turn that failed, if the agent has said nothing since.
func (s *Seat) Failed() *Turn {
	for _, t := range slices.Backward(s.missed) {
		if t.Err != nil {
			return t
		}
	}
	return nil
}

// Free reports whether the agent can take a turn.
func (s *Seat) Free() bool { return !s.Out && s.Turn == nil }

// Release lets an agent take turns again after its abandoned turn has returned.
func (s *Seat) Release() {
	if s.Turn == nil || s.Turn.State < Over {
		return
	}
	if _, back := s.Turn.poll(); back {
		s.Turn = nil
	}
}

// Leave prevents further turns of the agent. A turn that runs is not interrupted.
func (s *Seat) Leave() { s.Out, s.gone, s.before = true, true, nil }

// Join gives the agent, which joins a solve, what was said before that is for it. Its inbox has what
// follows a position of the bus, and its timers begin.
func (s *Seat) Join(thread string, log []signals.Any, after, seed uint64) error {
	for _, said := range log {
		if said.Head().Seq <= after && s.Wants(said) {
			s.deliver(said)
		}
	}
	s.begin(log[len(log)-1].Head().Time, seed)
	return s.listen(thread, after)
}

// Close closes the inbox. Unread signals then count as filtered, not as dead
// letters.
func (s *Seat) Close() bus.Account {
	if s.inbox == nil {
		return bus.Account{}
	}
	s.gone = true
	_, _ = s.inbox.Poll() // skips the rest
	s.inbox.Close()
	return s.inbox.Account()
}
