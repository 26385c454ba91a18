package natsbus

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
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
	opts   Options
	name   string // of the stream
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream
	bus    *bus.Bus

	next    atomic.Uint64 // sequence number in the stream up to which the bus has everything, plus 1
	waiting waiting
	out     outbox
	judge   judge
	kept    kept
	lacks   []signals.Kind        // see Lacks; nil: unknown
	lease   atomic.Pointer[Lease] // the newest one of this process
	compare comparison
	entries *bus.Subscription // what the digest is made of; nil: there is none

	ended   context.Context // its cause says why
	end     context.CancelCauseFunc
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
	return joinStream(ctx, o, PartitionOf(o.Stream, o.Thread, o.Partitions))
}

// joinStream begins with a snapshot, and without it if it does not fit.
func joinStream(ctx context.Context, o Options, name string) (*Log, error) {
	l, err := joinFrom(ctx, o, name, true)
	if !errors.Is(err, errSnapshot) {
		return l, err
	}
	o.warn(err.Error())
	return joinFrom(ctx, o, name, false)
}

func joinFrom(ctx context.Context, o Options, name string, snapshot bool) (_ *Log, err error) {
	l := &Log{opts: o, name: name, waiting: newWaiting(), judge: newJudge(&o)}
	l.out.alone, l.kept.left = o.Alone, []signals.Kind{}
	l.ended, l.end = context.WithCancelCause(context.Background())
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
	if l.conn, err = l.connect(ctx); err != nil {
		return err
	}
	if l.js, err = l.opts.jetStream(l.conn); err != nil {
		return err
	}
	if l.stream, err = l.opts.open(ctx, l.js, l.name); err != nil {
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

// connect connects, and waits for the servers until ctx ends.
func (l *Log) connect(ctx context.Context) (*nats.Conn, error) {
	refused := "" // what the servers said last of a login
	options := []nats.Option{
		nats.Name("swarmbus " + l.opts.Process), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), // what was not sent is sent again with the same id
		nats.IgnoreAuthErrorAbort(), // a login that is refused now may be allowed later
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second),
		nats.CustomReconnectDelay(func(tries int) time.Duration {
			most := min(2*time.Second, 20*time.Millisecond<<min(tries, 10))
			return most/2 + rand.N(most/2+1)
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { l.opts.status(Status{Err: err}) }),
		nats.ReconnectHandler(func(c *nats.Conn) {
			refused = ""
			l.opts.status(Status{Connected: true, URL: c.ConnectedUrlRedacted()})
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if login(err) && err.Error() != refused { // once, however often it is tried
				refused = err.Error()
				l.opts.status(Status{Err: err})
			}
			l.denied(err)
		}),
		nats.ClosedHandler(func(c *nats.Conn) { l.fail(fmt.Errorf("natsbus: the connection is closed: %w", c.LastError())) }),
	}
	if l.opts.Creds != "" {
		options = append(options, nats.UserCredentials(l.opts.Creds))
	}
	if l.opts.TLS != nil {
		options = append(options, nats.Secure(l.opts.TLS))
	}
	var conn *nats.Conn
	told := ""
	err := retry(ctx, func(context.Context) (err error) {
		if conn, err = nats.Connect(l.opts.URL, options...); err != nil && passes(err) && err.Error() != told {
			told = err.Error()
			l.opts.status(Status{Err: err})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("natsbus: %s: %w", Redacted(l.opts.URL), err)
	}
	l.opts.status(Status{Connected: true, URL: conn.ConnectedUrlRedacted()})
	return conn, nil
}

// login reports whether the servers refused the login of this process.
func login(err error) bool {
	for _, why := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// Bus returns the bus that follows the log. It publishes through the log.
func (l *Log) Bus() *bus.Bus { return l.bus }

// Process returns the name of this process.
func (l *Log) Process() string { return l.opts.Process }

// Done returns a channel that is closed when the bus is no longer fed; [Log.Err] then says
// why.
func (l *Log) Done() <-chan struct{} { return l.ended.Done() }

// Err returns why the bus is no longer fed: [ErrClosed], a [*GapError], a [*LostError], or why
// the connection was closed for good. It is nil while the bus is fed, whether or not there is
// a connection.
func (l *Log) Err() error { return context.Cause(l.ended) }

// Close leaves the log, closes the bus and waits for the goroutines of both. What was
// published and not acknowledged may enter the log nevertheless.
func (l *Log) Close() {
	l.fail(ErrClosed)
	if l.conn != nil {
		l.conn.Close()
	}
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
}

// Stats returns the counts.
func (l *Log) Stats() Stats {
	first, compared, alarms := l.compare.counts()
	return Stats{
		First: first, Last: l.next.Load() - 1, Dead: l.judge.dead.counts(), Retried: l.waiting.retried.Load(),
		Alarms: alarms, Compared: compared,
	}
}
