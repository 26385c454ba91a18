package limits

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/swarmbus/swarmbus/agents/models"
)

// Spend is an amount of tokens and money.
type Spend struct {
	Tokens int
	Money  models.Money
}

// String returns both amounts.
func (s Spend) String() string { return fmt.Sprintf("%d tokens and %v", s.Tokens, s.Money) }

// plus returns the sum, or as much as can be counted.
func (s Spend) plus(t Spend) Spend {
	return Spend{saturated(s.Tokens, t.Tokens), saturated(s.Money, t.Money)}
}

func saturated[N int | models.Money](a, b N) N {
	if a > 0 && b > math.MaxInt64-a {
		return math.MaxInt64
	}
	return a + b
}

func (s Spend) minus(t Spend) Spend { return Spend{s.Tokens - t.Tokens, s.Money - t.Money} }

// A Budget limits the total spending of calls. It is safe for concurrent use;
// models of several providers may share one.
type Budget struct {
	most Spend // 0: unlimited
	keep func(change Spend) error

	mu    sync.Mutex // protects the fields below
	books Books
	freed chan struct{} // closed when a reservation ends; nil: no one waits
}

// Books are the accounts of a budget at one moment.
type Books struct {
	Spent    Spend // by finished calls
	Reserved Spend // by running calls
	Assumed  Spend // of Spent: by calls that failed or whose usage is unknown, in full
	Refused  int   // number of calls refused
	Over     Spend // of Spent: beyond what calls had reserved
}

// NewBudget returns a budget. An amount of 0 means no limit, and one below 0 refuses
// every call.
func NewBudget(most Spend) *Budget { return &Budget{most: most} }

// Keep sets a function that records each change of the amounts spent and reserved, so
// that a program that continues after a crash can [Budget.Book] their sum. It is called
// with the maximum cost before a call is made, and afterwards with the difference to the
// actual cost, which is mostly negative. It is called concurrently. A call that cannot
// be recorded is not made, and one whose end cannot be recorded stays recorded in full.
// Call Keep before the budget is used.
func (b *Budget) Keep(change func(change Spend) error) { b.keep = change }

// Books returns the budget's accounts.
func (b *Budget) Books() Books {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.books
}

// Book counts an amount that was spent elsewhere, such as earlier in a run that is
// continued.
func (b *Budget) Book(s Spend) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.books.Spent = b.books.Spent.plus(s)
}

// fits reports whether an amount is within the budget.
func (b *Budget) fits(s Spend) bool {
	return (b.most.Tokens == 0 || s.Tokens <= b.most.Tokens) && (b.most.Money == 0 || s.Money <= b.most.Money)
}

// reserve reserves an amount. It waits as long as the amount may fit later.
func (b *Budget) reserve(ctx context.Context, s Spend) error {
	for {
		freed, err := b.tryReserve(s)
		switch {
		case err != nil:
			return err
		case freed == nil && b.keep == nil:
			return nil
		case freed == nil:
			if err = b.keep(s); err != nil {
				b.release(s, Spend{}, false)
			}
			return err
		}
		select {
		case <-freed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// tryReserve returns a channel to wait on, or nil if the amount is reserved.
func (b *Budget) tryReserve(s Spend) (freed <-chan struct{}, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case !b.fits(b.books.Spent.plus(s)):
		b.books.Refused++
		return nil, &refusal{s, b.books.Spent, b.most}
	case b.fits(b.books.Spent.plus(b.books.Reserved).plus(s)):
		b.books.Reserved = b.books.Reserved.plus(s)
		return nil, nil
	}
	if b.freed == nil {
		b.freed = make(chan struct{})
	}
	return b.freed, nil
}

// A refusal is the error of a call that does not fit.
type refusal struct{ call, spent, most Spend }

func (r *refusal) Error() string {
	var left []string
	if r.most.Tokens > 0 {
		left = append(left, fmt.Sprintf("%d of %d tokens", r.most.Tokens-r.spent.Tokens, r.most.Tokens))
	}
	if r.most.Money > 0 {
		left = append(left, fmt.Sprintf("%v of %v", r.most.Money-r.spent.Money, r.most.Money))
	}
	return fmt.Sprintf("it may take %v, and %s are left", r.call, strings.Join(left, " and "))
}

func (*refusal) Unwrap() error { return models.ErrBudget }

// settle replaces a reservation by what was spent, and records it.
func (b *Budget) settle(reserved, spent Spend, assumed bool) {
	if change := spent.minus(reserved); b.keep != nil && change != (Spend{}) {
		_ = b.keep(change) // else it counts in full after a kill
	}
	b.release(reserved, spent, assumed)
}

// release replaces a reservation by what was spent.
func (b *Budget) release(reserved, spent Spend, assumed bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.books.Reserved = b.books.Reserved.minus(reserved)
	b.books.Spent = b.books.Spent.plus(spent)
	if assumed {
		b.books.Assumed = b.books.Assumed.plus(spent)
	}
	over := spent.minus(reserved)
	b.books.Over = b.books.Over.plus(Spend{max(0, over.Tokens), max(0, over.Money)})
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}

// Tokens that a provider adds to a request: roles and delimiters of each message,
// and once an explanation of tools and schema.
const (
	perMessage = 32
	perCall    = 1024
)

// Bound returns the maximum number of input tokens of a request, provided that
// no token is shorter than a byte, as in all common vocabularies.
func Bound(r *models.Request) int {
	n := perCall + perMessage + sent(r.System)
	for _, m := range r.Messages {
		n += perMessage + sent(m.Text)
		for _, c := range m.Calls {
			n += perMessage + sent(c.ID) + sent(c.Name) + sent(string(c.Args))
		}
		for _, result := range m.Results {
			n += perMessage + sent(result.Call) + sent(result.Text)
		}
	}
	for _, t := range r.Tools {
		n += perMessage + sent(t.Name) + sent(t.Description) + sent(string(t.Schema))
	}
	if r.Schema != nil {
		n += sent(r.Schema.Name) + sent(string(r.Schema.JSON))
	}
	return n
}

// sent returns the number of bytes of a text as JSON decodes it: of each byte that is
// not UTF-8 it makes U+FFFD, which has three.
func sent(text string) int {
	if utf8.ValidString(text) {
		return len(text)
	}
	return len(string([]rune(text)))
}
