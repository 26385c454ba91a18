package agents

import (
	"context"
	"errors"
	"time"
)

// ErrBudget is what errors of turns are that may not spend what they would have
// to: a swarm in which nobody can go on for that reason says so.
var ErrBudget = errors.New("agents: the budget is used up")

// Spending is what thinking took.
type Spending struct {
	Calls        int           `json:"calls"` // of models
	InputTokens  int           `json:"inputTokens"`
	CachedTokens int           `json:"cachedTokens,omitempty"` // of the input, that a provider's cache had
	OutputTokens int           `json:"outputTokens"`
	Dollars      float64       `json:"dollars,omitempty"`  // where prices are known
	Time         time.Duration `json:"time"`               // in calls, on the wall clock; nanoseconds as JSON
	Repairs      int           `json:"repairs,omitempty"`  // answers that had to be asked for again
	Refusals     int           `json:"refusals,omitempty"` // answers, or parts of them, that nothing could be made of
}

// Plus returns both together.
func (s Spending) Plus(t Spending) Spending {
	return Spending{
		s.Calls + t.Calls, s.InputTokens + t.InputTokens, s.CachedTokens + t.CachedTokens, s.OutputTokens + t.OutputTokens,
		s.Dollars + t.Dollars, s.Time + t.Time, s.Repairs + t.Repairs, s.Refusals + t.Refusals,
	}
}

type spendingKey struct{}

// WithSpending returns a context in which told hears what is spent. It is called
// by those who spend, at once.
func WithSpending(ctx context.Context, told func(Spending)) context.Context {
	return context.WithValue(ctx, spendingKey{}, told)
}

// Spend tells whoever counts, if anybody does, what was spent.
func Spend(ctx context.Context, s Spending) {
	if told, ok := ctx.Value(spendingKey{}).(func(Spending)); ok {
		told(s)
	}
}
