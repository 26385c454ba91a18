package reliability

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/consensus"
)

// Ledger provides the default strategy of swarms and of `swarmbus decide`, used where none is chosen. [Ledger.Observe]
// adds decisions, [Ledger.Resolve] records what turned out to be right, and [Ledger.Strategy] returns the default
// strategy with what has been learned so far. A ledger keeps two books, because a vote means something else if there is
// only one proposal:
//
//	decision              strategy                                      learned about a voter
//	nothing learned yet   [consensus.ConfidenceWeighted], votes shared
//	                      within groups
//	on one proposal       [consensus.Bayesian], ρ as in a [Strategy],   how often it agrees with what is right,
//	                      expecting the only proposal to be right as    and rejects what is wrong
//	                      often as those before
//	between several       [Strategy]                                    how often it is right
//
// With [Options.Choices], all decisions are of the last kind; with [Options.Stances], of the second. Learning starts
// with [Options.First] decisions of a kind. Without an OK [Certificate], a decision between several proposals is never
// sure, one on a single proposal counts votes as if nothing had been learned, and the decision's note says why. If
// fewer than one in ten of the decisions on a single proposal that were learned from were opposed, such decisions are
// treated as ones between several proposals of which only one was made.
//
// Voters of one group of [consensus.Options.Groups] share their votes as [consensus.Ballots.WithGroupDiscount] describes until
// something has been learned; newcomers still do so after that. If half of the voters or more are of one group, copies
// counted as one, agreement would show what that group thinks: only decisions whose outcome is known are learned from,
// once there are ten, and until then the decision's note says that nothing is. This does not apply if the voters of that
// group differ from each other at least 0.8 times as often as the others do from the one who differs least, or if, with
// three answers or more, the votes show that they have no source in common. If all voters are of one group, they are
// learned about as if they had none, but the ledger is less sure where they agree.
//
// docs/quality.md has the measurements.
//
// The zero value is a ledger with default options. A Ledger is safe for concurrent use. When learning is due, the
// caller that asks for a strategy does it; meanwhile, other callers are not blocked and get what was known before.
// [Ledger.LearnWhenTold] changes that.
type Ledger struct {
	learning sync.Mutex // held while learning, saving and restoring; locked before mu

	mu      sync.Mutex // protects the fields below
	opened  bool
	told    bool    // learn only in Learn
	o       Options // as given, without defaults
	several Book    // all decisions; none with stances
	one     Book    // decisions on one proposal; none with choices
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
	o.Choices = append([]string(nil), o.Choices...) // nil if empty
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

// Observe adds a decision with its ballots. id is what [Ledger.Resolve] refers to it by, or "" if that is not needed.
// Observe returns a wrapped [*consensus.FieldError], and does not change the ledger, if the ledger already holds the id
// (field "id"), if nobody is for or against anything, or if [Book.Observe] would return an error.
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
	if l.o.Stances || len(l.o.Choices) == 0 && len(b.Proposals()) == 1 {
		return l.one.Observe(id, b)
	}
	return nil
}

// Check returns the error that Observe would return, without adding the decision.
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

// Holds reports whether the ledger has a decision with that id, so that [Ledger.Resolve] can record its outcome.
func (l *Ledger) Holds(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.several.Holds(id) || l.one.Holds(id)
}

// Holds reports whether the book has a decision with that id, so that [Book.Resolve] can record its outcome.
func (b *Book) Holds(id string) bool {
	_, ok := b.index[id]
	return ok
}

// Resolve records which proposal of a decision turned out to be right, or "" for none of them. It returns the same
// errors as [Book.Resolve].
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

// Options returns the options that the ledger was opened or saved with, as they were given: the zero value means the
// defaults.
func (l *Ledger) Options() Options {
	l.mu.Lock()
	defer l.mu.Unlock()
	o := l.o
	o.Choices = slices.Clone(o.Choices)
	return o
}

// Len returns how many decisions the ledger holds.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.several.Len(), l.one.Len())
}

// Strategy returns the default strategy with what has been learned so far. It is immutable: later observations do not
// change it. While nothing has been learned, it has the name of [consensus.ConfidenceWeighted]; after that, its name is
// "default", and between several proposals [consensus.Settled] waits for every voter, since a vote may change what the
// others are worth. The ledger learns first if that is due and no other caller is learning, which costs as much as
// [Book.Learn].
func (l *Ledger) Strategy() consensus.Strategy {
	l.learn()
	l.mu.Lock()
	defer l.mu.Unlock()
	c := configuration{choices: len(l.o.Choices) > 0, stances: l.o.Stances}
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

// Reliabilities returns what has been learned about the voters so far, as [consensus.Options.Reliabilities] for a
// strategy chosen by name, or nil if that is nothing. It is immutable.
func (l *Ledger) Reliabilities() consensus.Reliabilities {
	if c, ok := l.Strategy().(configuration); ok && c.trusts() {
		return c
	}
	return nil
}

// LearnWhenTold makes the ledger learn only in [Ledger.Learn], and not when it is asked for a strategy. What it knows
// then depends only on the sequence of calls to Observe, Resolve and Learn, no matter who asks when. The setting is not
// saved with the ledger.
func (l *Ledger) LearnWhenTold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = true
}

// Learn learns if that is due. It waits for another caller that is already learning. undo reverts what this call has
// learned, for a caller whose reason to learn did not materialise; call it only if nothing has been observed, resolved
// or learned since.
func (l *Ledger) Learn() (undo func()) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	l.ready()
	several, one := l.several, l.one // learning replaces what it changes, so shallow copies suffice
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

// learn brings both books up to date, unless another caller is doing so or learning is left to Learn.
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

// update brings both books up to date without holding mu while it learns. The caller holds learning.
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

// learned returns m if it knows any voter, and nil otherwise.
func learned(m *Model) *Model {
	if len(m.voters) == 0 {
		return nil
	}
	return m
}

// Models returns what has been learned from decisions between several proposals, and from those on one. It learns first
// if that is due, like [Ledger.Strategy]. A model is empty if nothing has been learned from such decisions. Its
// certificate gives the reason if it is not OK.
func (l *Ledger) Models() (several, one *Model) {
	l.learn()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.several.known(), l.one.known()
}

// ledgerState is the saved form of a ledger.
type ledgerState struct {
	Options Options `json:"options"`
	Several *Book   `json:"several"`
	One     *Book   `json:"one"`
}

// MarshalJSON saves the whole state: a restored ledger continues exactly as this one would.
func (l *Ledger) MarshalJSON() ([]byte, error) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ready()
	return json.Marshal(ledgerState{l.o, &l.several, &l.one})
}

// UnmarshalJSON restores a saved ledger. If p is not one, it returns an error and does not change l.
func (l *Ledger) UnmarshalJSON(p []byte) error {
	s := ledgerState{Several: new(Book), One: new(Book)}
	if err := json.Unmarshal(p, &s); err != nil {
		return fmt.Errorf("reliability: not a saved ledger: %w", err)
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

// opened reports whether b is an initialised book about the kind of decisions that o describes.
func (b *Book) opened(o *Options) bool {
	return b != nil && b.voters != nil && b.o.Stances == o.Stances && slices.Equal(b.o.Choices, o.Choices)
}

// unopposed reports whether fewer than one in ten decisions on a single proposal were opposed: then the proposal was
// the only one because nobody made another.
func (b *batch) unopposed() bool {
	n := 0
	for t := range b.size() {
		if slices.Contains(b.votes(t).said, 1) {
			n++
		}
	}
	return b.Stances && 10*n < b.size()
}
