package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// Signals yields the signals of a journal after a record, skipping records of
// other types. A nil codec knows the built-in kinds.
func Signals(r Reader, c *signals.Codec, after uint64) iter.Seq2[signals.Any, error] {
	return func(yield func(signals.Any, error) bool) {
		for record, err := range r.Read(after) {
			var s signals.Any
			switch {
			case err != nil:
			case record.Type != TypeSignal:
				continue
			default:
				s, err = record.Signal(c)
			}
			if !yield(s, err) || err != nil {
				return
			}
		}
	}
}

// Restore feeds a bus with all signals of a journal, except those that it has already,
// and returns the sequence number of the newest. Their ids, order and content are
// preserved, and so are conflicts and everything else folded from the log. It is an error
// if the bus has another log.
func Restore(ctx context.Context, b *bus.Bus, r Reader, c *signals.Codec) (last uint64, err error) {
	snapshot, err := r.Snapshot()
	if err != nil {
		return 0, err
	}
	has := b.Last()
	batch := make([]signals.Any, 0, batchSize)
	flush := func() error {
		if len(batch) == 0 {
			return nil
		}
		last = batch[len(batch)-1].Head().Seq
		defer func() { batch = batch[:0] }()
		return b.Feed(ctx, batch...)
	}
	for s, err := range Signals(r, c, snapshot.Through) {
		if err != nil {
			return last, err
		}
		if h := s.Head(); h.Seq <= has {
			if last = h.Seq; !hasSignal(b, s) {
				return last, fmt.Errorf("journal: the bus does not have signal %d, %s", h.Seq, h.ID)
			}
			continue
		}
		if batch = append(batch, s); len(batch) == batchSize {
			if err := flush(); err != nil {
				return last, err
			}
		}
	}
	return last, flush()
}

// hasSignal reports whether a bus has a signal, as far as its history goes back. Ids do not
// tell, since those of a repeated run are the same.
func hasSignal(b *bus.Bus, s signals.Any) bool {
	for at := range b.History(bus.Filter{After: s.Head().Seq - 1}) {
		if at.Head().Seq != s.Head().Seq {
			break
		}
		has, err := signals.Marshal(at)
		want, wrong := signals.Marshal(s)
		return err == nil && wrong == nil && bytes.Equal(has, want)
	}
	return true
}

// batchSize is the number of signals fed or written at once.
const batchSize = 512

// A Writer follows a bus and writes every published signal into a journal,
// including those that expired unread. It writes in groups, which gather for a
// millisecond unless a caller waits ([Writer.Sync]). Publishing does not wait for
// it: signals that are not written yet are kept in memory, whatever their number, so
// a program that publishes faster than its disk writes should wait now and then.
//
// While a Writer is attached, its bus refuses, with a [*signals.FieldError], every
// signal that cannot be written as JSON and read back. Make a Writer with [Attach].
type Writer struct {
	bus    *bus.Bus
	store  Store
	log    *bus.Subscription
	cancel context.CancelFunc
	ended  chan struct{} // closed when nothing more is written
	hurry  chan struct{} // signaled when a caller begins to wait

	mu      sync.Mutex // protects the fields below
	written uint64     // bus's sequence number up to which all signals are acknowledged
	waiting int        // callers of Sync
	err     error
	news    chan struct{} // closed when written or err changes
}

// Attach restores a bus from a journal and then writes what is published on the
// bus into the journal. If both have signals, the journal's are the beginning of the
// bus's; if the journal has none, those in the bus's history are written before Attach
// returns. The codec is the one with which the journal will be read; nil knows the
// built-in kinds. A journal with another writer that is not closed is refused. Close the
// writer before the bus.
func Attach(ctx context.Context, b *bus.Bus, store Store, c *signals.Codec) (*Writer, error) {
	last, err := Restore(ctx, b, store, c)
	if err != nil {
		return nil, err
	}
	return follow(ctx, b, store, c, last)
}

// Continue is [Attach] for a bus that has been fed with those signals of a journal that
// it needs, up to the last one.
func Continue(ctx context.Context, b *bus.Bus, store Store, c *signals.Codec) (*Writer, error) {
	return follow(ctx, b, store, c, b.Last())
}

// writers let one Writer at a time write into a journal: signals of two buses have no order.
type writers struct{ held atomic.Bool }

var errClaimed = errors.New("journal: another Writer writes into it, perhaps that of another swarm: give each swarm a journal of its own, or close the one before the other is made")

func (c *writers) claim() (release func(), err error) {
	if !c.held.CompareAndSwap(false, true) {
		return nil, errClaimed
	}
	return sync.OnceFunc(func() { c.held.Store(false) }), nil
}

