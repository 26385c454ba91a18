package machines

import (
	"encoding/json"
	"slices"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
)

// A tip is what is known at the end of records, folded as they come: what a new solve costs does not grow with them.
type tip struct {
	fold  *replay.Replay
	codec *signals.Codec
	out   map[uint64]bool // records that cannot be folded
	tasks []signals.Any
	last  journal.Record // of what an agent said, which decides nothing
	at    uint64         // number of the last record
}

// recorded returns the records as a journal in memory, from which a swarm learns what is in
// the log, and whether a task of them is what is looked for. If none is, it has what was learned in place of the
// records, and one that the bus still has, behind which that goes on. It lacks what cannot be folded, which nobody can take
// out of the log.
func (r *Records) recorded(b *bus.Bus, kinds []signals.Registration, of func(signals.Any) bool) (_ *journal.Memory, found bool, err error) {
	r.tipped.Lock()
	defer r.tipped.Unlock()
	if r.tip == nil {
		if r.tip, err = newTip(kinds); err != nil {
			return nil, false, err
		}
	}
	t := r.tip
	for record, err := range r.Read(t.at) {
		if err != nil {
			return nil, false, err
		}
		t.next(r, record)
	}
	for _, task := range t.tasks {
		found = found || of(task)
	}
	past := new(journal.Memory)
	if !found && t.behind(b) {
		state, err := json.Marshal(t.fold.Memory())
		if err == nil {
			_, err = past.Append(t.last, t.last)
		}
		if err == nil {
			err = past.Drop(1, state)
		}
		return past, false, err
	}
	for record, err := range r.Read(0) {
		if err == nil && record.Seq <= t.at && !t.out[record.Seq] {
			_, err = past.Append(record)
		}
		if err != nil {
			return nil, false, err
		}
	}
	return past, found, nil
}

func newTip(kinds []signals.Registration) (*tip, error) {
	codec, err := Codec(kinds...)
	if err != nil {
		return nil, err
	}
	fold, err := replay.Trust(journal.Snapshot{})
	return &tip{fold: fold, codec: codec, out: map[uint64]bool{}}, err
}

// next folds the next record.
func (t *tip) next(r *Records, record journal.Record) {
	t.at = record.Seq
	s, err := record.Signal(t.codec)
	if err == nil {
		err = t.fold.Next(s)
	}
	switch {
	case err != nil:
		t.out[record.Seq] = true
		r.ignore(s, err)
	case s.Kind() == signals.KindTask:
		t.tasks = append(t.tasks, s)
	case !slices.Contains(Reserved(), s.Kind()):
		t.last = record
	}
}

// behind reports whether a bus has the last record of an agent.
func (t *tip) behind(b *bus.Bus) bool {
	for s := range b.History(bus.Filter{After: t.last.Seq - 1}) {
		return s.Head().Seq == t.last.Seq
	}
	return false
}
