package swarm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/conflict"
	"github.com/swarmbus/swarmbus/consensus"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Replay derives the conflicts, the recorded decisions and the learned state
// of a log anew and compares them with the log. It reads values and returns
// values: it has no means to notify, call or write. Make one with [NewReplay].
//
// Conflicts are derived in threads that have terms in the log. In other threads, the
// log does not say who closed them when, so their conflicts are not checked.
type Replay struct {
	bus      *bus.Bus // detects the conflicts
	from     uint64   // the last dropped record
	trusting bool     // accept what the log says without deriving it
	opened   []conflict.Pair
	threads  map[string]*replayed
	names    []string // of threads, in the order in which they began
	learners map[string]*learner
	latest   int64             // latest time in the log
	numbers  map[string]uint64 // the greatest thread number, by prefix

	// Decided is called for each decision that was derived and equals the
	// log's, unless it is nil.
	Decided func(thread, terms string, d consensus.Decision)

	// Counts of what was derived and found equal to the log.
	Signals, Conflicts, Decisions, Outcomes int
}

// A Difference is the first position at which a log differs from what is
// derived from it.
type Difference struct {
	Seq     uint64 // of the signal
	Thread  string
	What    string // what was derived, such as a conflict or a decision
	Log     string // what the log says
	Derived string
}

func (d *Difference) Error() string {
	return fmt.Sprintf("swarm: signal %d in %s: %s: the log says %s, derived is %s", d.Seq, d.Thread, d.What, d.Log, d.Derived)
}

// ErrStrategy is returned for a decision that cannot be derived because its
// strategy is not part of this library. The log may still be right.
var ErrStrategy = errors.New("swarm: unknown strategy")

// replayed is the replayed state of a thread.
type replayed struct {
	*runlog.Thread
	terms    map[string]*standingTerms
	decided  map[string]consensus.Decision
	last     consensus.Decision // the newest
	observed []observation
	over     bool // it was decided by the terms that it was opened with last
}

type standingTerms struct {
	runlog.Terms
	by      consensus.Strategy // nil: unknown here
	options *consensus.Options
	learner *learner
}

type observation struct {
	learner *learner
	name    string
}

// A learner is a ledger in a replay.
type learner struct{ *reliability.Ledger }

// NewReplay returns a replay of a log that begins after a journal's snapshot;
// with the zero snapshot the log must be complete. The state in the snapshot
// must be one made by [Retain].
func NewReplay(from journal.Snapshot) (*Replay, error) {
	state, err := memoryOf(from)
	if err != nil {
		return nil, err
	}
	return newReplay(from.Through, state)
}

// newReplay returns a replay that begins after a record with what is known there.
func newReplay(from uint64, state *memory) (*Replay, error) {
	b, err := bus.New(&bus.Options{TTL: -1, Sweep: -1, History: 1 << 16, Limits: signals.Limits{TextBytes: -1}})
	if err != nil {
		return nil, err
	}
	r := &Replay{
		bus: b, from: from, threads: map[string]*replayed{}, learners: map[string]*learner{}, numbers: map[string]uint64{},
	}
	b.Observe(func(e bus.Event) {
		if e, ok := e.(bus.ConflictOpened); ok {
			r.opened = append(r.opened, e.Pair)
		}
	})
	if err := r.restore(state); err != nil {
		b.Close()
		return nil, err
	}
	return r, nil
}

// Ledger returns the ledger with that name in the log's terms, as folded so
// far; nil if there is none.
func (r *Replay) Ledger(name string) *reliability.Ledger {
	if l := r.learners[name]; l != nil {
		return l.Ledger
	}
	return nil
}

// standing returns the swarm's terms of the threads that are not decided by them.
func (r *Replay) standing() map[string]*standingTerms {
	all := map[string]*standingTerms{}
	for name, t := range r.threads {
		if terms := t.terms[ownLearner]; terms != nil && !t.over {
			all[name] = terms
		}
	}
	return all
}

// unclosed returns the threads whose proposals are live: of solves that are neither
// over nor stopped without a question.
func (r *Replay) unclosed() map[string]bool {
	all := map[string]bool{}
	for name, t := range r.threads {
		if t.terms[ownLearner] != nil && (!t.over || t.stop() == 0 || t.stop() == StopEscalated) {
			all[name] = true
		}
	}
	return all
}

