package runlog

import (
	"slices"

	"github.com/swarmbus/swarmbus/agents/asking"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
)

// A Stage says how far a thread has come: its terms, its questions and their answers,
// what was decided, and why it stopped. Fields are nil for what is not in the log.
type Stage struct {
	terms     *signals.Signal[Opened]            // the last ones
	Answered  *signals.Signal[Answered]          // the last one
	Decided   *signals.Signal[Decided]           // the last one, if the thread has neither been answered nor opened again since
	Announced *signals.Signal[signals.Consensus] // the last one
	Outcome   *signals.Signal[Outcome]           // the last one
	// replies are signals of others than the system in reply to the question of a
	// thread that stopped, or to the record of its stop: one may be its answer, if it
	// is not recorded as one yet.
	replies []signals.Any

	task  bool
	asked []*signals.Signal[signals.Escalation] // without an answer, in log order
	calls []string                              // ids of what the round asks about calls of tools, and nobody has answered
	stop  signals.ID                            // the record of the last stop, if nobody has answered since
}

// StageOf returns how far the thread of a log has come.
func StageOf(log []signals.Any) *Stage {
	g := new(Stage)
	for _, s := range log {
		g.Apply(s)
	}
	return g
}

// Asked returns the oldest escalation without an answer; nil: there is none.
func (g *Stage) Asked() *signals.Signal[signals.Escalation] {
	if len(g.asked) == 0 {
		return nil
	}
	return g.asked[0]
}

// AsksStill reports whether an escalation waits that was made before the last answer: the solve
// goes on when all are answered.
func (g *Stage) AsksStill() bool {
	return g.Answered != nil && g.Asked() != nil && g.Asked().Seq < g.Answered.Seq
}

// asks reports whether a signal is a question without an answer.
func (g *Stage) asks(id signals.ID) bool {
	return slices.ContainsFunc(g.asked, func(s *signals.Signal[signals.Escalation]) bool { return s.ID == id })
}

// AsksAbout reports whether an open question is that of the system about a conflict.
func (g *Stage) AsksAbout(question signals.ID, p conflict.Pair) bool {
	return slices.ContainsFunc(g.asked, func(s *signals.Signal[signals.Escalation]) bool {
		return s.ID == question && s.Source == bus.System && s.ReplyTo == p.B.Signal
	})
}

// Standing returns the terms by which the thread goes on; nil if it was decided or answered
// since they were opened.
func (g *Stage) Standing() *signals.Signal[Opened] {
	if g.terms == nil || g.Decided != nil || g.Answered != nil && g.Answered.Seq > g.terms.Seq {
		return nil
	}
	return g.terms
}

// Begun reports whether the thread is a solve or has terms.
func (g *Stage) Begun() bool { return g.task || g.terms != nil }

// Over reports whether the thread does not continue by itself.
func (g *Stage) Over() bool {
	if g.Decided == nil {
		return g.Announced != nil
	}
	return !g.Decided.Payload.Stop.GoesOn()
}

// Stopped reports whether the thread has stopped: it was decided, and a consensus was
// announced.
func (g *Stage) Stopped() bool {
	if g.Decided == nil {
		return false
	}
	return !g.Decided.Payload.reached() || g.Announced != nil && g.Announced.Seq > g.Decided.Seq
}

// Closed reports whether nothing more is expected in the thread: it is over and does
// not wait for an answer, or nothing has begun in it.
func (g *Stage) Closed() bool {
	return !g.Begun() || g.Announced != nil || g.Decided != nil && g.Over() && g.Asked() == nil
}

// Apply takes the next signal of the thread.
func (g *Stage) Apply(s signals.Any) {
	switch s := s.(type) {
	case *signals.Signal[signals.Task]:
		g.task = true
	case *signals.Signal[asking.Call]:
		if s.Source == bus.System {
			g.calls = append(g.calls, s.Payload.ID)
		}
	case *signals.Signal[asking.Answer]:
		if s.Source == bus.System {
			g.calls = slices.DeleteFunc(g.calls, func(id string) bool { return id == s.Payload.ID })
		}
	case *signals.Signal[Began]:
		g.calls = nil
		if g.AsksStill() { // in logs of before, one answer was to all
			g.asked = slices.DeleteFunc(slices.Clone(g.asked), func(of *signals.Signal[signals.Escalation]) bool { return of.Seq < g.Answered.Seq })
		}
	case *signals.Signal[signals.Escalation]:
		if !slices.ContainsFunc(g.asked, func(of *signals.Signal[signals.Escalation]) bool { return of.Payload == s.Payload }) {
			g.asked = append(slices.Clip(g.asked), s) // in other words than those that wait
		}
	case *signals.Signal[Answered]:
		g.Answered, g.Decided, g.stop = s, nil, signals.ID{}
		g.asked = slices.DeleteFunc(slices.Clone(g.asked), func(of *signals.Signal[signals.Escalation]) bool { return of.ID == s.ReplyTo })
		g.replies = slices.DeleteFunc(slices.Clone(g.replies), func(said signals.Any) bool { return !g.asks(said.Head().ReplyTo) })
	case *signals.Signal[Opened]:
		g.terms, g.Decided = s, nil
	case *signals.Signal[Decided]:
		g.Decided, g.stop = s, s.ID
		if g.Over() && s.Payload.Stop != StopEscalated {
			g.asked = nil
		}
	case *signals.Signal[signals.Consensus]:
		g.Announced = s
	case *signals.Signal[Outcome]:
		g.Outcome = s
	default:
		g.reply(s)
	}
}

// reply notes what may be an answer: a thread without records stops when it asks.
func (g *Stage) reply(s signals.Any) {
	h := s.Head()
	stopped := g.Decided != nil || g.Asked() != nil && g.terms == nil
	to := g.asks(h.ReplyTo) || g.Asked() == nil && !g.stop.IsZero() && h.ReplyTo == g.stop
	if stopped && to && h.Source != bus.System {
		g.replies = append(g.replies, s)
	}
}
