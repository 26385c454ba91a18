package rooms

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"slices"

	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/schedule"
)

const (
	urgent     = schedule.Urgent
	normal     = schedule.Normal
	background = schedule.Background
)

// settleLocked makes keys, rooms and members match the options.
func (r *Router) settleLocked(ctx context.Context) error {
	if err := r.keyLocked(ctx, events.FromRouter); err != nil {
		return err
	}
	for _, room := range r.opts.Rooms {
		if err := r.createLocked(ctx, room); err != nil {
			return err
		}
	}
	for _, s := range r.opts.Agents {
		if err := r.keyLocked(ctx, s.Agent.ID); err != nil {
			return err
		}
		for _, room := range s.Rooms {
			if err := r.createLocked(ctx, room); err != nil {
				return err
			}
			if err := r.joinLocked(ctx, s.Agent.ID, room); err != nil {
				return err
			}
		}
	}
	return r.retireLocked(ctx)
}

// retireLocked makes agents leave the rooms that the options do not have them in.
func (r *Router) retireLocked(ctx context.Context) error {
	stays := map[[2]string]bool{}
	for _, s := range r.opts.Agents {
		for _, room := range s.Rooms {
			stays[[2]string{s.Agent.ID, room}] = true
		}
	}
	for room := range r.state.Rooms() {
		for _, name := range room.Members {
			if stays[[2]string{name, room.Name}] {
				continue
			}
			if _, err := r.commitLocked(ctx, system(room.Name, events.Left, name, "%s left the room", name)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *Router) createLocked(ctx context.Context, room string) error {
	if r.state.Room(room) != nil {
		return nil
	}
	if err := events.CheckName("room", room); err != nil {
		return err
	}
	_, err := r.commitLocked(ctx, system(room, events.Created, "", "room %s created", room))
	return err
}

func (r *Router) joinLocked(ctx context.Context, agent, room string) error {
	if r.state.Room(room).Has(agent) {
		return nil
	}
	_, err := r.commitLocked(ctx, system(room, events.Joined, agent, "%s joined the room", agent))
	return err
}

// Create makes a room, unless there is one with that name.
func (r *Router) Create(ctx context.Context, room string) error {
	return r.changed(ctx, func() error { return r.createLocked(ctx, room) })
}

// Join makes an agent of the roster a member of a room, until the next start of the
// router: then its rooms are again those of the roster. If it is a member, Join does
// nothing.
func (r *Router) Join(ctx context.Context, agent, room string) error {
	return r.changed(ctx, func() error {
		if err := r.existLocked(agent, room); err != nil {
			return err
		}
		return r.joinLocked(ctx, agent, room)
	})
}

// Leave ends the membership of an agent. It takes no more turns in the room, even if
// messages wait for it there; a turn that is running ends first.
func (r *Router) Leave(ctx context.Context, agent, room string) error {
	return r.changed(ctx, func() error {
		if err := r.existLocked(agent, room); err != nil {
			return err
		}
		if !r.state.Room(room).Has(agent) {
			return fmt.Errorf("%w: %s is not a member of room %s", ErrNone, agent, room)
		}
		_, err := r.commitLocked(ctx, system(room, events.Left, agent, "%s left the room", agent))
		return err
	})
}

// Restart begins a new session of an agent: its turns count from 1, and a pause after
// earlier failures ends. Its messages still wait, and the numbers of sections continue.
func (r *Router) Restart(ctx context.Context, agent string) error {
	return r.changed(ctx, func() error {
		a := r.state.Agent(agent)
		if a == nil || len(a.Rooms) == 0 {
			return fmt.Errorf("%w: no agent %s in a room", ErrNone, agent)
		}
		var all []any
		for _, room := range a.Rooms {
			all = append(all, system(room, events.Restarted, agent, "%s restarted", agent))
		}
		_, err := r.commitLocked(ctx, all...)
		return err
	})
}

// Read records that the user has read a room up to a position.
func (r *Router) Read(ctx context.Context, room string, through uint64) error {
	return r.changed(ctx, func() error {
		if r.state.Room(room) == nil {
			return noRoom(r.state, room)
		}
		_, err := r.commitLocked(ctx, readRecord(room, through))
		return err
	})
}

func (r *Router) existLocked(agent, room string) error {
	if r.agents[agent] == nil {
		return fmt.Errorf("%w: no agent %q", ErrNone, agent)
	}
	if r.state.Room(room) == nil {
		return noRoom(r.state, room)
	}
	return nil
}

// changed makes a change and waits until the journal has it.
func (r *Router) changed(ctx context.Context, change func() error) error {
	seq, err := r.lockedChange(change)
	if err != nil {
		return err
	}
	return r.writer.Sync(ctx, seq)
}

func (r *Router) lockedChange(change func() error) (seq uint64, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	err = change()
	return r.state.Seq(), err
}

// keyLocked gets the key of a name, and logs its public half if the log does not have it.
func (r *Router) keyLocked(ctx context.Context, name string) error {
	known := r.state.Key(name)
	key, err := r.opts.Keys.Get(name, known)
	if err != nil {
		return err
	}
	r.keys[name] = key
	if known != "" {
		return nil
	}
	_, err = r.commitLocked(ctx, keyEvent(name, key))
	return err
}

func keyEvent(name string, key ed25519.PrivateKey) events.Event {
	return events.Event{From: events.FromRouter, Body: events.Key{
		Common: events.Common{Priority: background}, Agent: name, Public: events.PublicText(key),
	}}
}

// Rotate gives an agent, or the process ([events.FromRouter]), a new key, signed by the
// old one.
func (r *Router) Rotate(ctx context.Context, name string) error {
	return r.changed(ctx, func() error {
		if r.keys[name] == nil {
			return fmt.Errorf("%w: no agent %q", ErrNone, name)
		}
		next, err := r.opts.Keys.Next(name)
		if err != nil {
			return err
		}
		seq, err := r.commitLocked(ctx, keyEvent(name, next))
		if err != nil {
			return err
		}
		r.keys[name] = next // even if the file is not moved: the log has it
		if err := r.writer.Sync(ctx, seq); err != nil {
			return err
		}
		return r.opts.Keys.Rotated(name)
	})
}

// signerLocked returns the key that signs an event.
func (r *Router) signerLocked(e events.Event) (ed25519.PrivateKey, error) {
	name := e.From
	if k, ok := e.Body.(events.Key); ok && r.state.Key(k.Agent) != "" {
		name = k.Agent
	}
	if name == events.FromUser {
		name = events.FromRouter
	}
	if key := r.keys[name]; key != nil {
		return key, nil
	}
	return nil, fmt.Errorf("%w: no key of %q", ErrNone, name)
}

// members returns those of names that are members of a room, and the others.
func members(of []string, names []string) (in, out []string) {
	for _, name := range names {
		if slices.Contains(of, name) {
			in = append(in, name)
		} else {
			out = append(out, name)
		}
	}
	return in, out
}
