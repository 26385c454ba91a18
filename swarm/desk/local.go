package desk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"
	"time"

	"github.com/swarmbus/swarmbus/agents/models/limits"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/runlog"
	"github.com/swarmbus/swarmbus/swarm/solves"
)

// LocalOptions of a [Local]. The zero value of a field has the meaning given.
type LocalOptions struct {
	// Keep keeps answers; nil: a recorder of the journal, or without one nothing.
	Keep *Keep
	// Clock is that of the bus; nil: the machine's.
	Clock func() time.Time
	// Settle books what calls had left open as free: see [limits.Budget.Settle].
	Settle bool
	// Retain says how much the journal keeps after each solve; zero: everything.
	Retain journal.Retention
}

// A Local is a place with a swarm of this process.
type Local struct {
	store journal.Store // nil: nothing is kept
	o     LocalOptions
	seat  Seat

	options swarm.Options
	swarm   *swarm.Swarm // nil before Begin
	unwatch func()
}

// NewLocal returns a place whose journal is store, which it closes; nil: nothing is kept. Options
// may be nil.
func NewLocal(store journal.Store, o *LocalOptions) *Local {
	l := &Local{store: store, unwatch: func() {}}
	if o != nil {
		l.o = *o
	}
	return l
}

// Log implements [Place].
func (l *Local) Log() Records {
	log, ok := l.store.(Records)
	if !ok {
		return nil
	}
	return log
}

// Keep implements [Place].
func (l *Local) Keep(context.Context) (k Keep, err error) {
	if l.o.Keep == nil {
		l.o.Keep = new(Keep)
		if l.store != nil {
			by, err := journal.NewRecorder(l.store)
			if err != nil {
				return k, err
			}
			l.o.Keep = &Keep{Answers: by, Calls: by}
		}
	}
	return *l.o.Keep, nil
}

// Seat implements [Place].
func (l *Local) Seat(s Seat) (o swarm.Options, err error) {
	l.seat = s
	l.options, err = s.Build(*l.o.Keep)
	l.options.Journal = l.store
	if l.o.Clock != nil {
		l.options.Clock = l.o.Clock
	}
	return l.options, err
}

// Begin implements [Place]: it books what the journal says was spent, and makes the swarm.
func (l *Local) Begin(context.Context) (err error) {
	if err := l.book(); err != nil {
		return err
	}
	s, err := swarm.New(l.options)
	if err != nil {
		return err
	}
	if l.seat.Watch != nil {
		stop, err := l.seat.Watch(s.Bus())
		if err != nil {
			s.Close()
			return err
		}
		l.unwatch = stop
	}
	l.swarm = s
	return nil
}

// book books what was spent, and keeps what will be, so that the next process does.
func (l *Local) book() error {
	budget := l.seat.Budget
	if budget == nil || l.store == nil {
		return nil
	}
	for change, err := range cassette.Booked[limits.Change](l.store) {
		if err != nil {
			return err
		}
		budget.Book(change)
	}
	budget.Keep(func(c limits.Change) error { return cassette.Book(l.store, c) })
	if l.o.Settle {
		return budget.Settle()
	}
	return nil
}

// Drive implements [Place].
func (l *Local) Drive(ctx context.Context, task signals.Task) iter.Seq2[solves.Event, error] {
	return l.swarm.Stream(ctx, task)
}

// Resume implements [Place].
func (l *Local) Resume(ctx context.Context, log []signals.Any, answer signals.Any) iter.Seq2[solves.Event, error] {
	return l.swarm.StreamResume(ctx, log, answer)
}

// Say implements [Place].
func (l *Local) Say(ctx context.Context, s signals.Any) (uint64, error) {
	receipt, err := runlog.Publish(ctx, l.swarm.Bus(), s)
	return receipt.Seq, err
}

// Tell implements [Place].
func (l *Local) Tell(_ context.Context, thread, right string) error {
	all, err := l.swarm.Results()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(r *solves.Result) bool { return r.Thread == thread })
	if i < 0 {
		return fmt.Errorf("%w: thread %s", swarm.ErrNotObserved, thread)
	}
	return l.swarm.RecordOutcome(all[i], right)
}

// Health implements [Place].
func (l *Local) Health(context.Context) (h Health) {
	if l.swarm != nil {
		h.Bus = l.swarm.Bus().Stats()
	}
	if file, ok := l.store.(interface{ Full() error }); ok { // a journal.File
		h.Full = file.Full()
	}
	return h
}

// Close implements [Place].
func (l *Local) Close(ctx context.Context) (err error) {
	if l.swarm != nil {
		err = l.swarm.Shutdown(ctx)
	}
	if l.store != nil {
		err = errors.Join(err, l.store.Close())
	}
	l.unwatch()
	return err
}

// retain drops the oldest records of a file that has too many, and reports whether it did.
func (l *Local) retain() (dropped bool, err error) {
	file, ok := l.store.(*journal.File)
	if !ok || l.o.Retain.Bytes == 0 {
		return false, nil
	}
	info, err := os.Stat(file.Path())
	if err != nil || info.Size() < l.o.Retain.Bytes {
		return false, err
	}
	n, err := l.swarm.Retain(l.o.Retain)
	if errors.Is(err, swarm.ErrResuming) {
		err = nil // the next solve tries again
	}
	return n > 0, err
}
