package replay

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Replay derives the conflicts, the recorded decisions and the learned state
// of a log anew and compares them with the log. Make one with [New]. It is not safe for
// concurrent use.
//
// Conflicts are derived in threads that have terms in the log. In other threads, the
// log does not say who closed them when, so their conflicts are not checked.
type Replay struct {
	trusting  bool // accept what the log says without deriving it
	conflicts *conflicts
	threads   threads
	ledgers   map[string]*reliability.Ledger // by the name of the learner
	latest    int64                          // latest time in the log
	numbers   map[string]uint64              // the greatest thread number, by prefix

	// Decided is called for each decision that was derived and equals the
	// log's, unless it is nil.
	Decided func(thread, terms string, d consensus.Decision)

	// Counts of what was derived and found equal to the log.
	Signals, Conflicts, Decisions, Outcomes int
}

// New returns a replay of a log that begins after a journal's snapshot;
// with the zero snapshot the log must be complete. The state in the snapshot
// must be a [Memory].
func New(from journal.Snapshot) (*Replay, error) {
	m, err := memoryOf(from)
	if err != nil {
		return nil, err
	}
	return after(from.Through, m)
}

// Trust returns a replay that accepts what it cannot derive, of a journal's records
// after the snapshot.
func Trust(from journal.Snapshot) (*Replay, error) {
	r, err := New(from)
	if err == nil {
		r.trusting = true
	}
	return r, err
}

// after returns a replay that begins after a record with what is known there.
func after(record uint64, m *Memory) (*Replay, error) {
	if err := m.check(); err != nil {
		return nil, err
	}
	c, err := newConflicts(record)
	if err != nil {
		return nil, err
	}
	r := &Replay{
		conflicts: c, threads: threads{byName: map[string]*Thread{}},
		ledgers: map[string]*reliability.Ledger{}, numbers: map[string]uint64{},
	}
	maps.Copy(r.numbers, m.Numbers)
	maps.Copy(r.ledgers, m.Learners)
	for _, ledger := range r.ledgers {
		ledger.DeferLearning()
	}
	for thread, all := range m.Observed {
		r.threads.named(thread).observed = all
	}
	return r, nil
}

// Close releases the replay's memory.
func (r *Replay) Close() { r.conflicts.bus.Close() }

// Ledger returns the ledger with that name in the log's terms, as folded so
// far; nil if there is none.
func (r *Replay) Ledger(name string) *reliability.Ledger { return r.ledgers[name] }

// Thread returns a thread, which the next signals change.
func (r *Replay) Thread(name string) *Thread { return r.threads.named(name) }

// Threads returns the threads so far, in the order in which they began.
func (r *Replay) Threads() iter.Seq[*Thread] {
	return func(yield func(*Thread) bool) {
		for _, name := range r.threads.names {
			if !yield(r.threads.byName[name]) {
				return
			}
		}
	}
}

// Latest returns the latest time in the log.
func (r *Replay) Latest() time.Time { return time.Unix(0, r.latest) }

// Standing returns the terms of the solves that were not decided by them, by thread.
func (r *Replay) Standing() map[string]*Terms {
	all := map[string]*Terms{}
	for name, t := range r.threads.byName {
		if terms := t.terms[runlog.Learner]; terms != nil && !t.over {
			all[name] = terms
		}
	}
	return all
}

// Unclosed returns the threads whose proposals are live: of solves that are not over,
// ask or can go on.
func (r *Replay) Unclosed() map[string]bool {
	all := map[string]bool{}
	for name, t := range r.threads.byName {
		if t.live() {
			all[name] = true
		}
	}
	return all
}

// Owed returns the signals of conflicts that the log was cut off before, as the bus
// put them there.
func (r *Replay) Owed() []signals.Any { return r.conflicts.owed(&r.threads) }

// Next takes the next signal of the log. It returns a [*Difference] if the signal
// differs from what is derived from the log before it, and another error, such as
// [ErrStrategy], if it cannot be derived.
func (r *Replay) Next(s signals.Any) error {
	r.Signals++
	derived, different := r.conflicts.next(s, &r.threads)
	if derived {
		r.Conflicts++
	}
	if different != nil && !r.trusting {
		return different
	}
	if err := r.conflicts.feed(s); err != nil {
		return err
	}
	h := s.Head()
	r.latest = max(r.latest, h.Time.UnixNano())
	if prefix, n := numbered(h.Thread); n > 0 {
		r.numbers[prefix] = max(r.numbers[prefix], n)
	}
	return r.take(r.threads.named(h.Thread), s)
}

func (r *Replay) take(t *Thread, s signals.Any) error {
	if err := t.follows(s); err != nil && !r.trusting {
		return err
	}
	before := t.Mark()
	t.Apply(s)
	switch now := t.Mark(); {
	case now.Terms != before.Terms:
		return r.open(t, now.Terms)
	case now.Decided != nil && now.Decided != before.Decided:
		return r.decide(t, now.Decided)
	case now.Outcome != before.Outcome:
		return r.resolve(t, now.Outcome)
	case r.trusting:
	case now.Settled != before.Settled:
		return t.settled(now.Settled)
	case now.Announced != before.Announced:
		return t.announced(now.Announced)
	}
	return nil
}

