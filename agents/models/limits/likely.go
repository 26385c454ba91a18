package limits

import (
	"math"

	"github.com/swarmbus/swarmbus/agents/models"
)

// A call is expected to take the share of its maximum that recent calls of its model
// took, and a quarter more: prompts grow during a solve.
const (
	margin = 1.25
	weight = 1.0 / 8 // of the newest call
)

// shares are the recent shares of what calls took of the most that they might have
// taken, by model.
type shares map[models.ID]share

type share struct{ tokens, money float64 }

// learn counts a call whose usage is known.
func (all shares) learn(c Change) {
	if c.Most.Tokens <= 0 {
		return
	}
	now := share{tokens: float64(c.Used.Tokens) / float64(c.Most.Tokens)}
	if c.Most.Money > 0 {
		now.money = float64(c.Used.Money) / float64(c.Most.Money)
	}
	if before, known := all[c.Model]; known {
		now.tokens = before.tokens + weight*(now.tokens-before.tokens)
		now.money = before.money + weight*(now.money-before.money)
	}
	all[c.Model] = now
}

// likely returns what a call is expected to take, at most all: what the first call of a
// model may take.
func (all shares) likely(model models.ID, most Spend) Spend {
	s, known := all[model]
	if !known {
		return most
	}
	part := func(n int64, of float64) int64 { return min(n, int64(math.Ceil(float64(n)*of*margin))) }
	return Spend{int(part(int64(most.Tokens), s.tokens)), models.Money(part(int64(most.Money), s.money))}
}
