package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/consensus"
)

// Ledger is what swarms and `swarmbus decide` decide by when nobody chooses: [Ledger.Observe] takes in what was
// voted on, [Ledger.Resolve] what turned out to be right, and [Ledger.Strategy] is the default configuration
// with what is known so far. It keeps two books, because a vote means something else where there is only one
// proposal:
//
//	what is decided       what decides                                         learned of a voter
//	nothing learned yet   [consensus.ConfidenceWeighted], sharing
//	on one proposal       [consensus.Bayesian], ρ as in a [Strategy]           how often it agrees with what is
//	                                                                           right, and rejects what is wrong
//	between several       [Strategy]                                           how often it is right
//
// With [Options.Choices] all decisions are of the last kind, with [Options.Stances] of the second. Something is
// learned from [Options.First] decisions of that kind on. While there is no [Certificate], between several proposals
// nothing is ever sure, on one proposal votes count as if nothing was known, and the decision's note says why. Where
// fewer than one in ten of the decisions on a single proposal that were learned from was opposed, they count as ones
// between several of which only one was made.
//
// Until something is learned, voters of one group of [consensus.Options.Groups] share their votes as
// [consensus.Ballots.Sharing] describes, newcomers after that as well. Where half of the voters or more are of one
// group, nothing is learned before ten outcomes are known, unless its voters differ from each other at least 0.8 times
// as often as voters of different groups do: agreement would show what that group thinks. The decision's note says so.
//
// docs/concepts.md has what this was measured against.
//
// The zero value is a ledger with default options. A Ledger may be used from many goroutines at once. The
// caller that asks it when learning is due does the learning; meanwhile all others ask, observe and resolve with what
// was known before. [Ledger.LearnWhenTold] changes that.
type Ledger struct {
	learning sync.Mutex // held, before mu, by who learns, saves or restores

	mu      sync.Mutex // protects the fields below
	opened  bool
	told    bool    // it learns when it is told
	o       Options // as they were given
	several Book    // every decision; with stances none
	one     Book    // those on one proposal; with choices none
}

// NewLedger returns an empty ledger, or a wrapped [*consensus.FieldError] for an option out of range.
func NewLedger(o *Options) (*Ledger, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	l := new(Ledger)
	if o != nil {
		l.open(*o)
	}
	return l, nil
}

func (l *Ledger) open(o Options) {
	o.Choices = slices.Clone(o.Choices)
	l.o, l.opened = o, true
	several, one := o, o
	several.Stances, one.Stances, one.Choices = false, true, nil
	l.several.open(several.withDefaults())
	l.one.open(one.withDefaults())
}

func (l *Ledger) ready() {
	if !l.opened {
		l.open(Options{})
	}
}

// Observe adds a decision under a name that [Ledger.Resolve] can use, "" for none. It refuses, with a wrapped
// [*consensus.FieldError] and no change, a name ("id") that it holds already, and proposals that [Book.Observe]
// refuses. A decision in which nobody is for or against anything is refused too.
func (l *Ledger) Observe(id string, b consensus.Ballots) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(id, b); err != nil {
		return err
	}
	if !l.o.Stances {
		if err := l.several.Observe(id, b); err != nil {
			return err
		}
	}
	if l.o.Stances || l.o.Choices == nil && len(b.Proposals()) == 1 {
		return l.one.Observe(id, b)
	}
	return nil
}

// Check returns the error that Observe would return, and observes nothing.
func (l *Ledger) Check(id string, b consensus.Ballots) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.check(id, b)
}

func (l *Ledger) check(id string, b consensus.Ballots) error {
	l.ready()
	switch {
	case id != "" && (l.several.Holds(id) || l.one.Holds(id)):
		return refuse("id", id, "one that was not observed before")
	case spokenOn(b) == 0:
		return refuse("ballots", id, "votes for or against something")
	case l.o.Stances:
		return l.one.check(id, b)
	}
	return l.several.check(id, b)
}

// Holds reports whether the ledger has a decision of that name, which [Ledger.Resolve] can be told of.
func (l *Ledger) Holds(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.several.Holds(id) || l.one.Holds(id)
}

// Holds reports whether the book has a decision of that name, which [Book.Resolve] can be told of.
func (b *Book) Holds(id string) bool {
	_, ok := b.index[id]
	return ok
}

// Resolve tells which proposal of a decision turned out to be right, "" for none of them, as [Book.Resolve]
// does, and refuses what that refuses.
func (l *Ledger) Resolve(id, right string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready()
	held := l.several.Holds(id)
	if held {
		if err := l.several.Resolve(id, right); err != nil {
			return err
		}
	}
	if held && !l.one.Holds(id) {
		return nil
	}
	return l.one.Resolve(id, right)
}

// Len returns how many decisions the ledger holds.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.several.Len(), l.one.Len())
}

