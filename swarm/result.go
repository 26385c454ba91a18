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
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A Result is the result of a solve. Whatever stopped the solve, it has
// everything committed until then.
type Result struct {
	Thread string
	Task   signals.Task
	Seed   uint64

	Stop   StopReason
	Detail string // why it stopped, with numbers, votes that did not count and late agents; see Decision.Note, too
	Err    error  // set for StopError and StopCancelled

	// Question is the question to someone outside the swarm, for StopEscalated.
	// [Swarm.Resume] takes the answer.
	Question *Question

	Decision consensus.Decision
	Missing  []string // agents that were asked to vote and did not, if the quorum was not met without them
	Observed string   // the name of the decision in the swarm's ledger; "": not in it
	Answer   string   // the chosen proposal's content; "" unless Stop is StopConsensus

	// Groupthink is a diagnostic: how many agents challenged something, and how many
	// would have if each had done so by itself.
	Groupthink settle.Groupthink

	Logged // what its log says
	Cost   // what it took

	credited bool // strategies have learned from its outcome
}

// SpentInAll returns the sum of Spent.
func (r *Result) SpentInAll() (all agents.Spending) {
	for _, id := range slices.Sorted(maps.Keys(r.Spent)) {
		all = all.Plus(r.Spent[id])
	}
	return all
}

// Logged is what the log of a solve says.
type Logged struct {
	Proposals []agents.Standing // with their supporters and votes, in log order; equal ones merged
	Conflicts []conflict.Pair   // opened, in log order
	// Settled says how conflicts were settled, in log order. A consensus settles those
	// that are open without saying so.
	Settled []*signals.Signal[conflict.Resolution]
	Log     []signals.Any // every signal of the thread, in log order
	Rounds  int
	Failed  []TurnFailed        // turns that ended early, in commit order
	Late    []runlog.Late       // turns that a round continued without, in log order
	Passed  []runlog.TurnPassed // turns in which agents said that they had nothing to add, in log order
}

// Cost is what a solve took. It is zero in a result that was read from a log.
type Cost struct {
	Turns  Turns
	Chosen []Chosen // by agents with strategies, in commit order
	// Spent is the cost of the agents' turns, as far as they report it
	// ([agents.Spend]), including dropped turns. Costs of a turn after the end
	// of the solve are not counted.
	Spent map[string]agents.Spending
	// LeftBehind lists agents whose turn had not returned when the solve ended,
	// although its context had ended before: they ignore their context.
	LeftBehind []string
	Elapsed    time.Duration // on the wall clock
	Books      bus.Account   // of the thread's readers; signals after the last reader left count as filtered
}

// read fills in what the log says. Failed has the errors themselves, and the rounds of
// a running solve are counted as they begin.
func (r *Result) read(t *runlog.Thread) {
	r.Log, r.Proposals, r.Conflicts = t.Log, t.Votes.Show(""), t.Conflicts.All()
	r.Settled = t.Conflicts.Settled
	r.Late, r.Passed = t.Turns.Late, t.Turns.Passed
	r.Rounds = max(r.Rounds, t.Turns.Rounds)
}

// Chosen is the strategy that an agent chose for a turn.
type Chosen struct {
	Agent    string
	Round    int
	Strategy string
}

// A Question is a question of a solve to someone outside.
type Question struct {
	Asks    string // the source: an agent, or the system for a conflict
	Reason  string
	Context string
	Options []string // the ids of the proposals so far, in log order
}

// Turns counts the turns of a solve: Taken = Committed + Failed + Dropped.
type Turns struct {
	Taken     int `json:"taken"`
	Committed int `json:"committed"`
	Failed    int `json:"failed"`  // ended early; signals before that are committed
	Dropped   int `json:"dropped"` // not committed when the solve ended
	Late      int `json:"late"`    // of all these, turns that a round continued without
	Retried   int `json:"retried"` // number of retries
	Refused   int `json:"refused"` // signals that were not published
}
