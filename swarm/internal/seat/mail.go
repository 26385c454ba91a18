package seat

import (
	"slices"

	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// mail returns what is addressed to the agent as the next round begins. A round begins
// before its step: if the solve was interrupted behind that, what has expired in it counts.
func (s *Seat) mail(t *runlog.Thread) []coordination.Signal {
	if t.Stepped() {
		return s.kept
	}
	return t.Coordination.For(s.Agent.ID)
}

// HasMail reports whether something is addressed to the agent that it has not had in a
// turn.
func (s *Seat) HasMail(t *runlog.Thread) bool {
	return slices.ContainsFunc(s.mail(t), func(m coordination.Signal) bool { return m.Seq > s.Mailed })
}

// MayAnswer reports whether the agent is still to have, or to end, the turn in which it
// may deal with a signal that is addressed to it.
func (s *Seat) MayAnswer(t *runlog.Thread, to coordination.Signal) bool {
	isIt := func(m coordination.Signal) bool { return m.ID == to.ID }
	return !s.Out && s.Agent.ID != to.Source && (s.Mailed < to.Seq || s.Turn != nil) && slices.ContainsFunc(s.mail(t), isIt)
}

// KeepMail keeps the mail of a round whose step is next in an earlier log.
func (all Roster) KeepMail(t *runlog.Thread) {
	for _, s := range all {
		s.kept = t.Coordination.For(s.Agent.ID)
	}
}

// Continuing returns the seats that begin turns: after a handoff only those of the agents
// that it names and that can take one.
func (all Roster) Continuing(t *runlog.Thread) Roster {
	next := slices.DeleteFunc(slices.Clone(all), func(s *Seat) bool {
		return s.Out || s.Turn != nil && s.Turn.State != Late || !slices.ContainsFunc(s.mail(t), runlog.IsHandoff)
	})
	if len(next) > 0 {
		return next
	}
	return all
}
