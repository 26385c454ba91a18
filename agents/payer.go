package agents

import (
	"context"
)

// A Payer is a [Reactor] whose turns are paid from a budget. A swarm asks both
// advocates of a debate before each of its rounds begins, in the goroutine of the solve: a
// round for which one of them cannot pay is not held. What is reserved is released as soon as
// both have been asked: the calls of the round reserve what they cost one by one, so that no
// budget is overspent, and one that finds that others have taken the rest fails with
// [ErrBudget].
//
// An agent whose reactor is no Payer can pay: one in another process, for example, whose
// budget is there. A turn that it cannot pay for fails like any other.
type Payer interface {
	// Reserve sets aside what that number of turns like t is likely to cost, until release
	// is called, and reports whether the budget has it. It must be quick, and release must
	// not be nil.
	Reserve(ctx context.Context, t *Turn, turns int) (release func(), ok bool)
}
