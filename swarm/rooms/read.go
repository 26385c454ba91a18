package rooms

import (
	"context"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/swarmbus/swarmbus/bus/journal"
	texts "github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/roomlog"
)

// Log yields the events of a journal after a position, in log order.
func Log(from journal.Reader, after uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		codec, err := codec()
		if err != nil {
			yield(events.Event{}, err)
			return
		}
		codec.Limits.TextBytes = -1
		// Every signal is a record, so the record of a signal is never before its position.
		for s, err := range journal.Signals(from, codec, after) {
			if err != nil {
				yield(events.Event{}, err)
				return
			}
			if e, ok := events.Of(s); ok && e.Seq > after && !yield(e, nil) {
				return
			}
		}
	}
}

// Load returns the state of the rooms of a journal.
func Load(from journal.Reader) (*roomlog.State, error) {
	codec, err := codec()
	if err != nil {
		return nil, err
	}
	state := roomlog.New()
	for s, err := range journal.Signals(from, codec, 0) {
		if err == nil {
			err = state.Apply(s)
		}
		if err != nil {
			return nil, err
		}
	}
	return state, nil
}

// noRoom is the error for a name that no room has.
func noRoom(state *roomlog.State, name string) error {
	var names []string
	for r := range state.Rooms() {
		names = append(names, r.Name)
	}
	return fmt.Errorf("%w: no room %q%s", ErrNone, name, texts.Suggest(name, names))
}

// Section returns the event with a number of a room of a journal, in its newest form.
// The error wraps [ErrNone] if there is no such section.
func Section(from journal.Reader, state *roomlog.State, room string, ix int) (events.Event, error) {
	r := state.Room(room)
	if r == nil {
		return events.Event{}, noRoom(state, room)
	}
	section, ok := r.Section(ix)
	if !ok {
		return events.Event{}, fmt.Errorf("%w: no section §%d in room %s", ErrNone, ix, room)
	}
	for e, err := range Log(from, section.Seq-1) {
		if err != nil {
			return events.Event{}, err
		}
		if e.Seq == section.Seq {
			return e, nil
		}
	}
	return events.Event{}, fmt.Errorf("%w: the journal has lost section §%d of room %s", ErrNone, ix, room)
}

// Section returns the event with a number of a room, in its newest form, with the whole
// result of a tool or body of mail. The error wraps [ErrNone] if there is no such section.
func (r *Router) Section(ctx context.Context, room string, ix int) (events.Event, error) {
	r.mu.Lock()
	seq := r.state.Seq()
	r.mu.Unlock()
	if err := r.writer.Sync(ctx, seq); err != nil {
		return events.Event{}, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return Section(r.opts.Store, r.state, room, ix)
}

// Sidecar writes the sections of a room as Markdown, in the order in which they were
// completed: the results of its tools, and the bodies of its mail. The error wraps [ErrNone] if
// there is no such room.
func Sidecar(w io.Writer, from journal.Reader, state *roomlog.State, room string) error {
	r := state.Room(room)
	if r == nil {
		return noRoom(state, room)
	}
	newest := map[uint64]bool{}
	for ix := 1; ix <= r.Ix(); ix++ {
		if section, ok := r.Section(ix); ok {
			newest[section.Seq] = true
		}
	}
	for e, err := range Log(from, 0) {
		if err != nil {
			return err
		}
		if !newest[e.Seq] {
			continue
		}
		if _, err := io.WriteString(w, markdown(e)); err != nil {
			return err
		}
	}
	return nil
}

func markdown(e events.Event) string {
	switch b := e.Body.(type) {
	case events.Tool:
		if b.Result == nil {
			return fmt.Sprintf("## S%d %s\n\n%s of %s is %v.\n\n", b.Ix, span(b.Label), span(b.ToolName), e.From, b.Status)
		}
		return fmt.Sprintf("## S%d %s\n\n%s\n\n%s", b.Ix, span(b.Label), span(*b.Stub), fenced(*b.Result))
	case events.Mailbox:
		return fmt.Sprintf("## S%d %s\n\nFrom %s to %s.\n\n%s", b.Ix, span(b.Subject), e.From, b.To, fenced(b.Body))
	case events.Dialogue, events.Signal, events.Pass, events.System, events.User, events.Key:
	}
	return ""
}

// span quotes a line as code with more backticks than it has, so that nothing in it is markup;
// "" is nothing.
func span(line string) string {
	if line = roomlog.FirstLine(line); line == "" {
		return ""
	}
	ticks := "`"
	for strings.Contains(line, ticks) {
		ticks += "`"
	}
	if len(ticks) > 1 {
		line = " " + line + " "
	}
	return ticks + line + ticks
}

// fenced quotes a text with more backticks than it has.
func fenced(whole string) string {
	fence := "```"
	for strings.Contains(whole, fence) {
		fence += "`"
	}
	return fmt.Sprintf("%s\n%s\n%s\n\n", fence, strings.TrimSuffix(whole, "\n"), fence)
}
