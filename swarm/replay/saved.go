package replay

import (
	"cmp"
	"encoding/json"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Saved state is what is folded from the records of a journal before the one that has
// it, so that the next start does not fold them again. No record is dropped for it.
type Saved struct {
	Memory
	Latest   int64    `json:"latest"`             // the latest time in the log
	Unclosed []string `json:"unclosed,omitempty"` // threads whose proposals the bus has
}

// savedHead is the head of the records of swarms' states.
const savedHead = "swarm"

// Record returns the record of the state.
func (s *Saved) Record() (journal.Record, error) {
	body, err := json.Marshal(s)
	return journal.Record{Type: journal.TypeState, Head: []byte(savedHead), Body: body}, err
}

// A Beginning is the newest saved state of a journal, and where it is.
type Beginning struct {
	Last signals.Any // the last signal before it
	Size int         // in bytes

	state  Saved
	record uint64 // that has the state
}

// Newest returns the newest saved state that can be read; nil if there is none.
// It reads backwards, so that it costs as much as what was recorded since.
func Newest(j journal.Store, codec *signals.Codec) (*Beginning, error) {
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
		b := &Beginning{Size: len(state.Body), record: state.Seq}
		if b.Last, err = last.Signal(codec); err != nil {
			return nil, err
		}
		if json.Unmarshal(state.Body, &b.state) == nil && b.state.valid() {
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

// Replay returns a replay that trusts the log, from the state on. It begins after the
// record that is returned; earlier are the signals before it that matter, those of threads
// that continue and the last one, which the replay has taken.
func (b *Beginning) Replay(j journal.Store, codec *signals.Codec) (r *Replay, record uint64, earlier []signals.Any, err error) {
	if earlier, err = b.earlier(j, codec); err != nil {
		return nil, 0, nil, err
	}
	if r, err = after(b.record, &b.state.Memory); err != nil {
		return nil, 0, nil, err
	}
	r.trusting, r.latest = true, b.state.Latest
	for _, said := range earlier {
		err = cmp.Or(err, r.recall(said))
	}
	if err != nil {
		r.Close()
		return nil, 0, nil, err
	}
	return r, b.record, earlier, nil
}

func (b *Beginning) earlier(j journal.Store, codec *signals.Codec) ([]signals.Any, error) {
	threads, err := b.continued(j, codec)
	if err != nil || len(threads) == 0 {
		return []signals.Any{b.Last}, err
	}
	snapshot, err := j.Snapshot()
	if err != nil {
		return nil, err
	}
	var all []signals.Any
	for r, err := range j.Read(snapshot.Through) {
		if err != nil || r.Seq >= b.record {
			return append(all, b.Last), err
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
		if said.Head().Seq < b.Last.Head().Seq {
			all = append(all, said)
		}
	}
	return append(all, b.Last), nil
}

// continued returns the threads that go on after the state: those whose proposals the
// bus had, and those in which something was said that did not begin them.
func (b *Beginning) continued(j journal.Store, codec *signals.Codec) (map[string]bool, error) {
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