// recall takes a signal from before the state that the replay was restored with, in a
// thread that goes on after it.
func (r *Replay) recall(s signals.Any) error {
	if err := r.bus.Feed(context.Background(), s); err != nil {
		return err
	}
	r.opened = r.opened[:0]
	t := r.thread(s.Head().Thread)
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
			return fmt.Errorf("swarm: signal %d: %w", now.Decided.Seq, err)
		}
		t.decided[now.Decided.Payload.Name] = d
	}
	return nil
}

// stop returns why the thread stopped last; 0 if it goes on.
func (t *replayed) stop() StopReason {
	if t.Stage.Decided == nil {
		return 0
	}
	return t.Stage.Decided.Payload.Stop
}

// Next takes the next signal of the log. It returns a [*Difference] if the signal
// differs from what is derived from the log before it, and another error, such as
// [ErrStrategy], if it cannot be derived.
func (r *Replay) Next(s signals.Any) error {
	r.Signals++
	if err := r.foldConflict(s); err != nil {
		return err
	}
	if err := r.bus.Feed(context.Background(), s); err != nil {
		return err
	}
	return r.take(s)
}

// Close releases the replay's memory.
func (r *Replay) Close() { r.bus.Close() }

// foldConflict accepts a conflict that was derived and is in the log, and returns one
// that is only derived or only in the log, if the thread has terms in the log. In
// other threads conflicts depend on who closed them, which the log does not say. A
// conflict follows the signals that its proposal's source published in the same batch.
func (r *Replay) foldConflict(s signals.Any) error {
	h := signals.HeadOf(s)
	for len(r.opened) > 0 {
		pair := r.opened[0]
		if h.Source == pair.B.Source && h.Thread == pair.Thread {
			return nil
		}
		r.opened = r.opened[1:]
		if says(s, pair) {
			r.Conflicts++
			return nil
		}
		if r.checks(pair.Thread) && !r.trusting {
			return &Difference{
				Seq: h.Seq, Thread: pair.Thread, What: "conflict", Log: fmt.Sprintf("%s %s", s.Kind(), h.ID),
				Derived: fmt.Sprintf("%s against %s", pair.A.ProposalID, pair.B.ProposalID),
			}
		}
	}
	if s.Kind() == signals.KindConflict && r.checks(h.Thread) && !r.before(s) {
		return r.unless(&Difference{h.Seq, h.Thread, "conflict", h.ID.String(), "none"})
	}
	return nil
}

// says reports whether a signal is that of a conflict.
func says(s signals.Any, p conflict.Pair) bool {
	c, ok := signals.As[signals.Conflict](s)
	return ok && c.ID == p.ID() && c.Payload.SignalA == p.A.Signal && c.Payload.SignalB == p.B.Signal
}

// checks reports whether the conflicts of a thread are in the log.
func (r *Replay) checks(thread string) bool {
	t := r.threads[thread]
	if t == nil {
		return false
	}
	for _, terms := range t.terms {
		return !terms.NoConflicts
	}
	return false
}

// before reports whether a conflict is with a proposal that was dropped from
// the log.
func (r *Replay) before(s signals.Any) bool {
	c, ok := signals.As[signals.Conflict](s)
	return r.from > 0 && ok && !slices.ContainsFunc(r.thread(c.Thread).Log, func(said signals.Any) bool {
		return signals.HeadOf(said).ID == c.Payload.SignalA
	})
}

// owed returns the signals of conflicts that the log was cut off before, as the bus
// put them there.
func (r *Replay) owed() (all []signals.Any) {
	for _, pair := range r.opened {
		if !r.checks(pair.Thread) {
			continue
		}
		log := r.thread(pair.Thread).Log
		i := slices.IndexFunc(log, func(s signals.Any) bool { return signals.HeadOf(s).Seq == pair.B.Seq })
		h := signals.HeadOf(log[i])
		all = append(all, signals.New(signals.Header{
			Seq: r.bus.Last() + uint64(len(all)) + 1, ID: pair.ID(), Source: bus.System, Thread: pair.Thread, ReplyTo: pair.B.Signal,
			Confidence: 1, Round: h.Round, Time: h.Time, TTL: h.TTL,
		}, pair.Payload()))
	}
	return all
}

func (r *Replay) thread(name string) *replayed {
	t := r.threads[name]
	if t == nil {
		t = &replayed{Thread: runlog.New(name), terms: map[string]*standingTerms{}, decided: map[string]consensus.Decision{}}
		r.threads[name], r.names = t, append(r.names, name)
	}
	return t
}

