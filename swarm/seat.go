package swarm

import (
	"context"
	"slices"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/routing"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A seat is an agent's place in one solve, with what the agent remembers of
// it.
type seat struct {
	agent  *agents.Agent
	mouth  *bus.Publisher
	ears   *bus.Subscription
	turn   *turn         // at work; nil: none
	before []signals.Any // to hear before what its ears have: of a log that is gone on with
	most   int           // signals that each of the memories holds
	heard  []signals.Any
	said   []signals.Any
	asked  bool // it had a turn with something to vote on
	gone   bool // the solve is over: it wants to hear nothing more

	waited map[uint64]int // by sequence number: turns that what is before was not part of

	machine  *routing.Machine // routes what is for the agent; nil: nothing does
	withheld map[uint64]bool  // by sequence number: the agent does not get it as new
	routed   []agents.Routed  // for its next turn
	stopped  bool             // it takes no more turns
}

// listen opens the agent's inbox: what others say to it in the thread, while
// the solve lasts.
func (s *seat) listen(thread string) (err error) {
	s.ears, err = s.mouth.Subscribe(bus.SubscribeOptions{
		Kinds: s.agent.Listens, Threads: []string{thread},
		Where: func(heard signals.Any) bool { return !s.gone && heard.Head().Source != s.agent.ID },
	})
	return err
}

// wants reports whether a signal of an earlier log is for the agent.
func (s *seat) wants(heard signals.Any) bool {
	h := heard.Head()
	return h.Source != s.agent.ID && h.Recipients.Include(s.agent.ID) &&
		(s.agent.Listens == nil || slices.Contains(s.agent.Listens, heard.Kind()))
}

// hear returns what is new for the agent, with what it heard and said before,
// as the beginning of a turn. Without anything new there is none.
func (r *solve) hear(ctx context.Context, s *seat) *agents.Turn {
	t := &agents.Turn{Agent: s.agent.ID, Heard: s.heard, Said: s.said, New: s.before}
	s.before = nil
	for heard, _ := s.ears.Poll(); heard != nil; heard, _ = s.ears.Poll() {
		t.New = append(t.New, heard)
	}
	if s.machine != nil {
		r.drain(ctx) // what somebody outside has said just now is routed too
		t.New = slices.DeleteFunc(t.New, s.takeBack)
		t.Routed, t.State = s.routed, s.machine.State()
		s.routed = nil
	}
	if len(t.New)+len(t.Routed) == 0 || s.stopped {
		return nil
	}
	r.attend(s, t)
	s.remember(remembered(t)...)
	return t
}

// attend leaves in the turn what the agent takes in at once. The rest is before
// what comes next.
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

// recordOf returns how often somebody has been right, as far as the solve knew
// when it began: the mean of the two rates, 1/2 of whom nothing is known.
func (r *solve) recordOf(source string) float64 {
	if r.known == nil {
		return 0.5
	}
	if rate, ok := r.known.Reliability(source, 2); ok {
		return (rate.Sensitivity + rate.Specificity) / 2
	}
	return 0.5
}

// takeBack reports, once, whether a signal was withheld.
func (s *seat) takeBack(heard signals.Any) bool {
	seq := heard.Head().Seq
	defer delete(s.withheld, seq)
	return s.withheld[seq]
}

func (s *seat) remember(heard ...signals.Any) { s.heard = newest(append(s.heard, heard...), s.most) }

// spoke remembers what the log has of the agent's.
func (s *seat) spoke(said signals.Any) { s.said = newest(append(s.said, said), s.most) }

// newest returns the last signals. Turns share them: what is appended to the
// result later does not show in theirs.
func newest(all []signals.Any, most int) []signals.Any {
	return slices.Clip(all[max(0, len(all)-most):])
}

// leave closes the inbox. What nobody is left to read is not wanted any more,
// which is no dead letter.
func (s *seat) leave() bus.Books {
	if s.ears == nil {
		return bus.Books{}
	}
	s.gone = true
	_, _ = s.ears.Poll() // passes over what is left
	s.ears.Close()
	return s.ears.Books()
}
