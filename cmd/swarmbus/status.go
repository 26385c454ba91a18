package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/clipperhouse/displaywidth"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/solves"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// A status is how a running solve stands.
type status struct {
	began   time.Time
	round   int
	running int // turns
	leader  string
	support float64
	spent   func() string // of a budget; nil: there is none
}

// after takes what an event changes.
func (s *status) after(e solves.Event) {
	switch e := e.(type) {
	case solves.RoundStarted:
		s.round = e.Round
	case solves.Weighed:
		s.leader, s.support = e.Decision.Leader(), e.Decision.Support
	default: // how it stands is the same
	}
}

// line returns the status and, in the columns that are left, the end of what an agent says.
// It has fewer than width columns, and nothing that a terminal would act on.
func (s *status) line(now time.Time, agent, says string, width int) string {
	const leader = 24 // columns
	parts := []string{fmt.Sprintf("round %d", s.round), text.Plural(s.running, "turn")}
	if s.leader != "" {
		parts = append(parts, fmt.Sprintf("%s leads with %.2f", transcript.Cut(text.Printable(s.leader), leader), s.support))
	}
	least := len(parts) // on a narrow terminal, what is spent and the time are more than who leads
	if s.spent != nil {
		parts = append(parts, s.spent())
	}
	parts = append(parts, now.Sub(s.began).Truncate(time.Second).String())
	for least > 1 && displaywidth.String(strings.Join(parts, " · ")) >= width {
		least--
		parts = slices.Delete(parts, least, least+1)
	}
	head := transcript.Cut(strings.Join(parts, " · "), width-1)
	rest := width - 1 - displaywidth.String(head)
	name := text.Printable(" · " + agent + ": ")
	if rest -= displaywidth.String(name); agent == "" || rest < 8 {
		return head
	}
	return head + name + lastColumns(text.Printable(says), rest)
}

// lastColumns returns the end of a text that has at most so many columns.
func lastColumns(text string, most int) string {
	over := displaywidth.String(text) - most
	g := displaywidth.StringGraphemes(text)
	for over > 0 && g.Next() {
		over -= g.Width()
		text = text[len(g.Value()):]
	}
	return text
}

func used(account limits.Account, most limits.Spend) string {
	if most.Money > 0 {
		return fmt.Sprintf("%.2g of %v", account.Spent.Money.Dollars(), most.Money)
	}
	return fmt.Sprintf("%d of %s", account.Spent.Tokens, text.Plural(most.Tokens, "token"))
}

// watching returns the hook of a solve, which counts the turns that run for the line on a
// terminal and passes everything to another hook; nil: there is nothing to do.
func (l *live) watching(next hooks.Hook) hooks.Hook {
	if l.w == nil {
		return next
	}
	return turnCount{next, l}
}

// A turnCount is a hook before another one, which may be nil.
type turnCount struct {
	next hooks.Hook
	live *live
}

// Start implements [hooks.Hook].
func (c turnCount) Start(ctx context.Context, op hooks.Op) (context.Context, hooks.End) {
	end := func(any, error) {}
	if c.next != nil {
		ctx, end = c.next.Start(ctx, op)
	}
	if op.Name != hooks.OpTurn {
		return ctx, end
	}
	c.live.change(func() { c.live.of.running++ })
	return ctx, func(result any, err error) {
		end(result, err)
		c.live.change(func() {
			c.live.of.running--
			c.live.ended(op.Target)
		})
	}
}

// Note implements [hooks.Hook].
func (c turnCount) Note(ctx context.Context, what any) {
	if c.next != nil {
		c.next.Note(ctx, what)
	}
}

// Trace implements [hooks.Hook].
func (c turnCount) Trace(ctx context.Context) *signals.Trace {
	if c.next == nil {
		return nil
	}
	return c.next.Trace(ctx)
}