func (r *Replay) take(s signals.Any) error {
	h := signals.HeadOf(s)
	r.latest = max(r.latest, h.Time.UnixNano())
	if prefix, n := numbered(h.Thread); n > 0 {
		r.numbers[prefix] = max(r.numbers[prefix], n)
	}
	t := r.thread(h.Thread)
	before := t.Mark()
	t.Apply(s)
	switch now := t.Mark(); {
	case now.Terms != before.Terms:
		return r.open(t, now.Terms)
	case now.Decided != nil && now.Decided != before.Decided:
		return r.decide(t, now.Decided)
	case now.Settled != before.Settled:
		return r.settled(t, now.Settled)
	case now.Outcome != before.Outcome:
		return r.resolve(t, now.Outcome)
	case now.Announced != before.Announced:
		return r.unless(t.announced(now.Announced))
	}
	return nil
}

// settled compares the winner of a conflict that votes have settled with the log.
func (r *Replay) settled(t *replayed, s *signals.Signal[conflict.Resolution]) error {
	terms := t.terms[ownLearner]
	if r.trusting || terms == nil || terms.by == nil || !terms.Same {
		return nil
	}
	winner, ok, err := t.SettledAs(terms.by, terms.options, terms.Weights)
	if err != nil {
		return fmt.Errorf("swarm: signal %d: %w", s.Seq, err)
	}
	if decided := s.Payload.How == conflict.ByMajority || s.Payload.How == conflict.ByDebate; !decided || ok && winner == s.Payload.Winner {
		return nil
	}
	return &Difference{s.Seq, s.Thread, "winner by " + string(s.Payload.How), s.Payload.Winner.String(), winner.String()}
}

func (r *Replay) open(t *replayed, s *signals.Signal[runlog.Opened]) error {
	terms, err := r.termsOf(s)
	if err != nil {
		return err
	}
	var unknown *consensus.FieldError
	if terms.by, err = terms.strategy(); err != nil && !errors.As(err, &unknown) {
		return fmt.Errorf("swarm: signal %d: %w", s.Seq, err)
	}
	t.terms[terms.Name], t.over = terms, false
	return nil
}

func (r *Replay) termsOf(s *signals.Signal[runlog.Opened]) (*standingTerms, error) {
	terms := &standingTerms{}
	if err := json.Unmarshal([]byte(s.Payload.Terms), &terms.Terms); err != nil {
		return nil, fmt.Errorf("swarm: signal %d: terms: %w", s.Seq, err)
	}
	terms.options = terms.Options()
	var err error
	if terms.learner, err = r.learner(&terms.Terms); err != nil {
		return nil, fmt.Errorf("swarm: signal %d: %w", s.Seq, err)
	}
	return terms, nil
}

func (r *Replay) learner(t *runlog.Terms) (l *learner, err error) {
	if l = r.learners[t.Learner]; l != nil || t.Learner == "" {
		return l, nil
	}
	ledger, err := reliability.NewLedger(t.Learns)
	if err != nil {
		return nil, err
	}
	ledger.LearnWhenTold() // at the same places of the log as the original
	l = &learner{ledger}
	r.learners[t.Learner] = l
	return l, nil
}

// strategy returns the strategy that decides, by what is known now.
func (t *standingTerms) strategy() (consensus.Strategy, error) {
	switch l := t.learner; {
	case t.Default && l == nil:
		return nil, fmt.Errorf("terms %q: what is learned decides, but nothing learns", t.Name)
	case t.Default && t.Strategy == reliability.Strategy{}.Name():
		l.Learn()
		several, _ := l.Models()
		return reliability.Strategy{Model: several}, nil
	case t.Default:
		l.Learn()
		return l.Strategy(), nil
	case l != nil:
		l.Learn()
		t.options.Reliabilities = l.Reliabilities()
	}
	if t.Own {
		return nil, &consensus.FieldError{Field: "strategy", Value: t.Strategy, Want: "one of the library's"}
	}
	return consensus.Lookup(t.Strategy)
}

// decide derives a recorded decision.
func (r *Replay) decide(t *replayed, s *signals.Signal[runlog.Decided]) error {
	terms := t.terms[s.Payload.Name]
	if terms == nil {
		return fmt.Errorf("swarm: signal %d: a decision by terms %q, which were not recorded", s.Seq, s.Payload.Name)
	}
	d, err := r.derive(t, terms, s)
	if err != nil {
		return err
	}
	t.decided[terms.Name], t.last, t.over = d, d, true
	r.Decisions++
	if r.Decided != nil {
		r.Decided(s.Thread, terms.Name, d)
	}
	if s.Payload.Observed == "" || terms.learner == nil {
		return nil
	}
	if err := terms.learner.Observe(s.Payload.Observed, d.Ballots()); err != nil {
		return r.unless(fmt.Errorf("swarm: signal %d: %w", s.Seq, err))
	}
	t.observed = append(t.observed, observation{terms.learner, s.Payload.Observed})
	return nil
}

