package seat

import (
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

// A Roster is the seats of a team, in the order of the agents.
type Roster []*Seat

// Of returns the seat of the agent with that id, or nil.
func (all Roster) Of(id string) *Seat {
	if i := all.place(id); i >= 0 {
		return all[i]
	}
	return nil
}

func (all Roster) place(id string) int {
	return slices.IndexFunc(all, func(s *Seat) bool { return s.Agent.ID == id })
}

// IDs returns the ids of the agents.
func (all Roster) IDs() (ids []string) {
	for _, s := range all {
		ids = append(ids, s.Agent.ID)
	}
	return ids
}

// Team returns the agents that no route has stopped.
func (all Roster) Team() (team []*agents.Agent) {
	for _, s := range all {
		if !s.Out {
			team = append(team, s.Agent)
		}
	}
	return team
}

// CanArgue reports whether the agent may take turns, and can argue for one side against another.
func (all Roster) CanArgue(agent string, over, against agents.Standing) bool {
	s := all.Of(agent)
	return s != nil && !s.Out && s.Agent.CanArgue(over, against)
}

// IsFree reports whether the agent can take a turn.
func (all Roster) IsFree(agent string) bool {
	s := all.Of(agent)
	return s != nil && s.Free()
}

// Stopped returns the ids of the agents that a route has stopped.
func (all Roster) Stopped() (ids []string) {
	for _, s := range all {
		if s.Out {
			ids = append(ids, s.Agent.ID)
		}
	}
	return ids
}

// Route reports whether an agent has a router.
func (all Roster) Route() bool { return slices.ContainsFunc(all, (*Seat).Routes) }

// Busy reports whether a turn is running, or was left behind.
func (all Roster) Busy() bool {
	return slices.ContainsFunc(all, func(s *Seat) bool { return s.Turn != nil })
}

// Turns returns the turns that have not been over, in the order of the agents.
func (all Roster) Turns() (turns []*Turn) {
	for _, s := range all {
		if s.Turn != nil {
			turns = append(turns, s.Turn)
		}
	}
	return turns
}

// DeliverAll makes a signal of the log new to the agents that do not listen to its kind.
func (all Roster) DeliverAll(said signals.Any) {
	for _, s := range all {
		if !s.Agent.Hears(said.Kind()) {
			s.deliver(said)
		}
	}
}

// NextTimer returns when the next timer of an agent is due, and whether there is one.
func (all Roster) NextTimer() (next time.Time, running bool) {
	for _, s := range all {
		if s.timers() == nil {
			continue
		}
		if at, ok := s.timers().Next(); ok && (!running || at.Before(next)) {
			next, running = at, true
		}
	}
	return next, running
}

// retry lets the agents that failed hear again what they failed on, and what they heard
// since, because the solve stopped and goes on. A turn that failed in the last round is
// taken again as it was, and so is one that a question names, and with a plan each that has not
// ended: the plan asks for it once.
func (all Roster) retry(planned bool) {
	for _, s := range all {
		if s.Turn != nil && s.Turn.Asks {
			continue
		}
		if len(s.missed) > 0 && s.missed[0] != s.Turn && (!planned || s.Turn == nil) {
			s.again(s.missed...)
			s.Turn = nil
		}
		s.missed = nil
	}
}

// DropTurns ends all turns, because the solve stopped. The signals that a late agent
// heard are new to it again.
func (all Roster) DropTurns() {
	for _, s := range all {
		if t := s.Turn; t != nil && t.State == Late && !t.ended() {
			s.again(t)
		}
		s.Turn = nil
	}
}
