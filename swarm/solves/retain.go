package solves

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// Retain drops the oldest records of a swarm's journal to keep it within r's
// bounds, and returns their number. In their place it keeps what was learned
// from them, so that a swarm opened with the journal has the same ledger and
// thread numbers. It may be called while a swarm writes the journal, but not while
// one resumes a solve: see [swarm.Swarm.Retain]. Retain sets r's Fold and Cut itself.
//
// A solve is dropped as a whole, with the records of other types directly before it,
// when it is over. A solve that can continue is kept with everything after it,
// whatever the bounds, until it has been idle for r.Age: one that was interrupted, that
// waits for an answer, or that stopped for a reason with which [swarm.Swarm.Resume] continues
// it.
func Retain(j journal.Store, r journal.Retention) (dropped int, err error) {
	r.Cut = func(held iter.Seq2[journal.Record, error], through uint64) (uint64, error) {
		return betweenSolves(held, through, r.Age)
	}
	r.Fold = fold
	return r.Apply(j)
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
	c.at = s.Head().Time
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
	codec, err := runlog.NewCodec()
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
		h := s.Head()
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

// fold is [journal.Retention].Fold.
func fold(state []byte, dropped iter.Seq2[journal.Record, error]) ([]byte, error) {
	codec, err := runlog.NewCodec()
	if err != nil {
		return nil, err
	}
	from := journal.Snapshot{State: state}
	if len(state) > 0 {
		from.Through = 1 // there were dropped records
	}
	r, err := replay.Trust(from)
	if err != nil {
		return nil, err
	}
	defer r.Close()
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
	return json.Marshal(r.Memory())
}
