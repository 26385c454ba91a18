package limits

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Spend is an amount of tokens and money.
type Spend struct {
	Tokens int          `json:"tokens,omitempty"`
	Money  models.Money `json:"money,omitempty"`
}

// String returns both amounts.
func (s Spend) String() string { return fmt.Sprintf("%d tokens and %v", s.Tokens, s.Money) }

// plus returns the sum, or as much as can be counted.
func (s Spend) plus(t Spend) Spend {
	return Spend{saturated(s.Tokens, t.Tokens, math.MaxInt), saturated(s.Money, t.Money, math.MaxInt64)}
}

func saturated[N int | models.Money](a, b, most N) N {
	if a > 0 && b > most-a {
		return most
	}
	return a + b
}

func (s Spend) minus(t Spend) Spend { return Spend{s.Tokens - t.Tokens, s.Money - t.Money} }

// A Budget limits the total spending of calls. It is safe for concurrent use;
// models of several providers may share one.
type Budget struct {
	most Spend // 0: unlimited
	keep func(Change) error

	ending  sync.Mutex // held while a call ends: what is learned is in the order of the record; locked before mu
	mu      sync.Mutex // protects the fields below
	account Account
	recent  shares
	open    map[purse]*unsettled
	shares  map[string]*part // by agent
	daily   *part            // of the day; nil: days have no limit
	day     string
	freed   chan struct{} // closed when a reservation ends; nil: no one waits
}

// An Account is what a budget has counted up to one moment.
type Account struct {
	Spent    Spend // by finished calls
	Open     Spend // of Spent: the likely cost of calls whose usage is unknown, since they failed, were interrupted or were not counted
	Withheld Spend // what calls in Open may have taken beyond their likely cost: no other call may take it
	Reserved Spend // the most that running calls may take
	Refused  int   // number of calls refused
	Over     Spend // of Spent: beyond what calls had reserved
}

// Used returns what the answers took, as the providers counted it.
func (b *Account) Used() Spend { return b.Spent.minus(b.Open) }

// A Change is a change of what was used and of what is open, for [Budget.Keep].
type Change struct {
	Model models.ID `json:"model,omitzero"`
	Agent string    `json:"agent,omitempty"` // in whose turn the call was made
	Day   string    `json:"day,omitempty"`   // of UTC on which it began, if days have a limit
	Used  Spend     `json:"used,omitzero"`
	Open  Spend     `json:"open,omitzero"` // below 0 when calls end, or are settled
	Most  Spend     `json:"most,omitzero"` // the most that the call might have taken that Used is of
	Held  Spend     `json:"held,omitzero"` // the most that a call may take, as it begins; below 0 when calls end, or are settled
}

// NewBudget returns a budget. An amount of 0 means no limit, and one below 0 refuses
// every call.
func NewBudget(most Spend) *Budget {
	return &Budget{most: most, recent: shares{}, open: map[purse]*unsettled{}, shares: map[string]*part{}}
}

// Keep sets a function that records each change of the amounts used and open, so that a
// program that continues after a crash can [Budget.Book] them in order. A call is open,
// with its likely cost, from before it is made until its usage is known. The function is
// called concurrently. A call that cannot be recorded is not made, and one whose end
// cannot be recorded stays open. Call Keep before the budget is used.
func (b *Budget) Keep(change func(Change) error) { b.keep = change }

// Account returns the budget's account.
func (b *Budget) Account() Account {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.account
}

// Book counts a change that was recorded earlier in a run that is continued, or an
// amount that was used elsewhere. A later call of the model is expected to take the same
// share of what it may take, and so are those that are open, again after each later answer.
func (b *Budget) Book(c Change) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of := purse{c.Model, c.Agent, c.Day}
	b.takeLocked(of, c.Used)
	b.addLocked(of, c.Open)
	b.recent.learn(c)
	if c.Held != (Spend{}) {
		b.openLocked(of).before.add(c.Held, c.Open)
	}
	b.restateLocked(c.Model)
}

// Settle releases what is open and what is withheld for it, and records that. It is for
// a person who knows from the provider that those calls cost nothing, or who books
// their cost by [Budget.Book].
func (b *Budget) Settle() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	rest, free := b.account.Open, []Change(nil)
	for _, of := range slices.SortedFunc(maps.Keys(b.open), purse.compare) {
		u, c := b.open[of], Change{Model: of.model, Agent: of.agent, Day: of.day}
		was, is := c, c
		was.Open, was.Held, is.Open = Spend{}.minus(u.before.likely), Spend{}.minus(u.before.most), Spend{}.minus(u.now.likely)
		rest, free = rest.plus(was.Open).plus(is.Open), append(free, was, is)
	}
	for _, c := range append(free, Change{Open: Spend{}.minus(rest)}) {
		if b.keep == nil || c.Open == (Spend{}) && c.Held == (Spend{}) {
			continue
		}
		if err := b.keep(c); err != nil {
			return err
		}
	}
	for of, u := range b.open {
		open := u.before.likely.plus(u.now.likely)
		for _, p := range b.partsLocked(of) {
			p.taken = p.taken.minus(open).minus(u.now.most.minus(u.now.likely))
		}
	}
	clear(b.open)
	b.account.Spent, b.account.Open, b.account.Withheld = b.account.Used(), Spend{}, Spend{}
	b.wakeLocked()
	return nil
}