// unless returns err, unless the log is trusted.
func (r *Replay) unless(err error) error {
	if r.trusting {
		return nil
	}
	return err
}

// derive returns the decision, which is what the log says.
func (r *Replay) derive(t *replayed, terms *standingTerms, s *signals.Signal[runlog.Decided]) (d consensus.Decision, err error) {
	if terms.by == nil {
		if !r.trusting {
			return d, fmt.Errorf("%w: signal %d, in %s, is by %q", ErrStrategy, s.Seq, s.Thread, terms.Strategy)
		}
		known := *terms
		known.by = consensus.Default() // any strategy does: only the votes are needed
		terms = &known
	}
	if d, err = terms.decide(t.Thread, s.Payload); err != nil {
		return d, fmt.Errorf("swarm: signal %d: %w", s.Seq, err)
	}
	if r.trusting {
		return s.Payload.Of(d)
	}
	derived, err := runlog.TextOf(d)
	switch {
	case err != nil:
		return d, err
	case derived != s.Payload.Decision:
		return d, &Difference{s.Seq, s.Thread, "decision by " + s.Payload.Name, string(s.Payload.Decision), string(derived)}
	case s.Source != bus.System || s.Confidence != d.Confidence:
		return d, &Difference{
			s.Seq, s.Thread, "header of the decision",
			fmt.Sprintf("%s, confidence %v", s.Source, s.Confidence), fmt.Sprintf("%s, confidence %v", bus.System, d.Confidence),
		}
	case !s.Payload.Follows(d):
		return d, &Difference{s.Seq, s.Thread, "stop", s.Payload.Stop.String(), runlog.StopFor(d.Outcome).String()}
	}
	return d, nil
}

func (t *standingTerms) decide(thread *runlog.Thread, p runlog.Decided) (consensus.Decision, error) {
	votes, err := t.count(thread)
	if err != nil {
		return consensus.Decision{}, err
	}
	if p.Quorum > 0 {
		votes.SetQuorum(p.Quorum)
	}
	if p.Closed {
		votes.Close()
	}
	return votes.Decision(), nil
}

// count returns the votes of a thread; equal proposals count as one if the terms say so.
func (t *standingTerms) count(thread *runlog.Thread) (*consensus.Round, error) {
	if t.Same {
		return thread.Votes.CountedBy(t.by, t.options, t.Weights)
	}
	votes, err := consensus.NewRound(t.by, t.options)
	if err != nil {
		return nil, err
	}
	for _, s := range thread.Log {
		weight, known := t.Weights[s.Head().Source]
		if !known {
			weight = 1
		}
		if err := runlog.Fold(votes, s, weight); err != nil {
			return nil, err
		}
	}
	return votes, nil
}

func (r *Replay) resolve(t *replayed, s *signals.Signal[runlog.Outcome]) error {
	for _, o := range t.observed {
		if s.Payload.Observed != "" && s.Payload.Observed != o.name || !o.learner.Holds(o.name) {
			continue
		}
		if err := o.learner.Resolve(o.name, s.Payload.ProposalID); err != nil {
			return r.unless(fmt.Errorf("swarm: signal %d: %w", s.Seq, err))
		}
	}
	r.Outcomes++
	return nil
}

// announced compares what was announced in a thread with the decision on record.
func (t *replayed) announced(s *signals.Signal[signals.Consensus]) error {
	if len(t.terms) == 0 {
		return nil // announced by a program that records nothing
	}
	if open := t.Coordination.Converged().Obstacles; len(open) > 0 {
		return &Difference{s.Seq, s.Thread, "announcement", s.Payload.ProposalID, "withheld: " + open[0].String()}
	}
	for _, d := range t.decided {
		if t.stop() <= StopConsensus && d.Outcome == consensus.Reached && d.Choice == s.Payload.ProposalID &&
			d.Confidence == s.Payload.Confidence && t.content(d.Choice) == s.Payload.Decision {
			return nil
		}
	}
	said, _ := runlog.TextOf(s.Payload)
	derived, _ := runlog.TextOf(t.decided)
	return &Difference{s.Seq, s.Thread, "announcement", string(said), string(derived)}
}

// content returns the content of the first proposal with that id.
func (t *replayed) content(id string) string {
	for _, p := range t.Votes.Made() {
		if p.Payload.ProposalID == id {
			return p.Payload.Content
		}
	}
	return ""
}
