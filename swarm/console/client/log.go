package client

import (
	"context"
	"iter"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A Log is the log of a run. It implements [journal.Reader], with the records of signals
// alone.
type Log struct {
	client *Client
	ctx    context.Context // of Read, which has none of its own
	run    string
	codec  signals.Codec
}

// Log returns the log of a run, which is read until ctx ends.
func (c *Client) Log(ctx context.Context, run string) *Log {
	return &Log{client: c, ctx: ctx, run: run}
}

// Snapshot implements [journal.Reader]. It is zero: a server keeps it to itself.
func (*Log) Snapshot() (journal.Snapshot, error) { return journal.Snapshot{}, nil }

// Read implements [journal.Reader].
func (l *Log) Read(after uint64) iter.Seq2[journal.Record, error] { return l.read(l.ctx, after) }

// page is how many signals are asked for at once.
const page = 1000

func (l *Log) read(ctx context.Context, after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		for {
			some, err := l.client.Signals(ctx, api.SignalsQuery{Run: l.run, After: after, Limit: page})
			if err != nil {
				yield(journal.Record{}, err)
				return
			}
			for _, text := range some.Signals {
				r, err := l.record(text)
				if !yield(r, err) || err != nil {
					return
				}
			}
			if after = some.Next; after == 0 {
				return
			}
		}
	}
}

// record returns the record of a signal.
func (l *Log) record(text []byte) (journal.Record, error) {
	s, err := l.codec.Unmarshal(text) // of a kind that is not known, as its bytes
	if err != nil {
		return journal.Record{}, err
	}
	r, err := journal.SignalRecord(s)
	r.Seq = s.Head().Seq
	return r, err
}

// Follow implements [journal.Reader]. The feed of the server says when there is more. A server that
// starts anew is waited for; then the log goes on after what was read.
func (l *Log) Follow(ctx context.Context, after uint64) iter.Seq2[journal.Record, error] {
	return func(yield func(journal.Record, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		more := make(chan struct{}, 1)
		var ended error // read when more is closed
		go func() {
			defer close(more)
			ended = l.client.listen(ctx, "type=signal", func() bool {
				select {
				case more <- struct{}{}:
				default: // the last one has not been looked at
				}
				return true
			})
		}()
		defer func() {
			for range more { // until listening ends
			}
		}()
		defer cancel()
		for range more {
			for r, err := range l.read(ctx, after) {
				if !yield(r, err) || err != nil {
					return
				}
				after = r.Seq
			}
		}
		yield(journal.Record{}, ended)
	}
}
