package models

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// Fallback returns a model that asks the first one, and the next ones, in order, where that is
// out: in an outage, at a rate limit that its limits do not wait for, or if the model or the
// account's credit is gone. A request that was refused goes nowhere else, nor does one with a wrong
// key. It has the ID of the first, and [Answer].Instead says which other one answered, and why.
//
// [Ask] reports a call of each model that was asked, as one of that model.
func Fallback(first Model, others ...Model) Model {
	var all fallback
	for _, m := range append([]Model{first}, others...) {
		if inner, ok := m.(fallback); ok {
			all = append(all, inner...)
			continue
		}
		all = append(all, m)
	}
	if len(all) == 1 {
		return first
	}
	return all
}

// Instead is the model that answered in place of the one that was asked.
type Instead struct {
	Model ID     `json:"model"`
	Why   string `json:"why"` // the errors of those before it
}

type fallback []Model

// ID implements [Model].
func (f fallback) ID() ID { return f[0].ID() }

// Ask implements [Model].
func (f fallback) Ask(ctx context.Context, r *Request) (*Answer, error) {
	return f.ask(ctx, r, func(ctx context.Context, m Model, r *Request) (*Answer, error) { return m.Ask(ctx, r) })
}

// Reserve implements [Payer]: for the first model, which most often answers.
func (f fallback) Reserve(ctx context.Context, r *Request, n int) (release func(), ok bool) {
	return Reserve(ctx, f[0], r, n)
}

func (f fallback) ask(ctx context.Context, r *Request, ask func(context.Context, Model, *Request) (*Answer, error)) (*Answer, error) {
	var why []string
	for i, m := range f {
		one, shown := *r, false
		one.Elsewhere, one.Next = r.Elsewhere || i < len(f)-1, r.Next+i
		if r.Show != nil {
			one.Show = func(p Piece) {
				shown = true
				r.Show(p)
			}
		}
		a, err := ask(ctx, m, &one)
		switch {
		case err == nil && i > 0:
			return instead(a, m.ID(), why), nil
		case err == nil:
			return a, nil
		case i == len(f)-1:
			return nil, fmt.Errorf("%w, after: %s", err, strings.Join(why, "; "))
		case ctx.Err() != nil || !isOut(err):
			return nil, err
		case shown:
			r.Show(Piece{Again: true})
		}
		why = append(why, err.Error())
	}
	panic("models: a fallback without models") // Fallback makes none
}

// instead returns the answer of a model that answered in place of another, which may itself have
// others.
func instead(a *Answer, id ID, why []string) *Answer {
	said := *a
	if inner := a.Instead; inner != nil {
		id, why = inner.Model, append(why, inner.Why)
	}
	said.Instead = &Instead{id, strings.Join(why, "; ")}
	return &said
}

// isOut reports whether another model may answer what one did not.
func isOut(err error) bool {
	var failed *Error
	return errors.As(err, &failed) && (failed.Outage() || failed.Problem == ErrNotFound || failed.Problem == ErrQuota)
}
