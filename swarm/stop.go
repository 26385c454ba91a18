package swarm

import (
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// StopReason says why a solve ended. Its wire form is text.
type StopReason = runlog.StopReason

// The stop reasons.
const (
	StopConsensus   = runlog.StopConsensus   // a proposal was chosen
	StopRejected    = runlog.StopRejected    // every proposal was turned down
	StopDeadlock    = runlog.StopDeadlock    // all have spoken and nothing is settled
	StopUncertified = runlog.StopUncertified // the votes fit the leader no better than its opposite
	StopMaxRounds   = runlog.StopMaxRounds   // the maximum number of rounds
	StopNoProgress  = runlog.StopNoProgress  // no agent had anything to say, and no one had voted
	StopBudget      = runlog.StopBudget      // the maximum number of signals, or the budget for a quorum is used up
	StopDeadline    = runlog.StopDeadline    // no time left
	StopCancelled   = runlog.StopCancelled   // the caller's context ended
	StopEscalated   = runlog.StopEscalated   // someone outside the swarm has to look
	StopError       = runlog.StopError       // so many agents failed that the others are no quorum, the bus failed, or a call is not in the recording that is played
	StopAsked       = runlog.StopAsked       // a person has to answer before a turn can go on ([agents.IsAsking])
)