// recall takes a signal from before the state that the replay was restored with, in a
// thread that goes on after it.
func (r *Replay) recall(s signals.Any) error {
	if err := r.conflicts.feed(s); err != nil {
		return err
	}
	r.conflicts.opened = r.conflicts.opened[:0]
	t := r.threads.named(s.Head().Thread)
	before := t.Mark()
	t.Apply(s)
	switch now := t.Mark(); {
	case now.Terms != before.Terms:
		terms, err := r.termsOf(now.Terms)
		if err != nil {
			return err
		}
		t.terms[terms.Name], t.over = terms, true // not standing: it goes on by new terms
	case now.Decided != nil && now.Decided != before.Decided:
		d, err := now.Decided.Payload.Made()
		if err != nil {
			return fmt.Errorf("replay: signal %d: %w", now.Decided.Seq, err)
		}
		t.decided[now.Decided.Payload.Name] = d
	}
	return nil
}

func (r *Replay) open(t *Thread, s *signals.Signal[runlog.Opened]) error {
	terms, err := r.termsOf(s)
	if err != nil {
		return err
	}
	if terms.Starts != "" && terms.ledger != nil {
		if err := json.Unmarshal([]byte(terms.Starts), terms.ledger); err != nil {
			return fmt.Errorf("replay: signal %d: %w", s.Seq, err)
		}
		terms.Starts = ""
	}
	var unknown *consensus.FieldError
	if terms.By, err = terms.strategy(); err != nil && !errors.As(err, &unknown) {
		return fmt.Errorf("replay: signal %d: %w", s.Seq, err)
	}
	t.terms[terms.Name], t.over = terms, false
	return nil
}

func (r *Replay) termsOf(s *signals.Signal[runlog.Opened]) (*Terms, error) {
	terms := &Terms{Seq: s.Seq}
	if err := json.Unmarshal([]byte(s.Payload.Terms), &terms.Terms); err != nil {
		return nil, fmt.Errorf("replay: signal %d: terms: %w", s.Seq, err)
	}
	terms.Options = terms.Terms.Options()
	if terms.Learner == "" {
		return terms, nil
	}
	if terms.ledger = r.ledgers[terms.Learner]; terms.ledger == nil {
		ledger, err := reliability.NewLedger(terms.Learns)
		if err != nil {
			return nil, fmt.Errorf("replay: signal %d: %w", s.Seq, err)
		}
		ledger.DeferLearning() // at the same places of the log as the original
		terms.ledger, r.ledgers[terms.Learner] = ledger, ledger
	}
	return terms, nil
}

// decide derives a recorded decision, or takes it as it is if the log is trusted.
func (r *Replay) decide(t *Thread, s *signals.Signal[runlog.Decided]) (err error) {
	terms := t.terms[s.Payload.Name]
	var d consensus.Decision
	switch {
	case terms == nil:
		return fmt.Errorf("replay: signal %d: a decision by terms %q, which were not recorded", s.Seq, s.Payload.Name)
	case r.trusting:
		if d, err = terms.decide(t.Thread, s.Payload); err == nil {
			d, err = s.Payload.Of(d)
		}
		if err != nil {
			return fmt.Errorf("replay: signal %d: %w", s.Seq, err)
		}
	case terms.By == nil:
		return fmt.Errorf("%w: signal %d, in %s, is by %q", ErrStrategy, s.Seq, s.Thread, terms.Strategy)
	default:
		if d, err = t.derive(terms, s); err != nil {
			return err
		}
	}
	t.decided[terms.Name], t.Last, t.over = d, d, true
	r.Decisions++
	if r.Decided != nil {
		r.Decided(s.Thread, terms.Name, d)
	}
	if s.Payload.Observed == "" || terms.ledger == nil {
		return nil
	}
	if err := terms.ledger.Observe(s.Payload.Observed, t.Votes.Independent(d.Ballots())); err != nil {
		return r.unless(fmt.Errorf("replay: signal %d: %w", s.Seq, err))
	}
	if t.Calls.Plan() != nil {
		if err := terms.ledger.Made(s.Payload.Observed, d.Strategy, d.Choice); err != nil {
			return fmt.Errorf("replay: signal %d: %w", s.Seq, err)
		}
	}
	t.observed = append(t.observed, Observed{terms.Learner, s.Payload.Observed})
	return nil
}

func (r *Replay) resolve(t *Thread, s *signals.Signal[runlog.Outcome]) error {
	for _, o := range t.observed {
		ledger := r.ledgers[o.Learner]
		if s.Payload.Observed != "" && s.Payload.Observed != o.Name || !ledger.Holds(o.Name) {
			continue
		}
		if err := ledger.Resolve(o.Name, s.Payload.ProposalID); err != nil {
			return r.unless(fmt.Errorf("replay: signal %d: %w", s.Seq, err))
		}
	}
	r.Outcomes++
	return nil
}

// unless returns err, unless the log is trusted.
func (r *Replay) unless(err error) error {
	if r.trusting {
		return nil
	}
	return err
}

// numbered parses the name of a swarm's thread; n is 0 for other threads.
func numbered(thread string) (prefix string, n uint64) {
	i := strings.LastIndexByte(thread, '-') + 1
	n, err := strconv.ParseUint(thread[i:], 10, 64)
	if err != nil {
		return "", 0
	}
	return thread[:i], n
}
