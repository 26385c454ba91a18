package agents

import (
	"context"
	"time"
)

// A Cost is the cost of thinking.
type Cost struct {
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
func (c Cost) Plus(d Cost) Cost {
	return Cost{
		c.Calls + d.Calls, c.InputTokens + d.InputTokens, c.CachedTokens + d.CachedTokens, c.OutputTokens + d.OutputTokens,
		c.Dollars + d.Dollars, c.Time + d.Time, c.Repairs + d.Repairs, c.Refusals + d.Refusals,
	}
}

type spendingKey struct{}

// WithSpending returns a context in which report is called with every cost, concurrently and
// by the goroutine that spends.
func WithSpending(ctx context.Context, report func(Cost)) context.Context {
	return context.WithValue(ctx, spendingKey{}, report)
}

// Spend reports a cost to the function that ctx carries, if any.
func Spend(ctx context.Context, c Cost) {
	if report, ok := ctx.Value(spendingKey{}).(func(Cost)); ok {
		report(c)
	}
}
