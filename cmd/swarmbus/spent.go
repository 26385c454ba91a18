package main

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A pastSpending is what a run had spent before it was continued. The calls that are
// answered from the journal are counted by who asks again.
type pastSpending struct {
	journal.Caller

	mu   sync.Mutex // protects the field below
	past map[journal.Key]agents.Cost
}

// Do implements [journal.Caller].
func (p *pastSpending) Do(ctx context.Context, k journal.Key, call func(context.Context) ([]byte, error)) ([]byte, error) {
	p.mu.Lock()
	delete(p.past, k)
	p.mu.Unlock()
	return p.Caller.Do(ctx, k, call)
}

// add adds what was spent before to a result.
func (p *pastSpending) add(r *solves.Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := maps.Clone(r.Spent)
	if all == nil && len(p.past) > 0 {
		all = map[string]agents.Cost{}
	}
	for key, s := range p.past {
		all[key.Agent] = all[key.Agent].Plus(s)
	}
	r.Spent = all
}

// booked says what the budget has booked. What is open may have cost less or more.
func booked(account limits.Account) string {
	line := fmt.Sprintf("budget: %v spent", account.Used())
	if account.Open != (limits.Spend{}) {
		line += fmt.Sprintf("; %v open: the likely cost of calls that failed, were interrupted or were not counted, until --resume RUN --settle", account.Open)
	}
	if account.Refused > 0 {
		line += fmt.Sprintf("; %s refused", text.Plural(account.Refused, "call"))
	}
	return line
}
