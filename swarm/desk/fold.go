package desk

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// A Fold is what a log says, as far as it was read. Lock it before its Replay, or a thread of
// it, is read: records that are folded change them. The methods lock it themselves.
type Fold struct {
	sync.Mutex
	Replay *replay.Replay

	solves  map[string]*replay.Thread
	order   []*replay.Thread // as they began
	seq     uint64           // of the newest signal
	err     error            // why it ends there
	watcher Watcher          // nil: there is none
}

// A Watcher is told of each record of a log after it was folded, while the fold is locked. Said
// is nil for a record that is no signal, and of for a signal of no solve. Fresh records are those
// of the last few thousand and all that come later. An error ends the reading of the log.
type Watcher interface {
	Folded(record *journal.Record, said signals.Any, of *replay.Thread, fresh bool) error
}

// NewFold returns the fold of a log that begins after a snapshot. Watch makes what watches it;
// nil: nothing does.
func NewFold(from journal.Snapshot, watch func(*Fold) Watcher) (*Fold, error) {
	past, err := replay.Trust(from)
	if err != nil {
		return nil, err
	}
	f := &Fold{Replay: past, solves: map[string]*replay.Thread{}}
	if watch != nil {
		f.watcher = watch(f)
	}
	return f, nil
}

// ReadFold returns the fold of a whole log.
func ReadFold(log journal.Reader, codec *signals.Codec, watch func(*Fold) Watcher) (*Fold, error) {
	return readFold(log, codec, watch, math.MaxUint64)
}

// readFold returns the fold of a log up to a position.
func readFold(log journal.Reader, codec *signals.Codec, watch func(*Fold) Watcher, through uint64) (*Fold, error) {
	snapshot, err := log.Snapshot()
	if err != nil {
		return nil, err
	}
	f, err := NewFold(snapshot, watch)
	if err != nil || through == 0 {
		return f, err
	}
	for record, err := range log.Read(snapshot.Through) {
		if err != nil {
			return nil, err
		}
		if record.Seq > through {
			break
		}
		if err := f.Take(&record, codec, false); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// Take folds the next record of the log.
func (f *Fold) Take(record *journal.Record, codec *signals.Codec, fresh bool) error {
	var said signals.Any
	if record.Type == journal.TypeSignal {
		var err error
		if said, err = record.Signal(codec); err != nil {
			return err
		}
	}
	f.Lock()
	defer f.Unlock()
	if before, ok := solves.BeforeIn(record); ok {
		f.Replay.Thread(before.Thread).Questions.Record(before)
	}
	var of *replay.Thread
	if said != nil {
		if f.err != nil {
			return f.err
		}
		if f.err = f.Replay.Next(said); f.err != nil {
			return fmt.Errorf("signal %d: %w", said.Head().Seq, f.err)
		}
		f.seq = said.Head().Seq
		of = f.solveOf(said)
	}
	if f.watcher == nil {
		return nil
	}
	return f.watcher.Folded(record, said, of, fresh)
}

// solveOf returns the solve of a signal; nil: it is of none.
func (f *Fold) solveOf(said signals.Any) *replay.Thread {
	thread := said.Head().Thread
	of := f.solves[thread]
	if of == nil && (said.Kind() == signals.KindTask || said.Kind() == runlog.KindTerms) {
		of = f.Replay.Thread(thread)
		f.solves[thread], f.order = of, append(f.order, of)
	}
	return of
}

// Close releases the memory of the fold.
func (f *Fold) Close() { f.Replay.Close() }

// Seq returns the position of the newest signal, and why the log cannot be read any further.
func (f *Fold) Seq() (uint64, error) {
	f.Lock()
	defer f.Unlock()
	return f.seq, f.err
}

// Solves returns how the solves stand, in the order in which they began.
func (f *Fold) Solves() (all []Standing) {
	f.Lock()
	defer f.Unlock()
	for _, t := range f.order {
		all = append(all, standingOf(t))
	}
	return all
}

// Solve returns how a solve stands, and whether there is one.
func (f *Fold) Solve(thread string) (s Standing, ok bool) {
	f.Lock()
	defer f.Unlock()
	t := f.solves[thread]
	if t == nil {
		return s, false
	}
	return standingOf(t), true
}

// stopped reports whether a solve stands still since a stop after a position.
func (f *Fold) stopped(thread string, after uint64) bool {
	one, _ := f.Solve(thread)
	return one.Stop != 0 && one.seq() > after
}

// A Standing is how a solve stands.
type Standing struct {
	Thread string
	task   signals.Task
	Stop   runlog.StopReason // 0: it runs, or was cut off
	Detail string            // of the stop
	Log    []signals.Any     // shared

	Questions runlog.Questions // to a person
}

func standingOf(t *replay.Thread) Standing {
	s := Standing{Thread: t.Name, task: t.Task(), Log: slices.Clip(t.Log), Questions: t.Questions.Clone()}
	if t.Stage.Stopped() {
		d := t.Stage.Decided.Payload
		s.Stop, s.Detail = d.Stop, d.Detail
		s.Stop = cmp.Or(s.Stop, runlog.StopFor(t.Last.Outcome))
	}
	return s
}

// seq returns the position of the newest signal of the solve.
func (s *Standing) seq() uint64 { return s.Log[len(s.Log)-1].Head().Seq }
