package agents

import (
	"context"
	"errors"
	"time"
)

// ErrBudget is wrapped by errors of turns that would exceed a budget. A swarm
// in which no agent can continue for that reason reports it.
var ErrBudget = errors.New("agents: the budget is used up")

// Spending is the cost of thinking.
type Spending struct {
	Calls        int           `json:"calls"` // to models
	InputTokens  int           `json:"inputTokens"`
	CachedTokens int           `json:"cachedTokens,omitempty"` // tokens of the input that were in a provider's cache
	OutputTokens int           `json:"outputTokens"`
	Dollars      float64       `json:"dollars,omitempty"`  // as far as prices are known
	Time         time.Duration `json:"time"`               // wall-clock time in calls; nanoseconds in JSON
	Repairs      int           `json:"repairs,omitempty"`  // answers that had to be requested again
	Refusals     int           `json:"refusals,omitempty"` // unusable answers, or parts of answers
}

// Plus returns the sum.
func (s Spending) Plus(t Spending) Spending {
	return Spending{
		s.Calls + t.Calls, s.InputTokens + t.InputTokens, s.CachedTokens + t.CachedTokens, s.OutputTokens + t.OutputTokens,
		s.Dollars + t.Dollars, s.Time + t.Time, s.Repairs + t.Repairs, s.Refusals + t.Refusals,
	}
}

type spendingKey struct{}

// WithSpending returns a context in which told is called with every spending,
// concurrently and by the goroutine that spends.
func WithSpending(ctx context.Context, told func(Spending)) context.Context {
	return context.WithValue(ctx, spendingKey{}, told)
}

// Spend reports a spending to the function that ctx carries, if any.
func Spend(ctx context.Context, s Spending) {
	if told, ok := ctx.Value(spendingKey{}).(func(Spending)); ok {
		told(s)
	}
}
