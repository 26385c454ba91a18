package runlog

import (
	"cmp"

	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A Thread is the state of a solve by its log. Make one with [New].
type Thread struct {
	Name string
	Log  []signals.Any // every signal applied, in order; shared: do not modify

	Calls     Calls
	Votes     Votes
	Conflicts Conflicts
	Debates   Debates
	Turns     Turns
	Stage     Stage
	repeats   repeats
	Withdrawn Withdrawn
	Questions Questions
	members   members

	Coordination *coordination.Thread
}

// New returns the state of a thread before its first signal.
func New(name string) *Thread {
	t := &Thread{Name: name, repeats: newRepeats(), Coordination: coordination.NewThread()}
	t.Calls.init(&t.Votes)
	t.Votes.init(&t.Calls, &t.Withdrawn, &t.Turns, func() []signals.Any { return t.Log })
	t.Conflicts.init(name, &t.Votes)
	t.Debates.init()
	return t
}

// Apply takes the next signal of the log. A signal of another thread changes nothing.
func (t *Thread) Apply(s signals.Any) {
	if s.Head().Thread != t.Name {
		return
	}
	t.Log = append(t.Log, s)
	back := t.Withdrawn.Apply(t.Log[:len(t.Log)-1], s)
	if !back {
		t.repeats.apply(s, &t.Votes)
	}
	t.Turns.apply(s)
	t.Calls.apply(s)
	t.Votes.check(s)
	t.Votes.apply(s)
	t.Conflicts.apply(s)
	t.Debates.apply(s)
	t.members.apply(s)
	t.Stage.Apply(s)
	t.Questions.apply(t.Log, s)
	t.Coordination.Apply(s)
	if back || t.Withdrawn.Any() {
		t.Votes.err = cmp.Or(t.Votes.err, t.withdraw(s, back))
	}
}

// IsNews reports whether a signal of the log is a reason for a turn: it is no repetition, no vote
// that leaves its voter's ballot as it is, and no record of a decision, of which a solve that stops and goes
// on has more than one that does not.
func (t *Thread) IsNews(s signals.Any) bool {
	id, k := s.Head().ID, s.Kind()
	return !t.repeats.found[id] && !t.Votes.idle[id] && k != KindDecided && k != KindTerms
}

// A Mark is what of a thread the next signals may change: two marks tell what was new
// between them.
type Mark struct {
	Log, Late, Failed, Refused, Rounds, Votes int // counts; Votes those of changes
	Began                                     *signals.Signal[Began]
	Terms                                     *signals.Signal[Opened]
	Asked                                     *signals.Signal[signals.Escalation]
	Answered                                  *signals.Signal[Answered]
	Decided                                   *signals.Signal[Decided]
	Announced                                 *signals.Signal[signals.Consensus]
	Outcome                                   *signals.Signal[Outcome]
	Settled                                   *signals.Signal[conflict.Resolution]
	Conflict                                  conflict.Pair // the newest
}

// Mark returns the mark of the thread as it is.
func (t *Thread) Mark() Mark {
	g := &t.Stage
	return Mark{
		len(t.Log), len(t.Turns.Late), len(t.Turns.Failed), len(t.Turns.Refused), t.Turns.Rounds, t.Votes.changes, t.Turns.Began,
		g.terms, g.Asked(), g.Answered, g.Decided, g.Announced, g.Outcome, t.Conflicts.Last(), t.Conflicts.newest(),
	}
}

// Task returns the task that opens the log; the zero task if none does.
func (t *Thread) Task() signals.Task {
	if len(t.Log) == 0 {
		return signals.Task{}
	}
	task, _ := t.Log[0].Body().(signals.Task)
	return task
}

// Pair returns the two sides of a conflict between proposals with their votes.
func (t *Thread) Pair(p conflict.Pair) settle.Pair {
	a, b := t.Votes.Of(p.A.ProposalID), t.Votes.Of(p.B.ProposalID)
	if a == nil || b == nil {
		return settle.Pair{} // not of this thread
	}
	return settle.Pair{A: *a, B: *b}
}
