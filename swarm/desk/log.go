package desk

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrEnded is returned by those that wait for a log that is no longer followed.
var ErrEnded = errors.New("desk: the log is no longer followed")

// A Log follows the records of a place, and folds them.
type Log struct {
	records Records
	codec   *signals.Codec
	watch   func(*Fold) Watcher

	mu    sync.Mutex // protects the fields below
	fold  *Fold
	news  chan struct{} // closed when something has changed
	stale bool          // records were dropped: the log has to be folded again
	err   error         // why the log is no longer followed
	kept  error         // why the oldest records were not dropped when that was tried last
	past  float64       // how much of what there was at the start has been read, 0 to 1

	ended chan struct{} // closed when the log is no longer followed
}

func newLog(records Records, codec *signals.Codec, watch func(*Fold) Watcher) (l *Log, err error) {
	l = &Log{records: records, codec: codec, watch: watch, news: make(chan struct{}), ended: make(chan struct{})}
	l.fold, err = readFold(records, codec, watch, 0)
	return l, err
}

// Fold returns what the log says. It is another one after records were dropped.
func (l *Log) Fold() *Fold {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fold
}

// Until waits until a condition holds, which may change with each record, with each solve that
// begins or ends here, and with what its models are saying.
func (l *Log) Until(ctx context.Context, holds func() bool) error {
	for {
		l.mu.Lock()
		news := l.news
		l.mu.Unlock()
		if holds() {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.ended:
			return ErrEnded
		case <-news:
		}
	}
}

// Read returns how much of what there was at the start has been read, from 0 to 1.
func (l *Log) Read() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.past
}

// Err returns why the log is no longer followed, or keeps more than it should; nil: neither, or its
// place was closed.
func (l *Log) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return cmp.Or(l.err, l.kept)
}

// retained notes how it went to drop the oldest records. The next solve tries again.
func (l *Log) retained(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = err
}

// tell wakes those that wait for news.
func (l *Log) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.news)
	l.news = make(chan struct{})
}

// dropped notes that records were dropped.
func (l *Log) dropped() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale = true
}

func (l *Log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !errors.Is(err, context.Canceled) && !errors.Is(err, journal.ErrClosed) {
		l.err = err
	}
}

// recent is how many records before the end of a log are fresh to a watcher at the start.
const recent = 4096

// past is where a log ends at the start, and where what is recent begins.
type past struct{ recent, last uint64 }

// pastOf returns the past of a log. Positions of one that other processes write leave gaps.
func pastOf(log Records, gaps bool) (past, error) {
	of := past{last: log.Last()}
	if !gaps {
		of.recent = of.last - min(of.last, recent)
		return of, nil
	}
	var all []uint64
	for record, err := range log.Read(0) {
		if err != nil {
			return of, err
		}
		if all = append(all, record.Seq); record.Seq >= of.last {
			break
		}
	}
	if n := len(all) - recent; n > 0 {
		of.recent = all[n]
	}
	return of, nil
}

// follow folds the log, and goes on until ctx ends. It calls shown once the past is folded.
func (l *Log) follow(ctx context.Context, of past, shown func()) {
	defer close(l.ended)
	release := sync.OnceFunc(func() {
		l.reads(1)
		shown()
	})
	defer release()
	snapshot, err := l.records.Snapshot()
	if err != nil {
		l.fail(err)
		return
	}
	at := snapshot.Through
	for {
		if at >= of.last {
			release()
		}
		for record, err := range l.records.Follow(ctx, at) {
			if err == nil {
				err = l.take(&record, at, record.Seq >= of.recent)
			}
			if err != nil {
				l.fail(err)
				return
			}
			if at = record.Seq; at >= of.last {
				release()
			} else if at%1024 == 0 {
				l.reads(float64(at-snapshot.Through) / float64(of.last-snapshot.Through))
			}
		}
	}
}

// reads notes how much of the past has been read.
func (l *Log) reads(share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.past = share
}

// take folds the record after a position.
func (l *Log) take(record *journal.Record, at uint64, fresh bool) error {
	if err := l.again(at); err != nil {
		return err
	}
	defer l.tell()
	return l.Fold().Take(record, l.codec, fresh)
}

// again folds the log up to a position again if records were dropped.
func (l *Log) again(through uint64) error {
	l.mu.Lock()
	stale := l.stale
	l.stale = false
	l.mu.Unlock()
	if !stale {
		return nil
	}
	fold, err := readFold(l.records, l.codec, l.watch, through)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fold.Close()
	l.fold = fold
	return nil
}
