// Package keep keeps a swarm's journal and what is folded from it, the names of its threads,
// and its clock.
package keep

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/consensus/reliability"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/replay"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Keeper writes the journal of a swarm. Its methods may be called concurrently, but for
// those that change what it has folded: Opened, Closed, Observed and Save.
type Keeper struct {
	of       Of
	codec    *signals.Codec
	writer   *journal.Writer
	standing map[string]*replay.Terms // never changes
	folded   folded
	starts   bool   // the ledger knows what the journal does not have yet
	leave    func() // lets another swarm keep a journal of the bus
}

// kept has each bus of which a swarm keeps a journal: all that is decided on it is learned as of one swarm.
var kept sync.Map

// Of is what a journal is kept of.
type Of struct {
	Journal journal.Store
	Bus     *bus.Bus
	Ledger  *reliability.Ledger // nil: nothing learns
	Clock   *Clock
	Names   *Namer
	Kinds   []signals.Registration // of the program
}

// Open restores the state from the journal, and continues to write it. It starts
// from the newest saved state, if there is one that can be read.
func Open(of Of) (_ *Keeper, err error) {
	if _, taken := kept.LoadOrStore(of.Bus, true); taken {
		return nil, &signals.FieldError{Field: "bus", Problem: "another swarm with a journal is on it, and a journal of both could not be read: give each swarm a bus of its own, or close the one before the other is made"}
	}
	leave := sync.OnceFunc(func() { kept.Delete(of.Bus) })
	defer func() {
		if err != nil {
			leave()
		}
	}()
	codec, err := runlog.NewCodec(of.Kinds...)
	if err != nil {
		return nil, err
	}
	from, err := replay.Newest(of.Journal, codec)
	if err != nil {
		return nil, err
	}
	k := &Keeper{of: of, codec: codec, leave: leave}
	owed, err := k.relearn(from, codec)
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	if from == nil {
		k.writer, err = journal.Attach(ctx, of.Bus, of.Journal, codec)
	} else {
		k.writer, err = journal.Continue(ctx, of.Bus, of.Journal, codec)
	}
	if err == nil && len(owed) > 0 {
		err = of.Bus.Feed(ctx, owed...)
	}
	if err == nil && len(k.standing) == 0 { // those go on by what had been learned when they began
		err = k.Save(ctx, true)
	}
	if err != nil && k.writer != nil {
		ended, end := context.WithCancel(ctx)
		end()
		_ = k.writer.Close(ended)
	}
	return k, err
}

// relearn folds the ledger, and counts the threads that are taken. It trusts the log;
// a [replay.Replay] that does not can check whether its records can be derived. It returns
// the conflicts whose signals the log lacks because it was cut off. If it starts from a
// saved state, it feeds the bus.
func (k *Keeper) relearn(from *replay.Beginning, codec *signals.Codec) ([]signals.Any, error) {
	past, after, err := k.past(from, codec)
	if err != nil {
		return nil, err
	}
	defer past.Close()
	for said, err := range journal.Signals(k.of.Journal, codec, after) {
		if err == nil {
			err = past.Next(said)
		}
		if err != nil {
			return nil, fmt.Errorf("the journal cannot be folded (swarmbus verify and swarmbus replay --check tell more): %w", err)
		}
	}
	f := &k.folded
	f.Memory, f.unclosed, f.latest = *past.Memory(), past.Unclosed(), past.Latest().UnixNano()
	k.of.Clock.Saw(past.Latest())
	k.of.Names.Passed(f.Numbers[k.of.Names.Prefix()])
	k.standing = past.Standing()
	if ledger := k.of.Ledger; ledger != nil {
		if k.starts, err = fill(ledger, past.Ledger(runlog.Learner)); err != nil {
			return nil, err
		}
		ledger.DeferLearning()
		f.Learners[runlog.Learner] = ledger
	}
	return past.Owed(), nil
}

// past returns a replay that accepts what it cannot derive, with the saved state
// if there is one, and the record after which it begins.
func (k *Keeper) past(from *replay.Beginning, codec *signals.Codec) (*replay.Replay, uint64, error) {
	if from == nil {
		snapshot, err := k.of.Journal.Snapshot()
		if err != nil {
			return nil, 0, err
		}
		past, err := replay.Trust(snapshot)
		return past, snapshot.Through, err
	}
	past, after, earlier, err := from.Replay(k.of.Journal, codec)
	if err != nil {
		return nil, 0, err
	}
	k.folded.at, k.folded.size = from.Last.Head().Seq, uint64(from.Size)
	if err := k.feed(after, earlier, codec); err != nil {
		past.Close()
		return nil, 0, err
	}
	return past, after, nil
}

