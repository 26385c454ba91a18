package otel

import (
	"context"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/consensus"
)

// A verdict is what is compared of two evaluations of the votes.
type verdict struct {
	outcome             consensus.Outcome
	choice, leaders     string
	support, confidence float64
	voters, quorum      int
	reason              string
}

func verdictOf(d *consensus.Decision) verdict {
	return verdict{
		d.Outcome, d.Choice, strings.Join(d.Leaders, "\x00"), d.Support, d.Confidence, d.Voters, d.Ballots().Quorum(), d.Reason(),
	}
}

// changed reports whether a decision differs from the last one that was recorded
// in the solve, and keeps it if so.
func (s *solving) changed(d *consensus.Decision) bool {
	now := verdictOf(d)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last == now {
		return false
	}
	s.last = now
	return true
}

// weigh records an evaluation of a solve's votes when it ends, if it failed or its
// decision differs from the one before. Votes are evaluated at every commit, and
// most commits are not votes.
func (o *Observer) weigh(ctx context.Context, of *solving, about agents.Op) agents.End {
	began := time.Now()
	return func(result any, err error) {
		if d, ok := result.(consensus.Decision); ok && err == nil && !of.changed(&d) {
			return
		}
		o.begin(ctx, about, began).end(result, err)
	}
}
