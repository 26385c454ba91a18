package demo

import (
	"context"
	"errors"
	"time"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/signals"
)

// known opens a memory with earlier findings of the team; nil: none is supported here. Solves
// do not use it, so that they stay the same; a visitor can search it, and revoke a source.
func known(ctx context.Context) (pool *memory.Pool, end func() error, err error) {
	pool, end, err = opened(ctx)
	if err != nil || pool == nil {
		return nil, nil, err
	}
	if err := pool.Remember(ctx, claims(time.Now())...); err != nil {
		return nil, nil, errors.Join(err, end())
	}
	return pool, end, nil
}

// claims are the initial entries of the memory. A claim of two sources is confirmed.
func claims(now time.Time) (all []memory.Claim) {
	mint := signals.SeededMint("known")
	for i, c := range []struct {
		content, category string
		by                []string
	}{
		{"The 2023 move of the orders table froze writes for 47 minutes, not 20.", "incident", []string{"archivist", "sre"}},
		{"Payments moved with an outbox in 2024, and no write was lost.", "migration", []string{"archivist", "verifier"}},
		{"Raw access logs have personal data: seven days is the policy.", "policy", []string{"planner", "critic"}},
		{"The orders table needs no backup before a move.", "migration", []string{"wiki-import"}},
	} {
		for k, by := range c.by {
			at := now.Add(-time.Duration(24*(4-i)-k) * time.Hour)
			all = append(all, memory.Claim{Content: c.content, Category: c.category, Statement: memory.Statement{
				Signal: mint.ID(uint64(10*i+k+1), at), Source: by, Thread: "earlier", Time: at, Importance: 0.8,
			}})
		}
	}
	return all
}
