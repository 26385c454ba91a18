package models

import "context"

// A Payer is a [Model] whose calls are paid from a budget.
type Payer interface {
	// Reserve sets aside what n calls with a request are likely to take, until release is
	// called, and reports whether the budget has it. It waits for nobody.
	Reserve(ctx context.Context, r *Request, n int) (release func(), ok bool)
}

// Reserve calls the method of a model that is a [Payer]. Other models cost nothing.
func Reserve(ctx context.Context, m Model, r *Request, n int) (release func(), ok bool) {
	if p, pays := m.(Payer); pays {
		return p.Reserve(ctx, r, n)
	}
	return func() {}, true
}
