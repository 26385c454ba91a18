package host

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/rooms"
)

// shown is an event as clients get it.
type shown struct {
	seq  uint64
	text json.RawMessage
}

// What is kept at hand of each room.
const (
	mostEvents = 4096
	mostBytes  = 4 << 20 // but for the newest event
)

// newest is the newest events of rooms. It may be used concurrently.
type newest struct {
	mu    sync.Mutex // protects the field below
	rooms map[string]*newestOf
}

// newestOf is the newest events of a room.
type newestOf struct {
	all   []shown
	bytes int
	older bool   // there are older ones
	said  string // the beginning of what was said last
}

// add adds an event in which something is said, or nothing.
func (n *newest) add(room string, e shown, said string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	of := n.rooms[room]
	if of == nil {
		of = &newestOf{}
		if n.rooms == nil {
			n.rooms = map[string]*newestOf{}
		}
		n.rooms[room] = of
	}
	if said != "" {
		of.said = text.FitRunes(said, 160)
	}
	of.all, of.bytes = append(of.all, e), of.bytes+len(e.text)
	for len(of.all) > mostEvents || of.bytes > mostBytes && len(of.all) > 1 {
		of.bytes -= len(of.all[0].text)
		of.all[0] = shown{}
		of.all, of.older = of.all[1:], true
	}
}

// of returns the events of a room that are at hand, and whether there are older ones.
func (n *newest) of(room string) (all []shown, older bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if of := n.rooms[room]; of != nil {
		all, older = slices.Clone(of.all), of.older
	}
	return all, older
}

// said returns the beginning of what was said last in a room.
func (n *newest) said(room string) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	if of := n.rooms[room]; of != nil {
		return of.said
	}
	return ""
}

// Page implements [api.Rooms].
func (o *office) Page(ctx context.Context, room string, before uint64, limit int) (api.RoomEvents, error) {
	page := api.RoomEvents{Room: room, Events: []api.RoomEvent{}}
	router, err := o.opened(ctx)
	if err != nil {
		return page, err
	}
	if _, err := router.Snapshot(ctx, room); err != nil {
		return page, roomProblem(err)
	}
	all, older := o.newest.of(room)
	if n := len(all); n > 0 {
		page.Seq = all[n-1].seq
	}
	first := len(all)
	for first > 0 && before > 0 && all[first-1].seq >= before {
		first--
	}
	all = all[:first]
	if older && len(all) < limit { // the log has the rest
		if all, err = o.older(room, before, limit+1); err != nil {
			return page, err
		}
		older = false
	}
	from := max(0, len(all)-limit)
	for _, e := range all[from:] {
		page.Events = append(page.Events, e.text)
	}
	page.More = older || from > 0
	return page, nil
}

// older reads the newest events of a room before a position from the log; 0: the end.
func (o *office) older(room string, before uint64, most int) (all []shown, err error) {
	for e, err := range rooms.Log(o.log, 0) {
		if err != nil {
			return nil, err
		}
		if before > 0 && e.Seq >= before {
			break
		}
		if e.Room != room {
			continue
		}
		text, err := json.Marshal(e)
		if err != nil {
			return nil, err
		}
		all = append(all, shown{seq: e.Seq, text: text})
		if len(all) > most {
			all[0] = shown{}
			all = all[1:]
		}
	}
	return all, nil
}
