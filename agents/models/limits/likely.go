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

// Calls of a model of which no answer is known are booked after a kill with this share of what
// they may take: a token is some four bytes, and few answers reach their bound.
const unheard = 1.0 / 4

// unsettled are the open calls of a purse.
type unsettled struct {
	before calls // of earlier processes, with their likely cost by what is known now
	now    calls // of this one, for which the rest of what they may take is withheld
}

// calls are the most that some calls may take, and what is booked for them.
type calls struct{ most, likely Spend }

func (c *calls) add(most, likely Spend) {
	c.most, c.likely = c.most.plus(most), c.likely.plus(likely)
}

// openLocked returns the open calls of a purse.
func (b *Budget) openLocked(of purse) *unsettled {
	if b.open[of] == nil {
		b.open[of] = new(unsettled)
	}
	return b.open[of]
}

// addLocked books an amount that is open.
func (b *Budget) addLocked(of purse, s Spend) {
	b.takeLocked(of, s)
	b.account.Open = b.account.Open.plus(s)
}

// restateLocked books what the open calls of earlier processes are likely to have taken, by what
// is known of the model now.
func (b *Budget) restateLocked(model models.ID) {
	known := b.recent
	if _, heard := known[model]; !heard {
		known = shares{model: {unheard / margin, unheard / margin}}
	}
	for of, u := range b.open {
		if of.model == model {
			likely := known.likely(model, u.before.most)
			b.addLocked(of, likely.minus(u.before.likely))
			u.before.likely = likely
		}
	}
}
