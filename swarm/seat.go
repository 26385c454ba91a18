package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A seat is the state of an agent in one solve, with its memory.
type seat struct {
	agent     *agents.Agent
	publisher *bus.Publisher
	inbox     *bus.Subscription
	turn      *turn         // running; nil: none
	before    []signals.Any // to hear before its inbox: from the log of a resumed solve
	most      int           // maximum length of each memory
	heard     []signals.Any
	said      []signals.Any
	missed    []*turn // from one that failed on, while the agent has said nothing since
	gone      bool    // the solve is over and nothing more is heard

	waited map[uint64]int // by sequence number: turns in which a signal was left out

	machine  *routing.Machine // routes the agent's signals; nil: none
	withheld map[uint64]bool  // by sequence number: not passed to the agent as new
	routed   []agents.Routed  // for its next turn
	timers   *routing.Timers  // of its router; nil: it has none, or the solve has not begun
	stopped  bool             // takes no more turns

	mailed uint64 // sequence number of the newest signal that was in an inbox of its turns
}

// listen opens the agent's inbox: the signals of others to it in the thread,
// during the solve.
func (s *seat) listen(thread string) (err error) {
	s.inbox, err = s.publisher.Subscribe(bus.SubscribeOptions{
		Kinds: s.agent.Listens, Threads: []string{thread},
		Where: func(heard signals.Any) bool {
			return !s.gone && heard.Head().Source != s.agent.ID && !coordinates(heard.Kind())
		},
	})
	return err
}

// wants reports whether a signal of an earlier log is for the agent.
func (s *seat) wants(heard signals.Any) bool {
	h := heard.Head()
	return h.Source != s.agent.ID && h.Recipients.Include(s.agent.ID) && s.agent.Hears(heard.Kind()) && !coordinates(heard.Kind())
}

// hear returns a turn with what is new for the agent and what it heard and said
// before, or nil if nothing is new.
func (r *solve) hear(ctx context.Context, s *seat) *agents.Turn {
	t := &agents.Turn{Agent: s.agent.ID, Heard: s.heard, Said: s.said, New: s.before}
	s.before = nil
	for heard, _ := s.inbox.Poll(); heard != nil; heard, _ = s.inbox.Poll() {
		t.New = append(t.New, heard)
	}
	inOrder(t.New)
	if s.machine != nil {
		r.drain(ctx) // signals from outside up to now are routed too
		t.New = slices.DeleteFunc(t.New, s.takeBack)
		t.Routed, t.State = s.routed, s.machine.State()
		s.routed = nil
	}
	if s.stopped {
		return nil
	}
	if len(t.Routed) == 0 && !slices.ContainsFunc(t.New, r.isNews) && !r.argues(s) && !r.hasMail(s) {
		s.before = t.New // nothing worth a turn
		return nil
	}
	r.attend(s, t)
	s.remember(remembered(t)...)
	return t
}

// attend limits the turn to what the agent can attend to. The rest comes first
// next time.
func (r *solve) attend(s *seat, t *agents.Turn) {
	if most := s.agent.Attention; most <= 0 || len(t.New) <= most {
		s.waited = nil
		return
	}
	var fresh []agents.Fresh
	for _, heard := range t.New {
		h := heard.Head()
		fresh = append(fresh, agents.Fresh{Signal: heard, Waited: s.waited[h.Seq], Record: r.recordOf(h.Source)})
	}
	now, later := s.agent.Attend(fresh)
	t.New, s.before, s.waited = nil, nil, map[uint64]int{}
	for _, f := range now {
		t.New = append(t.New, f.Signal)
	}
	for _, f := range later {
		s.before = append(s.before, f.Signal)
		s.waited[f.Signal.Head().Seq] = f.Waited
	}
}

// recordOf returns how often a source has been right, by what was known at the
// beginning of the solve: the mean of the two rates, or 1/2 if nothing is
// known.
func (r *solve) recordOf(source string) float64 {
	if r.known == nil {
		return 0.5
	}
	if rate, ok := r.known.Reliability(source, 2); ok {
		return (rate.Sensitivity + rate.Specificity) / 2
	}
	return 0.5
}

// isNews reports whether a signal is a reason for a turn.
func (r *solve) isNews(s signals.Any) bool { return !r.thread.Repeats.Has(s) }

// takeBack reports whether a signal was withheld, and forgets it.
func (s *seat) takeBack(heard signals.Any) bool {
	seq := heard.Head().Seq
	defer delete(s.withheld, seq)
	return s.withheld[seq]
}

func (s *seat) remember(heard ...signals.Any) { s.heard = newest(append(s.heard, heard...), s.most) }

// spoke remembers a signal of the agent in the log.
func (s *seat) spoke(said signals.Any) { s.said, s.missed = newest(append(s.said, said), s.most), nil }

// begin gives the agent a turn.
func (s *seat) begin(t *agents.Turn) {
	s.turn = &turn{Turn: t, seat: s, done: make(chan outcome, 1)}
	if len(s.missed) > 0 {
		s.missed = append(s.missed, s.turn)
	}
}

// fail takes the failure of a turn. An agent that only takes other turns after it, and
// says nothing, has still to say what it failed to.
func (s *seat) fail(t *turn, err error) {
	if t.err = err; len(s.missed) == 0 && len(t.logged) == 0 {
		s.missed = []*turn{t}
	}
}

// failed returns the last turn that failed, if the agent has said nothing since.
func (s *seat) failed() *turn {
	for _, t := range slices.Backward(s.missed) {
		if t.err != nil {
			return t
		}
	}
	return nil
}

// newest returns the last signals. Turns share the slice: appending to the
// result does not affect theirs.
func newest(all []signals.Any, most int) []signals.Any {
	return slices.Clip(all[max(0, len(all)-most):])
}

// leave closes the inbox. Unread signals then count as filtered, not as dead
// letters.
func (s *seat) leave() bus.Account {
	if s.inbox == nil {
		return bus.Account{}
	}
	s.gone = true
	_, _ = s.inbox.Poll() // skips the rest
	s.inbox.Close()
	return s.inbox.Account()
}
