package swarm

import (
	"maps"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Result is what a solve came to. It is complete, whatever stopped the
// solve: with what was committed until then.
type Result struct {
	Thread string
	Task   signals.Task
	Seed   uint64

	Stop   StopReason
	Detail string // why it stopped, in words and numbers, with what did not count and who was late
	Err    error  // for StopError and StopCancelled

	// Question is what somebody outside is asked, for StopEscalated. [Swarm.Resume]
	// takes the answer.
	Question *Question

	Decision consensus.Decision
	Observed string // the name of the decision in the swarm's ledger, "" if it is not there
	Answer   string // the chosen proposal's content, "" unless Stop is StopConsensus

	Proposals []agents.Standing // with their supporters and votes, in log order; the same is one
	Conflicts []conflict.Pair   // that opened, in log order
	Log       []signals.Any     // every signal of the thread, in log order
	Rounds    int
	Turns     Turns
	Failed    []TurnFailed // turns that ended early, in commit order
	Late      []Late       // turns that a round went on without, in log order
	Chosen    []Chosen     // by agents with strategies, in commit order
	// Spent is what the agents' turns took, as far as they say so
	// ([agents.Spend]), also of turns that were dropped. What a turn takes after
	// the end is in nobody's books.
	Spent map[string]agents.Spending
	// LeftBehind are agents whose turn had not come back when the solve ended,
	// although its context had ended before: they do not listen to it.
	LeftBehind []string
	Elapsed    time.Duration // on the wall clock
	Books      bus.Books     // of the thread's readers; what nobody was left to read is filtered

	credited bool // strategies learned from its outcome
}

// SpentInAll is the sum of Spent.
func (r *Result) SpentInAll() (all agents.Spending) {
	for _, id := range slices.Sorted(maps.Keys(r.Spent)) {
		all = all.Plus(r.Spent[id])
	}
	return all
}

// Chosen is how an agent went about a turn.
type Chosen struct {
	Agent    string
	Round    int
	Strategy string
}

// A Question is what a solve asks somebody outside.
type Question struct {
	Asks    string // an agent, or the system for a conflict
	Reason  string
	Context string
	Options []string // the ids of the proposals so far, in log order
}

// Turns counts the turns of a solve: Taken = Committed + Failed + Dropped.
type Turns struct {
	Taken     int
	Committed int
	Failed    int // ended early; what was said before is committed
	Dropped   int // not committed when the solve ended
	Late      int // of all these, that a round went on without
	Retried   int // times that a turn was taken again
	Refused   int // signals that were not published
}
