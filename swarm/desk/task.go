package desk

import (
	"context"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// A Task is what a team is asked, with what is said of its kind: whether the agents know different
// facts about it, and whether a right answer can be proved. Nil: what the team says.
type Task struct {
	signals.Task
	FactsDiffer, Checkable *bool
}

type taskKey struct{}

func (t Task) said() bool { return t.FactsDiffer != nil || t.Checkable != nil }

func (t Task) in(ctx context.Context) context.Context { return context.WithValue(ctx, taskKey{}, t) }

// traits returns what was said with a task, or else what the team says; nil: nothing.
func traits(team func(context.Context, signals.Task) mode.Traits) func(context.Context, signals.Task) mode.Traits {
	return func(ctx context.Context, task signals.Task) (of mode.Traits) {
		if team != nil {
			of = team(ctx, task)
		}
		t, _ := ctx.Value(taskKey{}).(Task)
		said := mode.Traits{FactsDiffer: t.FactsDiffer != nil && *t.FactsDiffer, Checkable: t.Checkable != nil && *t.Checkable}
		if said.FactsDiffer || said.Checkable {
			said.Because = "it was said with the task"
			return said
		}
		of.FactsDiffer, of.Checkable = of.FactsDiffer && t.FactsDiffer == nil, of.Checkable && t.Checkable == nil
		return of
	}
}
