package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
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

// Restore feeds a bus that has no signals yet with all signals of a journal,
// and returns the sequence number of the newest. Their ids, order and content
// are preserved, and so are conflicts and everything else folded from the log.
func Restore(ctx context.Context, b *bus.Bus, r Reader, c *signals.Codec) (last uint64, err error) {
	snapshot, err := r.Snapshot()
	if err != nil {
		return 0, err
	}
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
		if batch = append(batch, s); len(batch) == batchSize {
			if err := flush(); err != nil {
				return last, err
			}
		}
	}
	return last, flush()
}

// batchSize is the number of signals fed or written at once.
const batchSize = 512

// A Writer follows a bus and writes every published signal into a journal,
// including those that expired unread. It writes in groups, which gather for a
// millisecond unless a caller waits ([Writer.Sync]). Publishing does not wait
// for it unless it is 65536 signals behind; the system, in whose name it reads,
// is then refused with [bus.ErrBacklog]. Make one with [Attach].
type Writer struct {
	bus    *bus.Bus
	store  Store
	log    *bus.Subscription
	cancel context.CancelFunc
	done   sync.WaitGroup
	hurry  chan struct{} // signaled when a caller begins to wait

	mu      sync.Mutex // protects the fields below
	written uint64     // bus's sequence number of the newest acknowledged signal
	waiting int        // callers of Sync
	err     error
	news    chan struct{} // closed when written or err changes
}

// Attach restores a bus from a journal and then writes what is published on the
// bus into the journal. Either the bus or the journal must have no signals yet;
// if the journal has none, those in the bus's history are written first. Close
// the writer before the bus.
func Attach(ctx context.Context, b *bus.Bus, store Store, c *signals.Codec) (*Writer, error) {
	last, err := Restore(ctx, b, store, c)
	if err != nil {
		return nil, err
	}
	at := b.Last()
	log, err := b.System().Subscribe(bus.SubscribeOptions{Past: true, After: last, Expired: true, WhenFull: bus.Wait})
	if err != nil {
		return nil, err
	}
	if log.Books().Pending == 0 {
		last = at // earlier signals have been evicted
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &Writer{
		bus: b, store: store, log: log, cancel: cancel, written: last,
		hurry: make(chan struct{}, 1), news: make(chan struct{}),
	}
	w.done.Go(func() { w.run(ctx) })
	return w, nil
}

func (w *Writer) run(ctx context.Context) {
	defer w.log.Close()
	batch := make([]signals.Any, batchSize)
	for {
		n, err := w.log.Read(ctx, batch)
		if err == nil {
			err = w.write(batch[:n])
		}
		if err != nil {
			w.tell(nil, err)
			return
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
		var err error
		if records[i], err = SignalRecord(s); err != nil {
			return err
		}
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
		if err := w.awaitLocked(ctx); err != nil {
			return err
		}
	}
	return nil
}

// awaitLocked waits for news, without holding the lock meanwhile.
func (w *Writer) awaitLocked(ctx context.Context) error {
	news := w.news
	w.mu.Unlock()
	defer w.mu.Lock()
	select {
	case w.hurry <- struct{}{}:
	default:
	}
	select {
	case <-news:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Close waits until everything published is acknowledged, or until ctx ends,
// and stops writing. It returns the writer's error, if it failed.
func (w *Writer) Close(ctx context.Context) error {
	err := w.Sync(ctx, w.bus.Last())
	w.cancel()
	w.done.Wait()
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil // closed before
	}
	return err
}
