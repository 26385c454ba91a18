package swarm

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// saved is what is folded from the records of a journal before the one that has it, so
// that the next start does not fold them again. No record is dropped for it.
type saved struct {
	memory
	Latest   int64    `json:"latest"`             // the latest time in the log
	Unclosed []string `json:"unclosed,omitempty"` // threads whose proposals the bus has
}

// savedHead is the head of the records of swarms' states.
const savedHead = "swarm"

// saveEvery is the least number of signals between two records of the state: folding
// as many again takes some 0.2 s.
const saveEvery = 512

// folded is the state that a swarm with a journal keeps to save it.
type folded struct {
	memory
	unclosed map[string]bool // threads whose proposals the bus has
	latest   int64           // the latest time in the journal when the swarm started
	at       uint64          // the bus's last signal in the last saved state
	size     uint64          // bytes of that
}

// save records the state, unless a solve is in progress or there is little that is
// new: at least size bytes of signals, so that a journal at most doubles. In a
// shutdown size does not matter.
func (s *Swarm) save(ctx context.Context, shutdown bool) error {
	s.recording.Lock()
	defer s.recording.Unlock()
	const signal = 512 // bytes of a record, about
	last := s.bus.Last()
	if fresh := last - s.folded.at; fresh < saveEvery || !shutdown && fresh*signal < s.folded.size {
		return nil
	}
	threads.Lock() // no solve begins meanwhile
	defer threads.Unlock()
	n := namesOf(s.bus)
	if len(n.running) > 0 {
		return nil
	}
	s.folded.Numbers[s.threadPrefix()] = max(s.folded.Numbers[s.threadPrefix()], n.last[uint32(s.opts.Seed)])
	body, err := json.Marshal(saved{s.folded.memory, s.latest(), slices.Sorted(maps.Keys(s.folded.unclosed))})
	if err != nil {
		return err
	}
	if err := s.writer.Sync(ctx, last); err != nil {
		return err
	}
	if _, err := s.opts.Journal.Append(journal.Record{Type: journal.TypeState, Head: []byte(savedHead), Body: body}); err != nil {
		return err
	}
	s.folded.at, s.folded.size = last, uint64(len(body))
	return nil
}

// latest returns the latest time in the log, or a later one.
func (s *Swarm) latest() int64 {
	latest := max(s.time.Load(), s.folded.latest)
	for said := range s.bus.History(bus.Filter{After: s.bus.Last() - 1}) {
		latest = max(latest, said.Head().Time.UnixNano())
	}
	return latest
}

// A beginning is the newest saved state of a journal, and where it is.
type beginning struct {
	state  saved
	size   int
	record uint64      // that has the state
	last   signals.Any // the last signal before it
}

// newestSaved returns the newest saved state that can be read; nil if there is none.
// It reads backwards, so that it costs as much as what was recorded since.
func newestSaved(j journal.Store, codec *signals.Codec) (*beginning, error) {
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, err
	}
	for window := uint64(1 << 11); ; window *= 4 {
		after := max(snapshot.Through, j.Last()-min(window, j.Last()))
		state, last, err := savedAfter(j, after)
		if err != nil {
			return nil, err
		}
		if state == nil || last == nil {
			if after == snapshot.Through {
				return nil, nil
			}
			continue
		}
		b := &beginning{size: len(state.Body), record: state.Seq}
		if b.last, err = last.Signal(codec); err != nil {
			return nil, err
		}
		if json.Unmarshal(state.Body, &b.state) == nil && b.state.Version == memoryVersion && b.state.valid() {
			return b, nil
		}
		return nil, nil // of another version: the log has everything
	}
}

// savedAfter returns the newest record of a state after a record, and that of the last
// signal before it.
func savedAfter(j journal.Store, after uint64) (state, last *journal.Record, err error) {
	var newest *journal.Record
	for r, err := range j.Read(after) {
		switch {
		case err != nil:
			return nil, nil, err
		case r.Type == journal.TypeSignal:
			newest = &r
		case r.Type == journal.TypeState && string(r.Head) == savedHead:
			state, last = &r, newest
		}
	}
	return state, last, nil
}

// valid reports whether everything that learned can be restored.
func (m *memory) valid() bool {
	for _, ledger := range m.Learners {
		if ledger == nil {
			return false
		}
	}
	return true
}

// earlier returns the signals before the state that matter after it: those of threads
// that continue, and the last one.
func (b *beginning) earlier(j journal.Store, codec *signals.Codec) ([]signals.Any, error) {
	threads, err := b.continued(j, codec)
	if err != nil || len(threads) == 0 {
		return []signals.Any{b.last}, err
	}
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, err
	}
	var all []signals.Any
	for r, err := range j.Read(snapshot.Through) {
		if err != nil || r.Seq >= b.record {
			return append(all, b.last), err
		}
		if r.Type != journal.TypeSignal {
			continue
		}
		_, thread, err := r.About()
		if err != nil {
			return nil, err
		}
		if !threads[thread] {
			continue
		}
		said, err := r.Signal(codec)
		if err != nil {
			return nil, err
		}
		if said.Head().Seq < b.last.Head().Seq {
			all = append(all, said)
		}
	}
	return append(all, b.last), nil
}

// continued returns the threads that go on after the state: those whose proposals the
// bus had, and those in which something was said that did not begin them.
func (b *beginning) continued(j journal.Store, codec *signals.Codec) (map[string]bool, error) {
	threads, begun := map[string]bool{}, map[string]bool{}
	for _, name := range b.state.Unclosed {
		threads[name] = true
	}
	for said, err := range journal.Signals(j, codec, b.record) {
		if err != nil {
			return nil, err
		}
		name := said.Head().Thread
		switch said.Kind() {
		case runlog.KindOutcome:
		case signals.KindTask:
			begun[name] = true
		default:
			if !begun[name] {
				threads[name] = true
			}
		}
	}
	return threads, nil
}

// feedFrom gives the bus what it needs of the journal.
func (s *Swarm) feedFrom(b *beginning, earlier []signals.Any, codec *signals.Codec) error {
	ctx, batch := context.Background(), slices.Clone(earlier)
	for said, err := range journal.Signals(s.opts.Journal, codec, b.record) {
		if err != nil {
			return err
		}
		if batch = append(batch, said); len(batch) >= saveEvery {
			if err := s.bus.Feed(ctx, batch...); err != nil {
				return err
			}
			batch = nil
		}
	}
	return s.bus.Feed(ctx, batch...)
}