// feed gives the bus what it needs of the journal: earlier signals, and those after a
// record.
func (k *Keeper) feed(after uint64, earlier []signals.Any, codec *signals.Codec) error {
	ctx, batch := context.Background(), slices.Clone(earlier)
	for said, err := range journal.Signals(k.of.Journal, codec, after) {
		if err != nil {
			return err
		}
		if batch = append(batch, said); len(batch) >= saveEvery {
			if err := k.of.Bus.Feed(ctx, batch...); err != nil {
				return err
			}
			batch = nil
		}
	}
	return k.of.Bus.Feed(ctx, batch...)
}

// fill makes a ledger the one that was folded from the journal, if there is one, with what it knows beside. It reports
// whether there is such.
func fill(ledger, folded *reliability.Ledger) (more bool, err error) {
	if folded == nil {
		return ledger.Len() > 0, nil
	}
	if ours, theirs := ledger.Options(), folded.Options(); !reflect.DeepEqual(ours, theirs) {
		return false, &signals.FieldError{Field: "ledger", Value: fmt.Sprintf("%+v", ours), Problem: fmt.Sprintf("that of the journal has the options %+v", theirs)}
	}
	was, err := json.Marshal(folded)
	if err == nil {
		err = folded.Add(ledger, nil)
	}
	state, problem := json.Marshal(folded)
	return string(was) != string(state), errors.Join(err, problem, json.Unmarshal(state, ledger))
}

// Standing returns the terms of a solve that the journal did not see end; nil for others.
func (k *Keeper) Standing(thread string) *replay.Terms { return k.standing[thread] }

// Sync waits until the journal has acknowledged the signals through a sequence number.
func (k *Keeper) Sync(ctx context.Context, seq uint64) error { return k.writer.Sync(ctx, seq) }

// Close waits until everything is written, or until ctx ends.
func (k *Keeper) Close(ctx context.Context) error {
	defer k.leave()
	return k.writer.Close(ctx)
}

// Starts reports whether the next terms have to say what the ledger knew before the log.
func (k *Keeper) Starts() bool { return k.starts }

// Opened says that the terms of a thread are in the log.
func (k *Keeper) Opened(thread string) { k.folded.unclosed[thread], k.starts = true, false }

// Closed says that the proposals of a thread no longer matter.
func (k *Keeper) Closed(thread string) { delete(k.folded.unclosed, thread) }

// Observed says that the ledger has a thread's decision, by that name.
func (k *Keeper) Observed(thread, name string) {
	k.folded.Observed[thread] = append(k.folded.Observed[thread], replay.Observed{Learner: runlog.Learner, Name: name})
}

// folded is the state that is kept to save it.
type folded struct {
	replay.Memory
	unclosed map[string]bool // threads whose proposals the bus has
	latest   int64           // the latest time in the journal when the swarm started
	at       uint64          // the bus's last signal in the last saved state
	size     uint64          // bytes of that
}

// saveEvery is the least number of signals between two records of the state: folding
// as many again takes some 0.2 s.
const saveEvery = 512

// Save records the state, unless a solve is in progress or there is little that is
// new: at least size bytes of signals, so that a journal at most doubles. In a
// shutdown size does not matter.
func (k *Keeper) Save(ctx context.Context, shutdown bool) error {
	const signal = 512 // bytes of a record, about
	f, last := &k.folded, k.of.Bus.Last()
	if fresh := last - f.at; fresh < saveEvery || !shutdown && fresh*signal < f.size {
		return nil
	}
	return k.of.Names.Idle(func(number uint64) error {
		prefix := k.of.Names.Prefix()
		f.Numbers[prefix] = max(f.Numbers[prefix], number)
		state := replay.Saved{Memory: f.Memory, Latest: k.latest(), Unclosed: slices.Sorted(maps.Keys(f.unclosed))}
		record, err := state.Record()
		if err != nil {
			return err
		}
		if err := k.writer.Sync(ctx, last); err != nil {
			return err
		}
		if _, err := k.of.Journal.Append(record); err != nil {
			return err
		}
		f.at, f.size = last, uint64(len(record.Body))
		return nil
	})
}

// latest returns the latest time in the log, or a later one.
func (k *Keeper) latest() int64 {
	latest := max(k.of.Clock.Latest(), k.folded.latest)
	for said := range k.of.Bus.History(bus.Filter{After: k.of.Bus.Last() - 1}) {
		latest = max(latest, said.Head().Time.UnixNano())
	}
	return latest
}
