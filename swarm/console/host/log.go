package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/agents/reports"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/cassette"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/view"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
	"github.com/swarmbus/swarmbus/swarm/runlog"
)

// A Feed receives the frames of a host: a feed.Hub.
type Feed interface {
	Publish(f api.Frame) error
	At(log string, seq uint64)
	// Hold holds a log back while its past is read.
	Hold(log string) (release func())
}

// newCodec returns a codec for the kinds of all journals.
func newCodec() (*signals.Codec, error) {
	return runlog.NewCodec(slices.Concat(reports.Payloads(), roomlog.Payloads(), tools.Payloads())...)
}

// A log is the journal of a team with its book, which follows it.
type log struct {
	name  string
	team  Team // the owner of the log
	store journal.Reader
	codec *signals.Codec
	feed  Feed

	mu    sync.Mutex // protects the fields below
	shown *view.Book
	asks  *cassette.Asks // questions about calls of tools
	news  chan struct{}  // closed when something has changed
	stale bool           // records were dropped: the book has to be read again
	err   error          // why the log is no longer followed
	past  float64        // how much of what there was at the start has been read, 0 to 1

	ended chan struct{} // closed when the log is no longer followed
}

func newLog(name string, team Team, store journal.Reader, feed Feed) (*log, error) {
	codec, err := newCodec()
	if err != nil {
		return nil, err
	}
	l := &log{name: name, team: team, store: store, codec: codec, feed: feed, news: make(chan struct{}), ended: make(chan struct{})}
	l.shown, l.asks, err = l.read(0)
	return l, err
}

// book returns the book of the log.
func (l *log) book() *view.Book {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shown
}

// questions returns those about calls of tools.
func (l *log) questions() []cassette.Question {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.asks.Questions()
}

// tell wakes the goroutines that wait for news.
func (l *log) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.news)
	l.news = make(chan struct{})
}

// errEnded is returned by until if the log is no longer followed.
var errEnded = errors.New("host: the journal is no longer followed")

// until waits until a condition holds.
func (l *log) until(ctx context.Context, holds func(*view.Book) bool) error {
	for {
		l.mu.Lock()
		news, book := l.news, l.shown
		l.mu.Unlock()
		if holds(book) {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.ended:
			return errEnded
		case <-news:
		}
	}
}

// dropped notes that records were dropped.
func (l *log) dropped() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stale = true
}

// read returns a book and the questions with the records up to a position.
func (l *log) read(through uint64) (*view.Book, *cassette.Asks, error) {
	snapshot, err := l.store.Snapshot()
	if err != nil {
		return nil, nil, err
	}
	asks := new(cassette.Asks)
	book, err := view.New(l.name, snapshot)
	if err != nil || through == 0 {
		return book, asks, err
	}
	for record, err := range l.store.Read(snapshot.Through) {
		if err != nil {
			return nil, nil, err
		}
		if record.Seq > through {
			break
		}
		asks.Apply(&record)
		if _, _, err := apply(book, l.codec, &record); err != nil {
			return nil, nil, err
		}
	}
	return book, asks, nil
}

// apply takes the next record into a book. ok is false if it makes no frame.
func apply(book *view.Book, codec *signals.Codec, record *journal.Record) (frame api.Frame, ok bool, err error) {
	if key, took, ok := cassette.SpentBy(record); ok {
		book.Spend(key.Thread, key.Agent, took)
	}
	if record.Type != journal.TypeSignal {
		return frame, false, nil
	}
	s, err := record.Signal(codec)
	if err != nil {
		return frame, false, err
	}
	if frame, ok, err = book.Apply(s); err != nil {
		err = fmt.Errorf("signal %d: %w", s.Head().Seq, err)
	}
	frame.Seq = s.Head().Seq
	return frame, ok, err
}

// recent is how many records before the end of a journal are shown to clients that come
// back after a restart.
const recent = 4096

// past is where a log ends at the start of the server, and where what is recent begins.
type past struct{ recent, last uint64 }

// pastOf returns the past of a log whose positions may leave gaps.
func pastOf(log Records) (past, error) {
	of := past{last: log.Last()}
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

// follow reads a journal, and goes on until ctx ends. ready is closed when the book has its past.
func (l *log) follow(ctx context.Context, of past, ready chan<- struct{}) {
	defer close(l.ended)
	release := sync.OnceFunc(func() {
		l.reads(1)
		close(ready)
	})
	defer release()
	snapshot, err := l.store.Snapshot()
	if err != nil {
		l.fail(err)
		return
	}
	at := snapshot.Through
	for {
		if at >= of.last {
			release()
		}
		for record, err := range l.store.Follow(ctx, at) {
			if err != nil {
				l.fail(err)
				return
			}
			err = l.again(at)
			if err == nil {
				err = l.take(&record, record.Seq >= of.recent)
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
func (l *log) reads(share float64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.past = share
}

// reading returns how much of the past has been read, from 0 to 1.
func (l *log) reading() float64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.past
}

// take takes the next record, and tells clients if asked.
func (l *log) take(record *journal.Record, tell bool) error {
	l.mu.Lock()
	book := l.shown
	l.asks.Apply(record)
	l.mu.Unlock()
	frame, ok, err := apply(book, l.codec, record)
	if err != nil {
		return err
	}
	defer l.tell()
	if !ok || !tell {
		l.feed.At(l.name, frame.Seq)
		return nil
	}
	l.team.own(frame.Solve)
	if frame.Solve.State == api.Waiting || frame.Kind == string(runlog.KindAnswered) {
		frame.Item = book.Newest(frame.Solve.Thread)
	}
	return l.feed.Publish(frame)
}

// again reads the book again if records were dropped.
func (l *log) again(through uint64) error {
	l.mu.Lock()
	stale := l.stale
	l.stale = false
	l.mu.Unlock()
	if !stale {
		return nil
	}
	book, asks, err := l.read(through)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.shown.Close()
	l.shown, l.asks = book, asks
	return nil
}

func (l *log) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !errors.Is(err, context.Canceled) && !errors.Is(err, journal.ErrClosed) {
		l.err = err
	}
}

func (l *log) problem() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		return ""
	}
	return l.err.Error()
}
