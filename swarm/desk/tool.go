package desk

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// deepest is how many teams may work for each other, each as the tool of the one before.
const deepest = 3

type depthKey struct{}

const asksTeam = `{"type":"object","additionalProperties":false,"required":["task"],"properties":{` +
	`"task":{"type":"string","description":"what the team decides, with all that it has to know"},` +
	`"context":{"type":"string","description":"background"}}}`

// Tool returns a tool of that name with which an agent of another team gives this one a task, and
// gets its answer; about says what the team is for. The solve is one of this desk, in its log, within
// its limits; it ends with the call, its spans are below that of the call, and what it spends counts
// for the agent that calls. Teams that share a [limits.Budget] spend from one.
// A team that does not decide is a result that says why, with IsError, and so is a call
// below three others.
func (d *Desk) Tool(name, about string) tools.Tool {
	return tools.Tool{
		Spec: tools.Spec{Name: name, Description: about, Input: json.RawMessage(asksTeam)},
		Call: func(ctx context.Context, args json.RawMessage) (tools.Result, error) {
			var task signals.Task
			if err := json.Unmarshal(args, &task); err != nil {
				return tools.Result{}, err
			}
			depth, _ := ctx.Value(depthKey{}).(int)
			if depth == deepest {
				return tools.Result{IsError: true, Text: fmt.Sprintf("%s was not asked: %d teams work for each other already", name, depth)}, nil
			}
			r, err := d.solved(context.WithValue(ctx, depthKey{}, depth+1), task)
			if err != nil {
				return tools.Result{}, err
			}
			agents.Spend(ctx, r.SpentInAll())
			if !r.Stop.Chose() {
				return tools.Result{IsError: true, Text: fmt.Sprintf("no decision (%s, solve %s): %s", r.Stop, r.Thread, r.Sentence(nil))}, nil
			}
			return tools.Result{Text: fmt.Sprintf("%s\n(%s, solve %s: %s)", r.Answer, r.Stop, r.Thread, r.Sentence(nil))}, nil
		},
	}
}

// solved returns the result of a task that is solved meanwhile.
func (d *Desk) solved(ctx context.Context, task signals.Task) (r *solves.Result, err error) {
	for e, failed := range d.Solve(ctx, Task{Task: task}) {
		if stopped, ok := e.(solves.Stopped); ok {
			r = stopped.Result
		}
		if failed != nil {
			err = failed
		}
	}
	if r == nil && err == nil {
		err = context.Cause(ctx)
	}
	return r, err
}
