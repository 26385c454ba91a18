package reliability

import (
	"sync"

	"github.com/swarmbus/swarmbus/consensus"
)

// Ledger provides the default strategy of swarms and of `swarmbus decide`, used where none is chosen. [Ledger.Observe]
// adds decisions, [Ledger.Resolve] records what turned out to be right, and [Ledger.Strategy] returns the default
// strategy with what has been learned so far. A vote means something else if there is only one proposal, so there are
// two models:
//
//	decision              strategy                                            learned about a voter
//	nothing learned yet   [consensus.ConfidenceWeighted], votes shared        –
//	                      within groups
//	on one proposal       [Strategy]                                          how often it agrees with what is right,
//	                                                                          and rejects what is wrong
//	between several       [Strategy]                                          how often it is right
//
// With [Options.Choices], all decisions are of the last kind; with [Options.Stances], of the second. Learning starts
// with [Options.First] decisions of a kind.
//
// The groups of [consensus.Options.Groups] are stated by the program, and take precedence over the votes.
// They lower confidence, and may keep open what would be a clear majority without them: voters of a group share its
// weight, as [consensus.Ballots.WithGroupDiscount] describes, in what a clear majority is and until something has been
// learned of them. If half of the voters or more, but not all, are of one group, and differ from each other less than 0.8
// times as often as others do, agreement shows what that group thinks: the ledger learns only from decisions whose
// outcome is known, once there are ten, and until then weight alone decides. So eighteen agents of one model against two
// of another have 1.9 of 3.2 voters' weight, 0.59, and the decision stays open until outcomes are known. Without groups,
// the eighteen decide.
//
// The zero value is a ledger with default options. A Ledger is safe for concurrent use. When learning is due, the
// caller that asks for a strategy does it; meanwhile, other callers are not blocked and get what was known before.
// [Ledger.DeferLearning] changes that. Only where [Options.Window] is exceeded does Observe learn, because what was
// learned from the decisions that it drops goes with them.
type Ledger struct {
	learning sync.Mutex // held while learning, saving and restoring; locked before mu

	mu       sync.Mutex // protects the fields below
	deferred bool       // learn only in Learn
	book
}

// NewLedger returns an empty ledger, or a wrapped [*consensus.FieldError] for an option out of range.
func NewLedger(o *Options) (*Ledger, error) {
	if err := o.validate(); err != nil {
		return nil, err
	}
	l := new(Ledger)
	if o != nil {
		l.o = o.clone()
	}
	return l, nil
}

// Observe adds a decision with its ballots. id is its name for [Ledger.Resolve], or "" if that is not needed.
// The ledger learns from voters who are for one proposal, and from those who reject all candidates but one; it ignores
// other ballots. A decision with a single vote teaches nothing until its outcome is known, and neither does, where decisions have
// their own proposals, one whose answers were all given equally often.
//
// Observe returns a wrapped [*consensus.FieldError], and does not change the ledger, if the ledger already holds the id
// (field "id"), if no voter is for or against anything, if any name is not valid UTF-8, since it could not be saved, or
// if a proposal is not among [Options.Choices] where these are set.
func (l *Ledger) Observe(id string, b consensus.Ballots) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.check(id, b); err != nil {
		return err
	}
	l.observe(id, b)
	return nil
}

// Check returns the error that Observe would return, without adding the decision.
func (l *Ledger) Check(id string, b consensus.Ballots) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.check(id, b)
}

// Holds reports whether the ledger has a decision with that id, so that [Ledger.Resolve] can record its outcome.
func (l *Ledger) Holds(id string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds(id)
}

// Resolve records which proposal of a decision turned out to be right, or "" for none of them. It may be called again;
// the last call counts. The proposal need not have been made or voted on: if it was not, all votes were wrong. Resolve
// returns a wrapped [*consensus.FieldError] if the ledger does not hold the decision or if, with [Options.Choices], the
// proposal is not among them.
func (l *Ledger) Resolve(id, right string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.resolve(id, right)
}

// Options returns the options that the ledger was opened or saved with, as they were given: the zero value means the
// defaults.
func (l *Ledger) Options() Options {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.o.clone()
}

// Len returns how many decisions the ledger holds.
func (l *Ledger) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.decisions)
}

// Strategy returns the default strategy with what has been learned so far. It is immutable: later observations do not
// change it. While nothing has been learned, it has the name of [consensus.ConfidenceWeighted]; after that, its name is
// "default", and [consensus.Settled] waits for every voter, since a vote may change what the others are worth, unless a
// clear majority decides whatever they vote and no outcome is known. The ledger learns first if that is due and no other
// caller is learning.
func (l *Ledger) Strategy() consensus.Strategy { return l.configuration() }

func (l *Ledger) configuration() configuration {
	several, one := l.Models()
	o := l.Options()
	return configuration{several: several, one: one, choices: len(o.Choices) > 0, stances: o.Stances}
}

// Reliabilities returns what has been learned about the voters so far, as [consensus.Options.Reliabilities] for a
// strategy chosen by name, or nil if that is nothing. It is immutable.
func (l *Ledger) Reliabilities() consensus.Reliabilities {
	if c := l.configuration(); c.knows() {
		return c
	}
	return nil
}

// Models returns what has been learned from decisions between several proposals, and from those on one. It learns first
// if that is due, like [Ledger.Strategy]. A model knows no voter if nothing has been learned from such decisions.
func (l *Ledger) Models() (ofSeveral, ofOne *Model) {
	l.learn()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.model(several), l.model(one)
}

// DeferLearning makes the ledger learn only in [Ledger.Learn], and not when it is asked for a strategy. What it knows
// then depends only on the sequence of calls to Observe, Resolve and Learn, no matter who asks when. The setting is not
// saved with the ledger.
func (l *Ledger) DeferLearning() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.deferred = true
}

// AsBefore makes the ledger learn as the library did before confidence held the chance of an error that all voters share,
// or not any more, and learns again what it had learned. It is for logs of decisions that were made so. The setting is not
// saved with the ledger.
func (l *Ledger) AsBefore(before bool) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before == before {
		return
	}
	l.before = before
	for of, last := range l.last {
		if last.model != nil {
			l.last[of] = l.learned(subject(of), last.right)
		}
	}
}

// Learn learns if that is due. It waits for another caller that is already learning. undo reverts what this call has
// learned, for a caller whose reason to learn did not materialise; call it only if nothing has been observed, resolved
// or learned since.
func (l *Ledger) Learn() (undo func()) {
	l.learning.Lock()
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	last := l.last
	l.update()
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.last = last
	}
}

// learn learns what is due, unless another caller is doing so or learning is left to Learn.
func (l *Ledger) learn() {
	if !l.learning.TryLock() {
		return
	}
	defer l.learning.Unlock()
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.deferred {
		l.update()
	}
}

// update learns what is due, without holding mu meanwhile. The caller holds learning and mu.
func (l *Ledger) update() {
	for of := range l.last {
		if l.due(subject(of)) {
			next, dropped := l.lesson(subject(of)), l.dropped
			l.mu.Unlock()
			next = next.learn()
			l.mu.Lock()
			if dropped == l.dropped { // otherwise it knows of decisions that have left the window
				l.last[of] = next
			}
		}
	}
}
