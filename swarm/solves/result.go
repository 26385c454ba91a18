package solves

import (
	"maps"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/mode"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/settle"
)

// A Result is the result of a solve. Whatever stopped the solve, it has
// everything committed until then.
type Result struct {
	Thread string
	Task   signals.Task
	Seed   uint64

	Stop   runlog.StopReason
	Detail string // why it stopped, with numbers, votes that did not count and late agents; see Decision.Note, too
	Err    error  // set for [runlog.StopError] and [runlog.StopCancelled]

	// Question is the question to someone outside the swarm, for [runlog.StopEscalated],
	// whose answer [swarm.Swarm.Resume] takes.
	Question *Question

	Decision consensus.Decision
	Missing  []string // agents that were asked to vote and did not, if the quorum was not met without them
	Observed string   // the name of the decision in the swarm's ledger; "": not in it
	Answer   string   // the chosen proposal's content; "" unless [runlog.StopReason.Chose]

	// Obstacles are what kept the thread from converging when the solve stopped, oldest
	// first. While there are any, no proposal is chosen.
	Obstacles []coordination.Obstacle
	// Groupthink is a diagnostic: how many agents challenged something, and how many
	// would have if each had done so by itself.
	Groupthink settle.Groupthink

	// Revision says what of that was decided anew because something was taken back later;
	// nil: nothing was. It is of results that were read from a journal, or resumed.
	Revision *Revision

	Logged // what its log says
	Cost   // what it took
}

// SpentInAll returns the sum of Spent.
func (r *Result) SpentInAll() (all agents.Cost) {
	for _, id := range slices.Sorted(maps.Keys(r.Spent)) {
		all = all.Plus(r.Spent[id])
	}
	return all
}

// Logged is what the log of a solve says.
type Logged struct {
	Proposals []agents.Standing // with their supporters and votes, in log order; equal ones merged
	Conflicts []conflict.Pair   // opened, in log order
	open      []conflict.Pair   // of these, those that nothing has settled
	// Settled says how conflicts were settled, in log order.
	Settled []*signals.Signal[conflict.Resolution]
	Log     []signals.Any // every signal of the thread, in log order
	Rounds  int
	Planned *mode.Plan          // how it worked, and why; nil: it deliberated, since nothing else was asked for
	Calls   int                 // turns that began
	Failed  []TurnFailed        // turns that ended early, in commit order
	Refused []Refused           // signals of agents that were not published, in commit order
	Late    []runlog.Late       // turns that a round continued without, in log order
	Passed  []runlog.TurnPassed // turns in which agents said that they had nothing to add, in log order
	// Fallbacks are the turns in which another model than the agent's own answered, in log order.
	Fallbacks []*signals.Signal[agents.Fallback]
	Unpaid    []settle.Unpaid // rounds of debates that were not held, in log order

	// Questions are those to a person, in log order. One that is open is waited for if the solve
	// has stopped.
	Questions []runlog.Question

	Retracted []*signals.Signal[signals.Retraction] // that took something back, in log order
	Fallen    []*signals.Signal[signals.Vote]       // that do not count, since what they rest on was taken back
}

// Cost is what a solve took. It is zero in a result that was read from a log.
type Cost struct {
	Turns  Turns
	Chosen []Chosen // by agents with strategies, in commit order
	// Spent is the cost of the agents' turns, as far as they report it
	// ([agents.Spend]), including dropped turns. Costs of a turn after the end
	// of the solve are not counted.
	Spent map[string]agents.Cost
	// LeftBehind lists agents whose turn had not returned when the solve ended,
	// although its context had ended before: they ignore their context.
	LeftBehind []string
	Elapsed    time.Duration // on the wall clock
	Account    bus.Account   // of the thread's readers; signals after the last reader left count as filtered
}

// LoggedBy returns what the log of a thread says. Its slices are shared.
func LoggedBy(t *runlog.Thread) Logged {
	l := Logged{
		Log: t.Log, Proposals: t.Votes.Show(""), Conflicts: t.Conflicts.All(), open: t.Conflicts.Open(), Settled: t.Conflicts.Settled,
		Late: t.Turns.Late, Passed: t.Turns.Passed, Fallbacks: t.Turns.Fallbacks, Rounds: t.Turns.Rounds, Planned: t.Calls.Planned, Calls: t.Turns.Begun,
		Unpaid: t.Debates.Unpaid, Questions: t.Questions.All(), Retracted: t.Withdrawn.Said, Fallen: t.Withdrawn.Fallen,
	}
	for _, f := range t.Turns.Failed {
		l.Failed = append(l.Failed, TurnFailed{f.Agent, f.Round, f.Err()})
	}
	for _, f := range t.Turns.Refused {
		l.Refused = append(l.Refused, refusedIn(f))
	}
	return l
}

func refusedIn(f runlog.Refused) Refused {
	return Refused{Agent: f.Agent, Round: f.Round, Kind: f.Signal, Err: f.Err()}
}

// An Evaluation is the result of an evaluation of a solve's votes ([hooks.OpConsensus]).
type Evaluation struct {
	Decision  consensus.Decision
	Obstacles []coordination.Obstacle // because of which a choice of the votes is withheld, oldest first
}

// Chosen is the strategy that an agent chose for a turn.
type Chosen struct {
	Agent    string
	Round    int
	Strategy string
	Credited bool // the agent's strategies have learned from the outcome
}

// A Question is a question of a solve to someone outside.
type Question struct {
	Asks    string // the source: an agent, or the system for a conflict
	Reason  string
	Context string
	Options []string // the ids of the proposals so far, in log order
}

// QuestionOf returns the question of a thread that waits for an answer; nil if it has
// none.
func QuestionOf(t *runlog.Thread) *Question {
	asked := t.Stage.Asked()
	if asked == nil {
		return nil
	}
	q := &Question{Asks: asked.Source, Reason: asked.Payload.Reason, Context: asked.Payload.Context}
	for _, p := range t.Votes.Show("") {
		q.Options = append(q.Options, p.ID())
	}
	return q
}

// Turns counts the turns of a solve: Taken = Committed + Failed + Asked + Dropped.
type Turns struct {
	Taken     int `json:"taken"`
	Committed int `json:"committed"`
	Failed    int `json:"failed"`          // ended early; signals before that are committed
	Asked     int `json:"asked,omitempty"` // ended to ask a person; they are taken again
	Dropped   int `json:"dropped"`         // not committed when the solve ended
	Late      int `json:"late"`            // of all these, turns that a round continued without
	Retried   int `json:"retried"`         // number of retries
	Refused   int `json:"refused"`         // signals that were not published
}