// Strategy returns the default configuration with what is known now. It is immutable: what is observed later changes
// nothing of it. Where nothing is known it goes by the name of [consensus.ConfidenceWeighted], otherwise it is called
// "default". Between several proposals [consensus.Settled] then waits for every voter, since a vote may change what
// the others are worth. The ledger learns first if that is due and no other caller is learning, which costs what
// [Book.Learn] does.
func (l *Ledger) Strategy() consensus.Strategy {
	l.learn()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := configuration{choices: l.o.Choices != nil, stances: l.o.Stances}
	if !c.stances {
		c.several = learned(l.several.known())
	}
	if !c.choices {
		c.one = learned(l.one.known())
		c.unopposed = c.one != nil && c.one.params.Unopposed
	}
	if a, b := l.several.known().certificate, l.one.known().certificate; a.Group || b.Group {
		c.why = "by weight alone, since " + Certificate{Group: true}.Reason()
	}
	return c
}

// Reliabilities returns what is known now for a named strategy to decide by, as [consensus.Options.Reliabilities],
// nil where nothing is. It is immutable.
func (l *Ledger) Reliabilities() consensus.Reliabilities {
	if c, ok := l.Strategy().(configuration); ok && c.trusts() {
		return c
	}
	return nil
}

// LearnWhenTold makes the ledger learn when it is told to, by [Ledger.Learn], and not when it is asked. What it knows
// then follows from what it was told, in that order, whoever looks at it when. This is not saved with the ledger.
func (l *Ledger) LearnWhenTold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = true
}

// Learn learns if that is due. It waits for a caller that is learning already. Undo takes back what this call learned,
// for a caller whose reason to learn did not come about; nothing may have been observed, told or learned in between.
func (l *Ledger) Learn() (undo func()) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	l.ready()
	several, one := l.several, l.one // a lesson makes anew what it changes
	l.mu.Unlock()
	l.update()
	return func() {
		l.learning.Lock()
		defer l.learning.Unlock()
		l.mu.Lock()
		defer l.mu.Unlock()
		l.several, l.one = several, one
	}
}

// learn brings both books up to date for a caller that asks, unless another caller is doing so.
func (l *Ledger) learn() {
	l.mu.Lock()
	l.ready()
	told := l.told
	l.mu.Unlock()
	if told || !l.learning.TryLock() {
		return
	}
	defer l.learning.Unlock()
	l.update()
}

// update brings both books up to date and holds nobody up meanwhile. The caller holds learning.
func (l *Ledger) update() {
	l.mu.Lock()
	l.ready()
	l.mu.Unlock()
	for _, b := range []*Book{&l.several, &l.one} {
		l.mu.Lock()
		due := b.due()
		var next *lesson
		if due {
			next = b.lesson()
		}
		l.mu.Unlock()
		if !due {
			continue
		}
		m := next.learn()
		l.mu.Lock()
		b.model = m
		l.mu.Unlock()
	}
}

// learned is a model that knows somebody, or nil.
func learned(m *Model) *Model {
	if len(m.voters) == 0 {
		return nil
	}
	return m
}

// Models returns what is known of voters where they decide between several proposals, and on one; a model is
// empty where nothing is learned of such decisions. It says why there is no certificate.
func (l *Ledger) Models() (several, one *Model) {
	l.learn()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.several.known(), l.one.known()
}

// ledgerState is a ledger as it is saved.
type ledgerState struct {
	Options Options `json:"options"`
	Several *Book   `json:"several"`
	One     *Book   `json:"one"`
}

// MarshalJSON saves everything: a restored ledger goes on exactly as this one would.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready()
	return json.Marshal(ledgerState{l.o, &l.several, &l.one})
}

// UnmarshalJSON restores a ledger, and leaves it alone when what it reads is not a saved one.
func (l *Ledger) UnmarshalJSON(p []byte) error {
	s := ledgerState{Several: new(Book), One: new(Book)}
	if err := json.Unmarshal(p, &s); err != nil {
		return fmt.Errorf("reliability: %w", err)
	}
	if err := s.check(); err != nil {
		return fmt.Errorf("reliability: not a saved ledger: %w", err)
	}
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.o, l.several, l.one, l.opened = s.Options, *s.Several, *s.One, true
	return nil
}

func (s *ledgerState) check() error {
	var want Ledger
	if err := s.Options.Validate(); err != nil {
		return err
	}
	want.open(s.Options)
	if !s.Several.opened(&want.several.o) || !s.One.opened(&want.one.o) {
		return errors.New("a book is missing, or about other decisions")
	}
	return nil
}

// opened reports whether it is a book about the decisions that these options say.
func (b *Book) opened(o *Options) bool {
	return b != nil && b.voters != nil && b.o.Stances == o.Stances && slices.Equal(b.o.Choices, o.Choices)
}

// unopposed reports whether in fewer than one decision of ten on one proposal somebody said no: then there was one
// because nobody made another.
func (b *batch) unopposed() bool {
	n := 0
	for t := range b.size() {
		if slices.Contains(b.votes(t).said, 1) {
			n++
		}
	}
	return b.Stances && 10*n < b.size()
}
