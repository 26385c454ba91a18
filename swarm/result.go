package swarm

import (
	"time"

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
	Detail string // why it stopped, in words
	Err    error  // for StopError and StopCancelled

	Decision consensus.Decision
	Observed string // the name of the decision in the swarm's ledger, "" if it is not there
	Answer   string // the chosen proposal's content, "" unless Stop is StopConsensus

	Proposals []*signals.Signal[signals.Proposal] // in log order
	Conflicts []conflict.Pair                     // that opened, in log order
	Log       []signals.Any                       // every signal of the thread, in log order
	Rounds    int
	Turns     Turns
	Elapsed   time.Duration // on the wall clock
	Books     bus.Books     // of the thread's readers
}

// Turns counts the turns of a solve: Taken = Committed + Failed + Dropped.
type Turns struct {
	Taken     int
	Committed int
	Failed    int // ended early; what was said before is committed
	Dropped   int // not committed when the solve ended
	Refused   int // signals that were not published
}