// A reservation is held for a running call.
type reservation struct {
	of     purse
	most   Spend
	likely Spend
}

// reserve reserves the most that a call may take. It waits as long as that may fit later.
func (b *Budget) reserve(ctx context.Context, model models.ID, most Spend) (reservation, error) {
	for {
		r, freed, err := b.tryReserve(ctx, model, most)
		switch {
		case err != nil:
			return r, err
		case freed == nil && b.keep == nil:
			return r, nil
		case freed == nil:
			if err = b.keep(Change{Model: model, Agent: r.of.agent, Day: r.of.day, Open: r.likely, Held: r.most}); err != nil {
				b.end(r, func() {})
			}
			return r, err
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return r, context.Cause(ctx)
		}
	}
}

// tryReserve returns a channel to wait on, or nil if the amount is reserved.
func (b *Budget) tryReserve(ctx context.Context, model models.ID, most Spend) (r reservation, freed <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	of, later := b.purseLocked(ctx, model), false
	for _, p := range b.limitsLocked(of) {
		if !p.fits(p.taken.plus(most)) {
			b.account.Refused++
			return r, nil, &refusal{most, *p, b.account.Open.plus(b.account.Withheld)}
		}
		later = later || !p.fits(p.taken.plus(p.reserved).plus(most))
	}
	if !later {
		b.reserveLocked(of, most)
		return reservation{of, most, b.recent.likely(model, most)}, nil, nil
	}
	if b.freed == nil {
		b.freed = make(chan struct{})
	}
	return r, b.freed, nil
}

// hold reserves what n calls of a model are likely to take, one after the other: the last
// one begins only if the most that it may take fits. It waits for nobody.
func (b *Budget) hold(ctx context.Context, model models.ID, most Spend, n int) (release func(), ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	all, likely := most, b.recent.likely(model, most)
	for range n - 1 {
		all = all.plus(likely)
	}
	of := b.purseLocked(ctx, model)
	for _, p := range b.limitsLocked(of) {
		if !p.fits(p.taken.plus(p.reserved).plus(all)) {
			return func() {}, false
		}
	}
	b.reserveLocked(of, all)
	return sync.OnceFunc(func() { b.end(reservation{of: of, most: all}, func() {}) }), true
}

// used ends a reservation by what the call took, and records it.
func (b *Budget) used(r reservation, s Spend) {
	b.ending.Lock()
	defer b.ending.Unlock()
	c := Change{Model: r.of.model, Agent: r.of.agent, Day: r.of.day, Used: s, Open: Spend{}.minus(r.likely), Held: Spend{}.minus(r.most)}
	if s != (Spend{}) {
		c.Most = r.most
	}
	if b.keep != nil {
		_ = b.keep(c) // else it stays open after a kill
	}
	b.end(r, func() {
		b.takeLocked(r.of, s)
		over := s.minus(r.most)
		b.account.Over = b.account.Over.plus(Spend{max(0, over.Tokens), max(0, over.Money)})
		b.recent.learn(c)
		b.restateLocked(r.of.model)
	})
}

// unknown ends a reservation of a call that may have taken anything up to it. The call
// stays open.
func (b *Budget) unknown(r reservation) {
	if b.keep != nil { // its likely cost stays booked, whatever later calls take: it has not been killed
		c := Change{Model: r.of.model, Agent: r.of.agent, Day: r.of.day, Open: r.likely}
		if b.keep(c) == nil {
			c.Open, c.Held = Spend{}.minus(r.likely), Spend{}.minus(r.most)
			_ = b.keep(c) // else it counts twice after a kill
		}
	}
	b.end(r, func() {
		b.addLocked(r.of, r.likely)
		b.openLocked(r.of).now.add(r.most, r.likely)
		rest := r.most.minus(r.likely)
		b.account.Withheld = b.account.Withheld.plus(rest)
		for _, p := range b.partsLocked(r.of) {
			p.taken = p.taken.plus(rest)
		}
	})
}

// end ends a reservation, and books what the call took.
func (b *Budget) end(r reservation, book func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.reserveLocked(r.of, Spend{}.minus(r.most))
	book()
	b.wakeLocked()
}

// wakeLocked lets those who wait try again.
func (b *Budget) wakeLocked() {
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}
