package machines

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/bus/natsbus"
	"github.com/swarmbus/swarmbus/signals"
)

// A Store is a journal that is a part of a log: what is appended to it is published on the
// log, under a lease, and its records are read from the log. So the process that holds the
// lease is the only one that appends, and the next one continues with all of it. It holds
// signals alone: results of calls belong in [natsbus.Results].
type Store struct {
	*Records
	lease *natsbus.Lease
	layer *bus.Layer
	codec *signals.Codec
}

var _ journal.Store = (*Store)(nil)

// ErrNotHere is returned for what a [Store] cannot do.
var ErrNotHere = errors.New("machines: not supported by a journal in a log of many machines")

// NewStore returns the store of records that are numbered ([Numbered]), for the holder of a
// lease. The layer has their kinds.
func NewStore(records *Records, lease *natsbus.Lease, layer *bus.Layer, codec *signals.Codec) *Store {
	return &Store{records, lease, layer, codec}
}

// mostBytes is how many bytes of records are published in one message.
const mostBytes = 256 << 10

// Append implements [journal.Store]. The error wraps [natsbus.ErrLost] once another process
// has the lease.
func (s *Store) Append(records ...journal.Record) (last uint64, err error) {
	var next []signals.Any
	size := 0
	for i := range records {
		said, err := records[i].Signal(s.codec)
		if err != nil {
			return 0, fmt.Errorf("%w: record: %w", ErrNotHere, err)
		}
		h := said.Head()
		if want := s.Last() + uint64(len(next)) + 1; h.Seq != want {
			return 0, fmt.Errorf("machines: signal %d is appended to the log as %d", h.Seq, want)
		}
		h.Seq = 0
		n := len(records[i].Head) + len(records[i].Body)
		if size+n > mostBytes && len(next) > 0 {
			if err := s.publish(next); err != nil {
				return 0, err
			}
			next, size = nil, 0
		}
		next, size = append(next, signals.With(said, h)), size+n
	}
	err = s.publish(next)
	return s.Last(), err
}

// publish publishes signals as one message, and returns when the records have them.
func (s *Store) publish(all []signals.Any) error {
	err := s.layer.Record(s.lease.Context(), func(uint64, time.Time) ([]signals.Any, error) { return all, nil }, nil)
	var dead *natsbus.DeadLetter
	if errors.As(err, &dead) && dead.Reason == natsbus.Fenced {
		err = fmt.Errorf("%w: %w", natsbus.ErrLost, err)
	}
	if cause := context.Cause(s.lease.Context()); err != nil && cause != nil && !errors.Is(err, natsbus.ErrLost) {
		err = fmt.Errorf("%w (%w)", cause, err)
	}
	return err
}

// Sync implements [journal.Store]: what was appended is acknowledged.
func (s *Store) Sync() error { return nil }

// Drop implements [journal.Store] by refusing: limits of the stream drop messages.
func (s *Store) Drop(uint64, []byte) error {
	return fmt.Errorf("%w: drop records", ErrNotHere)
}

// Close implements [journal.Store]. The log stays open.
func (s *Store) Close() error { return nil }
