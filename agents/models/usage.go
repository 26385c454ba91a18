package models

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/swarmbus/swarmbus/signals"
)

// Usage counts the tokens of a call.
type Usage struct {
	Input      int `json:"input"`                // of the prompt, including the cached ones below
	CacheRead  int `json:"cacheRead,omitempty"`  // of the input: read from a cache
	CacheWrite int `json:"cacheWrite,omitempty"` // of the input: written to a cache
	Output     int `json:"output"`               // of the answer, including reasoning
	Reasoning  int `json:"reasoning,omitempty"`  // of the output: reasoning, as far as it is told
}

// Tokens returns the sum of input and output.
func (u Usage) Tokens() int { return u.Input + u.Output }

// Counted reports whether the usage can be that of the answer: there is one, no count
// is negative or beyond a billion, the cached tokens are part of the prompt, the reasoning is part of the answer, and an
// answer that is not empty has output tokens. Otherwise it is unknown what the answer
// took.
func (a *Answer) Counted() bool {
	const most = 1e9 // tokens of a call
	u := a.Usage
	return u != (Usage{}) && u.Input >= 0 && u.Input <= most && u.Output >= 0 && u.Output <= most &&
		u.CacheRead >= 0 && u.CacheWrite >= 0 && u.CacheRead <= u.Input && u.CacheWrite <= u.Input-u.CacheRead &&
		u.Reasoning >= 0 && u.Reasoning <= u.Output &&
		(u.Output > 0 || a.Text == "" && len(a.Calls) == 0)
}

// Plus returns the sum.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Input + v.Input, u.CacheRead + v.CacheRead, u.CacheWrite + v.CacheWrite, u.Output + v.Output, u.Reasoning + v.Reasoning}
}

// Money is an amount in billionths of a US dollar, so that sums are exact.
type Money int64

// USD is one US dollar.
const USD Money = 1e9

// Dollars returns the amount in US dollars.
func (m Money) Dollars() float64 { return float64(m) / float64(USD) }

// String returns the amount with its currency, such as "0.0025usd".
func (m Money) String() string { return strconv.FormatFloat(m.Dollars(), 'f', -1, 64) + "usd" }

// ParseMoney reads what String writes. The amount is at least 0 and less than
// nine billion dollars.
func ParseMoney(s string) (Money, error) {
	number, ok := strings.CutSuffix(s, "usd")
	x, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil || !(x >= 0 && x < 9e9) || math.Signbit(x) {
		return 0, fmt.Errorf("models: money %.40q is not an amount such as 0.50usd", s)
	}
	return Money(math.Round(x * float64(USD))), nil
}

// A Price is the price of a million tokens, in US dollars. Tokens read from or
// written to a cache cost the same as other input unless set otherwise; [Free]
// costs nothing.
type Price struct {
	Input      float64
	CacheRead  float64 // 0: Input
	CacheWrite float64 // 0: Input
	Output     float64
}

// Free is the price of a self-hosted model.
var Free = Price{}

// Cost returns the cost of a call, rounded up to a whole billionth for each
// sort of tokens.
func (p Price) Cost(u Usage) Money {
	plain := max(0, u.Input-u.CacheRead-u.CacheWrite)
	return cost(plain, p.Input) + cost(u.CacheRead, or(p.CacheRead, p.Input)) +
		cost(u.CacheWrite, or(p.CacheWrite, p.Input)) + cost(u.Output, p.Output)
}

// Highest returns the highest possible cost of a call with that many tokens.
func (p Price) Highest(input, output int) Money {
	return cost(input, max(p.Input, p.CacheRead, p.CacheWrite)) + cost(output, p.Output)
}

// Validate returns a [*signals.FieldError] for the first number that is negative, not
// finite or beyond a dollar for a token.
func (p Price) Validate() error {
	for _, x := range []struct {
		field string
		value float64
	}{{"input", p.Input}, {"cacheRead", p.CacheRead}, {"cacheWrite", p.CacheWrite}, {"output", p.Output}} {
		if !(x.value >= 0 && x.value <= 1e6) {
			return &signals.FieldError{Field: "price." + x.field, Value: fmt.Sprint(x.value), Problem: "not from 0 to a million dollars for a million tokens"}
		}
	}
	return nil
}

func or(x, otherwise float64) float64 {
	if x == 0 {
		return otherwise
	}
	return x
}

// cost rounds up, but ignores rounding errors of floating-point arithmetic.
func cost(tokens int, perMillion float64) Money {
	return Money(math.Ceil(float64(tokens)*perMillion*1e3 - 1e-6))
}
