package otel

import (
	"context"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A verdict is the part of an evaluation that is compared with the previous one.
type verdict struct {
	outcome             consensus.Outcome
	choice, leaders     string
	support, confidence float64
	voters, quorum      int
	reason, withheld    string
}

func verdictOf(e *solves.Evaluation) verdict {
	var withheld []string
	for _, o := range e.Obstacles {
		withheld = append(withheld, o.Signal.ID.String())
	}
	d := &e.Decision
	return verdict{
		d.Outcome, d.Choice, strings.Join(d.Leaders, "\x00"), d.Support, d.Confidence, d.Voters, d.Ballots().Quorum(), d.Reason(), strings.Join(withheld, " "),
	}
}

// changed reports whether an evaluation differs from the last one that was recorded
// in the solve, and keeps it if so.
func (s *solving) changed(e *solves.Evaluation) bool {
	now := verdictOf(e)
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
func (o *Observer) weigh(ctx context.Context, of *solving, about hooks.Op) hooks.End {
	began := time.Now()
	return func(result any, err error) {
		if e, ok := result.(solves.Evaluation); ok && err == nil && !of.changed(&e) {
			return
		}
		o.begin(ctx, about, began).end(result, err)
	}
}
