package verdict_test

import (
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/signals/coordination"
	"github.com/swarmbus/swarmbus/swarm/internal/verdict"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

func TestDetailNamesEverythingOnce(t *testing.T) {
	t.Parallel()
	open := []coordination.Obstacle{{
		Signal: coordination.Signal{Source: "a", Class: coordination.EscalationInterrupt, Summary: "fire"}, Cause: coordination.OpenEscalation,
	}}
	for want, c := range map[string]verdict.Case{
		"nobody moves; only p agrees; escalation.interrupt by a is open: fire; it ended even; v failed in round 2: no model; stopped: w": {
			Alone: "only p agrees", Unsettled: []string{"it ended even"}, Stopped: []string{"w"},
			Result: &solves.Result{Stop: runlog.StopDeadlock, Detail: "nobody moves", Obstacles: open, Logged: solves.Logged{
				Failed: []solves.TurnFailed{{Agent: "v", Round: 2, Err: errors.New("no model")}},
			}},
		},
		"escalation.interrupt by a is open: fire": {
			Result: &solves.Result{Stop: runlog.StopDeadlock, Detail: "escalation.interrupt by a is open: fire", Obstacles: open},
		},
		"all agree": {
			Alone: "only p", Unsettled: []string{"it ended even"},
			Result: &solves.Result{Stop: runlog.StopConsensus, Detail: "all agree", Obstacles: open},
		},
		"all agree; vote of v was refused: too many": {
			Result: &solves.Result{
				Stop: runlog.StopConsensus, Detail: "all agree",
				Logged: solves.Logged{Refused: []solves.Refused{{Agent: "v", Kind: signals.KindVote, Err: errors.New("too many")}}},
			},
		},
		"nobody speaks; u was late in round 1; u was late in round 2; u was late in round 3; and 1 more": {
			Result: &solves.Result{Stop: runlog.StopNoProgress, Detail: "nobody speaks", Logged: solves.Logged{
				Late: []runlog.Late{{Agent: "u", Round: 1}, {Agent: "u", Round: 2}, {Agent: "u", Round: 3}, {Agent: "u", Round: 4}},
			}},
		},
	} {
		if got := c.Detail(); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
