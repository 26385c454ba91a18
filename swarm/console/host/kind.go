package host

import (
	"context"
	"errors"

	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/mode"
)

// A kind of task is what was said of it with it; nil: nothing. The context of its solve has it.
type kind struct{ factsDiffer, checkable *bool }

// errKind is returned for a task with a kind on a log that other processes write: one of them may
// drive the solve, and does not know what was said here.
var errKind = errors.New("factsDiffer and checkable: only the file of the team can say so, since other processes may drive the solve")

type kindKey struct{}

func (k kind) said() bool { return k.factsDiffer != nil || k.checkable != nil }

func (k kind) in(ctx context.Context) context.Context { return context.WithValue(ctx, kindKey{}, k) }

// traits returns what was said with a task, or else what the team says; nil: nothing.
func traits(team func(context.Context, signals.Task) mode.Traits) func(context.Context, signals.Task) mode.Traits {
	return func(ctx context.Context, task signals.Task) (t mode.Traits) {
		if team != nil {
			t = team(ctx, task)
		}
		k, _ := ctx.Value(kindKey{}).(kind)
		said := mode.Traits{FactsDiffer: k.factsDiffer != nil && *k.factsDiffer, Checkable: k.checkable != nil && *k.checkable}
		if said.FactsDiffer || said.Checkable {
			said.Because = "it was said with the task"
			return said
		}
		t.FactsDiffer, t.Checkable = t.FactsDiffer && k.factsDiffer == nil, t.Checkable && k.checkable == nil
		return t
	}
}
