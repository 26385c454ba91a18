package rooms

import (
	"context"
	"iter"
	"sync"

	"github.com/swarmbus/swarmbus/bus/journal"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// A Follower reads rooms that the router of another process writes into a journal. Each
// method sees all that the journal has when it is called. Its methods may be called
// concurrently.
type Follower struct {
	from  journal.Reader
	codec *signals.Codec

	mu    sync.Mutex // protects the field below
	state *roomlog.State
}

// NewFollower returns a follower of the rooms of a journal.
func NewFollower(from journal.Reader) (*Follower, error) {
	codec, err := codec()
	if err != nil {
		return nil, err
	}
	codec.Limits.TextBytes = -1
	return &Follower{from: from, codec: codec, state: roomlog.New()}, nil
}

// look calls a function with the state as it is in the journal.
func (f *Follower) look(do func(*roomlog.State) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	// Every signal is a record, so the record of a signal is never before its position.
	for s, err := range journal.Signals(f.from, f.codec, f.state.Seq()) {
		if err == nil && s.Head().Seq > f.state.Seq() {
			err = f.state.Apply(s)
		}
		if err != nil {
			return err
		}
	}
	return do(f.state)
}

// Snapshot is [Router.Snapshot].
func (f *Follower) Snapshot(_ context.Context, room string) (s Snapshot, err error) {
	err = f.look(func(st *roomlog.State) (err error) { s, err = snapshot(st, room); return err })
	return s, err
}

// Rooms is [Router.Rooms].
func (f *Follower) Rooms(context.Context) (all []Snapshot, err error) {
	err = f.look(func(st *roomlog.State) error { all = snapshots(st); return nil })
	return all, err
}

// Section is [Router.Section].
func (f *Follower) Section(_ context.Context, room string, ix int) (e events.Event, err error) {
	err = f.look(func(st *roomlog.State) (err error) { e, err = Section(f.from, st, room, ix); return err })
	return e, err
}

// Last returns the position up to which the journal has been read.
func (f *Follower) Last() (seq uint64, err error) {
	err = f.look(func(st *roomlog.State) error { seq = st.Seq(); return nil })
	return seq, err
}

// Key returns the public key of a name, "" if the journal has none.
func (f *Follower) Key(name string) (key string, err error) {
	err = f.look(func(st *roomlog.State) error { key = st.Key(name); return nil })
	return key, err
}

// Idle is [Router.Idle], by what is in the journal.
func (f *Follower) Idle(ctx context.Context) error {
	idle := false
	look := func() error {
		return f.look(func(st *roomlog.State) error { idle = st.Idle() || st.Asks(); return nil })
	}
	seq, err := f.Last()
	if err == nil {
		err = look()
	}
	if err != nil || idle {
		return err
	}
	for _, err := range f.from.Follow(ctx, seq) {
		if err == nil {
			err = look()
		}
		if err != nil || idle {
			return err
		}
	}
	return nil
}

// Events yields the events of a journal and then new ones, like [Router.Events]. There are
// no fragments and passes.
func (f *Follower) Events(ctx context.Context, from From) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for record, err := range f.from.Follow(ctx, from.After) {
			if err == nil && record.Type != journal.TypeSignal {
				continue
			}
			var s signals.Any
			if err == nil {
				s, err = record.Signal(f.codec)
			}
			if err != nil {
				yield(events.Event{}, err)
				return
			}
			if e, ok := events.Of(s); ok && from.wants(e) && !yield(e, nil) {
				return
			}
		}
	}
}
