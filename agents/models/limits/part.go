package limits

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models"
)

// A purse is what a call is paid from.
type purse struct {
	model      models.ID
	agent, day string
}

func (p purse) compare(q purse) int {
	return cmp.Or(strings.Compare(p.model.String(), q.model.String()), strings.Compare(p.agent, q.agent), strings.Compare(p.day, q.day))
}

// A part limits some of a budget's calls, or all of them.
type part struct {
	name     string // such as "the share of critic"
	most     Spend  // 0: unlimited
	taken    Spend  // by finished calls, or withheld for them
	reserved Spend
}

// fits reports whether an amount is within the part.
func (p *part) fits(s Spend) bool {
	return (p.most.Tokens == 0 || s.Tokens <= p.most.Tokens) && (p.most.Money == 0 || s.Money <= p.most.Money)
}

// Share limits what the calls in turns of an agent may take, as [NewBudget] does for all calls.
// Call it before the budget is used.
func (b *Budget) Share(agent string, most Spend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shares[agent] = &part{name: "the share of " + agent, most: most}
}

// PerDay limits what the calls that begin on one day may take, by UTC. A program that is started
// again has to [Budget.Book] what it had spent. Call it before the budget is used.
func (b *Budget) PerDay(most Spend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.daily, b.day = &part{name: "the limit of a day", most: most}, today()
}

func today() string { return time.Now().UTC().Format(time.DateOnly) }

// needsPrices reports whether an amount of the budget is in money.
func (b *Budget) needsPrices() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	needs := b.most.Money > 0 || b.daily != nil && b.daily.most.Money > 0
	for _, p := range b.shares {
		needs = needs || p.most.Money > 0
	}
	return needs
}

// purseLocked returns what a call that begins now is paid from.
func (b *Budget) purseLocked(ctx context.Context, model models.ID) purse {
	of := purse{model: model}
	if t := agents.TurnOf(ctx); t != nil {
		of.agent = t.Agent
	}
	if b.daily != nil {
		if of.day = today(); of.day != b.day {
			b.day, b.daily.taken, b.daily.reserved = of.day, Spend{}, Spend{}
		}
	}
	return of
}

// partsLocked returns the parts that a call counts in.
func (b *Budget) partsLocked(of purse) (all []*part) {
	if p := b.shares[of.agent]; p != nil {
		all = append(all, p)
	}
	if b.daily != nil && of.day == b.day {
		all = append(all, b.daily)
	}
	return all
}

// limitsLocked returns the parts that a call has to fit, first the whole.
func (b *Budget) limitsLocked(of purse) []*part {
	whole := &part{name: "the budget", most: b.most, taken: b.account.Spent.plus(b.account.Withheld), reserved: b.account.Reserved}
	return append([]*part{whole}, b.partsLocked(of)...)
}

func (b *Budget) takeLocked(of purse, s Spend) {
	b.account.Spent = b.account.Spent.plus(s)
	for _, p := range b.partsLocked(of) {
		p.taken = p.taken.plus(s)
	}
}

func (b *Budget) reserveLocked(of purse, s Spend) {
	b.account.Reserved = b.account.Reserved.plus(s)
	for _, p := range b.partsLocked(of) {
		p.reserved = p.reserved.plus(s)
	}
}

// A refusal is the error of a call that does not fit.
type refusal struct {
	call Spend
	in   part
	open Spend
}

func (r *refusal) Error() string {
	var left, size []string
	most, taken := r.in.most, r.in.taken
	if most.Tokens > 0 {
		size = append(size, fmt.Sprintf("%dtokens", taken.Tokens+r.call.Tokens))
		left = append(left, fmt.Sprintf("%d of %d tokens", most.Tokens-taken.Tokens, most.Tokens))
	}
	if most.Money > 0 {
		size = append(size, (taken.Money + r.call.Money).String())
		left = append(left, fmt.Sprintf("%v of %v", most.Money-taken.Money, most.Money))
	}
	text := fmt.Sprintf("it may take %v, and %s are left; a budget of %s would allow it", r.call, strings.Join(left, " and "), strings.Join(size, " and "))
	if r.in.name != "the budget" {
		text = fmt.Sprintf("it may take %v, and of %s %s are left; one of %s would allow it", r.call, r.in.name, strings.Join(left, " and "), strings.Join(size, " and "))
	}
	if r.open != (Spend{}) {
		text += fmt.Sprintf("; %v are held for calls of unknown cost, which Budget.Settle or --settle releases", r.open)
	}
	return text
}

func (*refusal) Unwrap() error { return models.ErrBudget }
