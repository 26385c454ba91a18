package natsbus

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrClosed is the reason why a log that was closed ended.
var ErrClosed = errors.New("natsbus: closed")

// A Log is one process's place on a log that several processes have in common. Its bus
// is fed with what each of them publishes. Its methods may be called concurrently. Make
// one with [Join].
type Log struct {
	*Link
	bus *bus.Bus

	next    atomic.Uint64 // sequence number in the stream up to which the bus has everything, plus 1
	waiting waiting
	out     outbox
	judge   judge
	kept    kept
	lacks   []signals.Kind        // see Lacks; nil: unknown
	lease   atomic.Pointer[Lease] // the newest one of this process
	compare comparison
	entries *bus.Subscription // what the digest is made of; nil: there is none
	running sync.WaitGroup
}

// Join connects to the servers, checks that they store the log as was asked for, makes
// the log if it is new, and returns when the bus has everything that was in it. The error
// is [ErrOption], a [*ConfigError], a [*GapError], that of the connection, or the cause of
// ctx's end. Close what it returns.
func Join(ctx context.Context, o Options) (*Log, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	l, err := joinFrom(ctx, o, true)
	if !errors.Is(err, errSnapshot) {
		return l, err
	}
	o.warn(err.Error())
	return joinFrom(ctx, o, false)
}

func joinFrom(ctx context.Context, o Options, snapshot bool) (_ *Log, err error) {
	l := &Log{Link: newLink(o), waiting: newWaiting(), judge: newJudge(&o)}
	l.compare.rules, l.compare.run = l.judge.reserved.String(), rand.Text()
	l.out.alone, l.kept.left = o.Alone, []signals.Kind{}
	o.Bus.Sequencer = l
	if l.bus, err = bus.New(&o.Bus); err != nil {
		return nil, err
	}
	if o.Digest != nil {
		l.entries, err = l.bus.System().Subscribe(bus.SubscribeOptions{Expired: true, Backlog: math.MaxInt32})
	}
	if err == nil {
		err = l.join(ctx, snapshot)
	}
	if err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

func (l *Log) join(ctx context.Context, snapshot bool) (err error) {
	if err := l.dial(ctx, l.denied, l.fail); err != nil {
		return err
	}
	var state jetstream.StreamState
	err = retry(ctx, func(ctx context.Context) error {
		info, err := l.stream.Info(ctx)
		if err == nil {
			state = info.State
		}
		return err
	})
	if err != nil {
		return err
	}
	first := max(state.FirstSeq, 1)
	if snapshot {
		if first, err = l.restore(ctx, &state); err != nil {
			return err
		}
	}
	if first > 1 && l.compare.sum == 0 {
		if !l.opts.Partial {
			return fmt.Errorf("natsbus: %s has no snapshot that fits, and Options.Partial is not set: %w", l.name, &GapError{Oldest: first})
		}
		l.kept.left = nil
	}
	l.lacks = slices.Clone(l.kept.left)
	l.begin(first)
	l.running.Go(func() { l.read(l.ended) })
	if err := l.reach(ctx, state.LastSeq); err != nil {
		return err
	}
	return l.startComparing()
}

// begin says with which message the reader begins.
func (l *Log) begin(first uint64) {
	l.next.Store(first)
	l.compare.begin(first)
}

// Bus returns the bus that follows the log. It publishes through the log.
func (l *Log) Bus() *bus.Bus { return l.bus }

// Close leaves the log, closes the bus and waits for the goroutines of both. What was
// published and not acknowledged may enter the log nevertheless: its publishers get an
// error that wraps [ErrClosed] and [bus.ErrUnknown].
func (l *Log) Close() {
	l.fail(ErrClosed)
	l.Link.Close()
	l.running.Wait()
	_ = l.bus.Shutdown(l.ended)
}

// fail ends the log for a reason.
func (l *Log) fail(why error) {
	l.end(why)
	l.waiting.end(why)
	l.bus.Close()
}

// Stats are the counts of a log in this process.
type Stats struct {
	First, Last uint64            // messages of the stream that the bus was fed with
	Dead        map[string]uint64 // messages that are not in the log, by reason
	Retried     uint64            // messages that were sent again
	Alarms      uint64            // differences from other processes
	Compared    uint64            // messages of other processes that were found to be derived alike

	Status Status    // of the connection, as [Tell].Status was told last
	Since  time.Time // from when it is connected, or not
}

// Stats returns the counts.
func (l *Log) Stats() Stats {
	first, compared, alarms := l.compare.counts()
	status, since := l.state.get()
	return Stats{
		Status: status, Since: since,
		First: first, Last: l.next.Load() - 1, Dead: l.judge.dead.counts(), Retried: l.waiting.retried.Load(),
		Alarms: alarms, Compared: compared,
	}
}

// Behind returns how many messages of the stream the bus was not fed with yet. It asks the
// servers; the error is why they did not answer before ctx ended.
func (l *Log) Behind(ctx context.Context) (uint64, error) {
	info, err := l.stream.Info(ctx)
	if err != nil {
		return 0, fmt.Errorf("natsbus: the stream %s: %w", l.name, err)
	}
	next := l.next.Load()
	return max(info.State.LastSeq+1, next) - next, nil
}
