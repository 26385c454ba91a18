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

// Restore feeds a bus that has no signals yet with all that are in a journal,
// and returns the sequence number of the newest: their ids, order and content
// are as they were, and so are conflicts and all that is folded of the log.
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

// batchSize is how many signals are fed or written at once.
const batchSize = 512

// A Writer follows a bus and writes what is published into a journal, in
// groups: publishing does not wait for it, unless it is 65536 signals behind.
// A signal that expired before the writer came to it is in the log no more, and
// not in the journal. Make one with [Attach].
type Writer struct {
	bus    *bus.Bus
	store  Store
	log    *bus.Subscription
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu      sync.Mutex // protects the fields below
	written uint64     // bus's sequence number of the newest signal that is acknowledged
	count   uint64     // of signals that are
	err     error
	news    chan struct{} // closed when one of them changed
}

// Attach restores a bus from a journal and then writes what is published on it
// into that. The bus has no signals yet, or the journal has none: then those in
// the bus's history are written first. Close the writer before the bus.
func Attach(ctx context.Context, b *bus.Bus, store Store, c *signals.Codec) (*Writer, error) {
	last, err := Restore(ctx, b, store, c)
	if err != nil {
		return nil, err
	}
	log, err := b.System().Subscribe(bus.SubscribeOptions{Past: true, After: last, WhenFull: bus.Wait})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	w := &Writer{bus: b, store: store, log: log, cancel: cancel, written: last, news: make(chan struct{})}
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
		w.count += uint64(len(written))
	}
	close(w.news)
	w.news = make(chan struct{})
}

// Sync returns when the signal with that sequence number on the bus, and all
// before it, are acknowledged by the journal; or why they will not be, or why
// ctx ended.
func (w *Writer) Sync(ctx context.Context, seq uint64) error {
	for {
		w.mu.Lock()
		written, err, news := w.written, w.err, w.news
		w.mu.Unlock()
		switch {
		case written >= seq || w.nothingLeft(seq):
			return nil
		case err != nil:
			return fmt.Errorf("journal: signal %d is not written: %w", seq, err)
		}
		select {
		case <-news:
		case <-time.After(checkEvery):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// checkEvery is how often Sync looks whether what it waits for has expired,
// which nobody tells.
const checkEvery = 10 * time.Millisecond

// nothingLeft reports whether everything up to a signal is acknowledged or has
// expired.
func (w *Writer) nothingLeft(seq uint64) bool {
	if w.bus.Last() < seq {
		return false
	}
	b := w.log.Books()
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err == nil && b.Pending == 0 && b.Delivered <= w.count
}

// Close waits until everything that was published is acknowledged, or until
// ctx ends, and stops writing. It returns why the writer failed, if it did.
func (w *Writer) Close(ctx context.Context) error {
	err := w.Sync(ctx, w.bus.Last())
	w.cancel()
	w.done.Wait()
	if errors.Is(err, context.Canceled) && ctx.Err() == nil {
		return nil // closed before
	}
	return err
}
