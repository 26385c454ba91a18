package swarm

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Retain drops the oldest records of a swarm's journal to keep it within r's
// bounds, and returns their number. In their place it keeps what was learned
// from them, so that a swarm opened with the journal has the same ledger and
// thread numbers. It may be called while a swarm writes the journal, but not while
// one resumes a solve: see [Swarm.Retain]. Retain sets r's Fold and Cut itself.
//
// A solve is dropped as a whole, with the records of other types directly before it,
// when it is over. A solve that can continue is kept with everything after it,
// whatever the bounds, until it has been idle for r.Age: one that was interrupted, that
// waits for an answer, or that stopped for a reason with which [Swarm.Resume] continues
// it.
func Retain(j journal.Store, r journal.Retention) (dropped int, err error) {
	r.Cut = func(held iter.Seq2[journal.Record, error], through uint64) (uint64, error) {
		return betweenSolves(held, through, r.Age)
	}
	r.Fold = fold
	return r.Apply(j)
}

// ErrResuming is returned by [Swarm.Retain] while the swarm resumes a solve whose
// records might be dropped. Retain again when the solve has begun its next round.
var ErrResuming = errors.New("swarm: a solve is being resumed; retain again later")

// Retain is [Retain] of the swarm's journal, while the swarm has it open. It drops
// nothing and returns [ErrResuming] while a solve is being resumed; a resumption that
// begins meanwhile waits for it. Without a journal it drops nothing.
func (s *Swarm) Retain(r journal.Retention) (dropped int, err error) {
	if s.opts.Journal == nil {
		return 0, nil
	}
	if !s.resuming.TryLock() {
		return 0, ErrResuming
	}
	defer s.resuming.Unlock()
	return Retain(s.opts.Journal, r)
}

// A course has the records of a thread, and how far it has come.
type course struct {
	first, last uint64 // records, without outcomes
	at          time.Time
	stage       runlog.Stage
}

// take takes the next signal, and what a program recorded before it: of its first
// signal, what its solve depends on.
func (c *course) take(results, record uint64, s signals.Any) {
	c.at = signals.HeadOf(s).Time
	before := c.stage.Outcome
	c.stage.Apply(s)
	if c.stage.Outcome == before {
		c.first, c.last = cmp.Or(c.first, results), record
	}
}

// betweenSolves returns the last record up to through after which no solve is
// in progress. It leaves one signal, so that a bus continues its sequence
// numbers from there.
func betweenSolves(held iter.Seq2[journal.Record, error], through uint64, age time.Duration) (uint64, error) {
	codec, err := newCodec()
	if err != nil {
		return 0, err
	}
	threads := map[string]*course{}
	var newest uint64
	var results uint64 // the first record since the last signal
	var now time.Time
	for record, err := range held {
		if err != nil {
			return 0, err
		}
		results = cmp.Or(results, record.Seq)
		if record.Type != journal.TypeSignal {
			continue
		}
		s, err := record.Signal(codec)
		if err != nil {
			return 0, err
		}
		h := signals.HeadOf(s)
		if threads[h.Thread] == nil {
			threads[h.Thread] = &course{}
		}
		threads[h.Thread].take(results, record.Seq, s)
		results = 0
		if newest = record.Seq; h.Time.After(now) {
			now = h.Time
		}
	}
	through = min(through, max(newest, 1)-1)
	latestFirst := slices.SortedFunc(maps.Values(threads), func(a, b *course) int { return cmp.Compare(b.first, a.first) })
	for _, c := range latestFirst {
		givenUp := age > 0 && now.Sub(c.at) > age
		if c.stage.Begun() && c.first > 0 && c.first <= through && (through < c.last || !c.stage.Closed() && !givenUp) {
			through = c.first - 1
		}
	}
	return through, nil
}

// A memory is the state that replaces dropped records.
type memory struct {
	Version  int                            `json:"version"`
	Numbers  map[string]uint64              `json:"numbers,omitempty"`  // greatest thread numbers, by prefix
	Learners map[string]*reliability.Ledger `json:"learners,omitempty"` // by name
	Observed map[string][]knownName         `json:"observed,omitempty"` // by thread
}

// A knownName is the name of a decision and of its learner.
type knownName struct {
	Learner string `json:"learner"`
	Name    string `json:"name"`
}

const memoryVersion = 1

// fold is [journal.Retention].Fold.
func fold(state []byte, dropped iter.Seq2[journal.Record, error]) ([]byte, error) {
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	from := journal.Snapshot{State: state}
	if len(state) > 0 {
		from.Through = 1 // there were dropped records
	}
	r, err := NewReplay(from)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	r.trusting = true
	for record, err := range dropped {
		var s signals.Any
		switch {
		case err != nil:
		case record.Type != journal.TypeSignal:
			continue
		default:
			s, err = record.Signal(codec)
		}
		if err == nil {
			err = r.Next(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return json.Marshal(r.memory())
}

// memory returns the replay's state that outlives the log.
func (r *Replay) memory() *memory {
	m := &memory{Version: memoryVersion, Numbers: r.numbers, Learners: map[string]*reliability.Ledger{}, Observed: map[string][]knownName{}}
	names := map[*learner]string{}
	for name, l := range r.learners {
		m.Learners[name], names[l] = l.Ledger, name
	}
	for thread, t := range r.threads {
		for _, o := range t.observed {
			if o.learner.Holds(o.name) {
				m.Observed[thread] = append(m.Observed[thread], knownName{names[o.learner], o.name})
			}
		}
	}
	return m
}

// memoryOf returns the state for the records before the log.
func memoryOf(from journal.Snapshot) (*memory, error) {
	if from.Through == 0 {
		return &memory{}, nil
	}
	var m memory
	if err := json.Unmarshal(from.State, &m); err != nil || m.Version != memoryVersion {
		return nil, fmt.Errorf("swarm: records up to %d were dropped, and what stands for them is not what swarm.Retain puts there: %w",
			from.Through, cmp.Or(err, fmt.Errorf("version %d", m.Version)))
	}
	return &m, nil
}

// observe adds the name of a thread's decision in the swarm's ledger.
func (m *memory) observe(thread, name string) {
	m.Observed[thread] = append(m.Observed[thread], knownName{ownLearner, name})
}

// restore restores the state for the records before the log.
func (r *Replay) restore(m *memory) error {
	maps.Copy(r.numbers, m.Numbers)
	for name, ledger := range m.Learners {
		if ledger == nil {
			return fmt.Errorf("swarm: what was learned by %q is no ledger", name)
		}
		ledger.LearnWhenTold()
		r.learners[name] = &learner{ledger}
	}
	for thread, all := range m.Observed {
		t := r.thread(thread)
		for _, o := range all {
			l := r.learners[o.Learner]
			if l == nil {
				return fmt.Errorf("swarm: what was learned by %q is missing", o.Learner)
			}
			t.observed = append(t.observed, observation{l, o.Name})
		}
	}
	return nil
}