// follow writes what is published on a bus after the signal last.
func follow(ctx context.Context, b *bus.Bus, store Store, c *signals.Codec, last uint64) (_ *Writer, err error) {
	leave := func() {}
	if store, ok := store.(interface{ claim() (func(), error) }); ok { // a File, a Memory, or what embeds one
		if leave, err = store.claim(); err != nil {
			return nil, err
		}
	}
	required := b.Require(func(s signals.Any) error { return checkSignal(s, c) })
	release := func() { required(); leave() }
	at := b.Last() // everything up to here is in the history now, or never will be
	log, err := b.System().Subscribe(bus.SubscribeOptions{Past: true, After: last, Expired: true, Backlog: math.MaxInt32})
	if err != nil {
		release()
		return nil, err
	}
	running, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &Writer{
		bus: b, store: store, log: log, written: at, ended: make(chan struct{}), hurry: make(chan struct{}, 1), news: make(chan struct{}),
		cancel: func() { cancel(); release() },
	}
	if err := w.writePast(ctx); err != nil {
		w.cancel()
		log.Close()
		return nil, err
	}
	go w.run(running)
	return w, nil
}

// writePast writes the signals that the history has.
func (w *Writer) writePast(ctx context.Context) error {
	for left := w.log.Account().Pending; left > 0; {
		batch := make([]signals.Any, min(left, batchSize))
		n, err := w.log.Read(ctx, batch)
		if err == nil {
			err = w.write(batch[:n])
		}
		if err != nil {
			return err
		}
		left -= uint64(n)
		w.written = max(w.written, batch[n-1].Head().Seq)
	}
	return nil
}

// run writes what is published until ctx ends or the journal fails, and then tells why
// nothing more is written.
func (w *Writer) run(ctx context.Context) {
	defer close(w.ended)
	defer w.log.Close()
	err := errGone // unless writeAll returns
	defer func() { w.tell(nil, err) }()
	err = w.writeAll(ctx)
}

// errGone is the error of a writer whose store ended the goroutine.
var errGone = errors.New("journal: the store ended the writer's goroutine")

func (w *Writer) writeAll(ctx context.Context) error {
	batch := make([]signals.Any, batchSize)
	for {
		n, err := 0, context.Cause(ctx)
		if err == nil {
			n, err = w.log.Read(ctx, batch)
		}
		if err == nil {
			err = w.write(batch[:n])
		}
		if err != nil {
			return err
		}
		w.tell(batch[:n], nil)
		clear(batch[:n])
		if n < len(batch) {
			w.gather(ctx)
		}
	}
}

// gatherFor is how long signals gather before they are written. Waking the
// writer for each of them would cost a publisher 2 µs.
const gatherFor = time.Millisecond

// gather waits until there is a group to write, or until a caller waits.
func (w *Writer) gather(ctx context.Context) {
	enough := time.NewTimer(gatherFor)
	defer enough.Stop()
	for {
		w.mu.Lock()
		waiting := w.waiting
		w.mu.Unlock()
		if waiting > 0 {
			return
		}
		select {
		case <-w.hurry:
		case <-enough.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

func (w *Writer) write(batch []signals.Any) error {
	records := make([]Record, len(batch))
	for i, s := range batch {
		r, err := recordOf(s)
		if err != nil {
			if r, err = recordOf(unwritten(s, err)); err != nil {
				return err
			}
		}
		records[i] = r
	}
	_, err := w.store.Append(records...)
	return err
}

func (w *Writer) tell(written []signals.Any, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err = err; err == nil {
		w.written = written[len(written)-1].Head().Seq
	}
	close(w.news)
	w.news = make(chan struct{})
}

// Sync returns when the signal with that sequence number on the bus, and all
// before it, have been acknowledged by the journal; or an error if they will
// not be, or if ctx ends.
func (w *Writer) Sync(ctx context.Context, seq uint64) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting++
	defer func() { w.waiting-- }()
	for w.written < seq {
		if w.err != nil {
			return fmt.Errorf("journal: signal %d is not written: %w", seq, w.err)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		w.awaitLocked(ctx)
	}
	return nil
}

// awaitLocked waits for news or the end of ctx, without holding the lock meanwhile.
func (w *Writer) awaitLocked(ctx context.Context) {
	news := w.news
	w.mu.Unlock()
	defer w.mu.Lock()
	select {
	case w.hurry <- struct{}{}:
	default:
	}
	select {
	case <-news:
	case <-ctx.Done():
	}
}

// Close waits until everything published is acknowledged, or until ctx ends,
// and stops writing. It returns the writer's error, if it failed. After ctx has
// ended, an append that has begun may still go on; closing the journal waits for it.
func (w *Writer) Close(ctx context.Context) error {
	err := w.Sync(ctx, w.bus.Last())
	w.cancel()
	select {
	case <-w.ended:
	case <-ctx.Done():
	}
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil // closed before
	}
	return err
}
