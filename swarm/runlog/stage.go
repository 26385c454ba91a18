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
	terms     *signals.Signal[Opened]             // the last ones
	Asked     *signals.Signal[signals.Escalation] // the first one without an answer
	Answered  *signals.Signal[Answered]           // the last one
	Decided   *signals.Signal[Decided]            // the last one, if the thread has neither been answered nor opened again since
	Announced *signals.Signal[signals.Consensus]  // the last one
	Outcome   *signals.Signal[Outcome]            // the last one
	// replies are signals of others than the system in reply to the question of a
	// thread that stopped, or to the record of its stop: one may be its answer, if it
	// is not recorded as one yet.
	replies []signals.Any

	task     bool
	calls    []string   // ids of what the round asks about calls of tools, and nobody has answered
	question signals.ID // what an answer replies to
}

// StageOf returns how far the thread of a log has come.
func StageOf(log []signals.Any) *Stage {
	g := new(Stage)
	for _, s := range log {
		g.Apply(s)
	}
	return g
}

// Question returns the id of the signal that an answer replies to: the question, or
// else the record of the last stop; zero if there is none.
func (g *Stage) Question() signals.ID { return g.question }

// AsksAbout reports whether the open question is that of the system about a conflict.
func (g *Stage) AsksAbout(p conflict.Pair) bool {
	return g.Asked != nil && g.Asked.Source == bus.System && g.Asked.ReplyTo == p.B.Signal
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
	return !g.Begun() || g.Announced != nil || g.Decided != nil && g.Over() && g.Asked == nil
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
	case *signals.Signal[signals.Escalation]:
		if g.Asked == nil {
			g.Asked, g.question = s, s.ID
		}
	case *signals.Signal[Answered]:
		g.Answered, g.Asked, g.Decided, g.replies, g.question = s, nil, nil, nil, signals.ID{}
	case *signals.Signal[Opened]:
		g.terms, g.Decided = s, nil
	case *signals.Signal[Decided]:
		g.Decided = s
		if g.Asked == nil {
			g.question = s.ID
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
	stopped := g.Decided != nil || g.Asked != nil && g.terms == nil
	if stopped && !g.question.IsZero() && h.ReplyTo == g.question && h.Source != bus.System {
		g.replies = append(g.replies, s)
	}
}
