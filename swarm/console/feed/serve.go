package feed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/swarmbus/swarmbus/swarm/console/api"
)

// A sender writes frames to one client.
type sender interface {
	send(ctx context.Context, frames []*message) error
}

// User returns the user of a request, for the limit of connections.
type User func(*http.Request) string

// Events serves the feed as server-sent events.
func (h *Hub) Events(user User) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sub, after, err := asked(r)
		if err != nil {
			api.Refuse(w, api.NewError(http.StatusUnprocessableEntity, err.Error()))
			return
		}
		c, err := h.Join(user(r), "sse", time.Now())
		if err != nil {
			api.Refuse(w, api.NewError(http.StatusTooManyRequests, err.Error()))
			return
		}
		defer h.Leave(c)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Accel-Buffering", "no")
		h.released(r.Context(), after)
		h.Subscribe(c, sub, after)
		_ = h.serve(r.Context(), c, &events{w: w, c: http.NewResponseController(w), most: h.o.Write})
	})
}

// Socket serves the feed by WebSocket.
func (h *Hub) Socket(user User) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sub, after, err := asked(r)
		if err != nil {
			api.Refuse(w, api.NewError(http.StatusUnprocessableEntity, err.Error()))
			return
		}
		c, err := h.Join(user(r), "websocket", time.Now())
		if err != nil {
			api.Refuse(w, api.NewError(http.StatusTooManyRequests, err.Error()))
			return
		}
		defer h.Leave(c)
		if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
			w.Header().Set("Upgrade", "websocket")
			api.Refuse(w, api.NewError(http.StatusUpgradeRequired, "this is for WebSocket: server-sent events are at "+api.Prefix+"/feed"))
			return
		}
		conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // the guard knows by which origins clients find the server
		if err != nil {
			return // Accept has answered
		}
		defer conn.CloseNow() //nolint:errcheck // the connection ends one way or the other
		conn.SetReadLimit(64 << 10)
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		h.released(ctx, after)
		h.Subscribe(c, sub, after)
		go func() {
			defer cancel()
			h.listen(ctx, c, conn)
		}()
		if h.serve(ctx, c, &socket{conn, h.o.Write}) == nil {
			_ = conn.Close(websocket.StatusGoingAway, "the server stops")
		}
	})
}

// listen takes subscriptions until the connection ends.
func (h *Hub) listen(ctx context.Context, c *Client, conn *websocket.Conn) {
	for {
		_, text, err := conn.Read(ctx)
		if err != nil {
			return
		}
		var sub api.Subscription
		in := json.NewDecoder(bytes.NewReader(text))
		in.DisallowUnknownFields()
		err = in.Decode(&sub)
		after, problem := cursorOf(sub.After)
		if err != nil || problem != nil {
			_ = conn.Close(websocket.StatusUnsupportedData, "not a subscription")
			return
		}
		h.released(ctx, after)
		h.Subscribe(c, sub, after)
	}
}

// asked returns the subscription of a query.
func asked(r *http.Request) (sub api.Subscription, after map[string]uint64, err error) {
	q := r.URL.Query()
	for name := range q {
		if !slices.Contains([]string{"solve", "room", "kind", "type", "after"}, name) {
			return sub, nil, fmt.Errorf("feed: no parameter is called %q: there are solve, room, kind, type and after", name)
		}
	}
	sub = api.Subscription{Solves: q["solve"], Rooms: q["room"], Kinds: q["kind"], Types: q["type"], After: q["after"]}
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		sub.After = []string{last}
	}
	after, err = cursorOf(sub.After)
	return sub, after, err
}

// serve sends frames until the client or the feed ends; then the error is nil.
func (h *Hub) serve(ctx context.Context, c *Client, to sender) error {
	frame := func(f api.Frame) error {
		text, err := json.Marshal(f)
		if err != nil {
			return err
		}
		return to.send(ctx, []*message{{text: text, cursor: f.Cursor}})
	}
	if err := frame(api.Frame{Type: api.FrameHello, Boot: h.o.Boot, Cursor: c.position()}); err != nil {
		return err
	}
	ticks := time.NewTicker(every)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-ticks.C:
			if err := frame(c.alive()); err != nil {
				return err
			}
		case <-c.wake:
			all, goesOn := c.take()
			if !goesOn {
				return nil
			}
			if len(all) == 0 {
				continue
			}
			if err := to.send(ctx, all); err != nil {
				return err
			}
		}
	}
}

// events writes server-sent events. Each has the cursor behind it as its id, so that a
// reader that was cut off in the middle of several continues after the last one it got.
type events struct {
	w      http.ResponseWriter
	c      *http.ResponseController
	most   time.Duration
	text   bytes.Buffer
	cursor map[string]uint64
	logs   []string // of the cursor, sorted
}

func (e *events) send(_ context.Context, frames []*message) error {
	e.text.Reset()
	for _, m := range frames {
		e.move(m)
		e.text.WriteString("id: ")
		for i, log := range e.logs {
			if i > 0 {
				e.text.WriteByte(',')
			}
			e.text.WriteString(log)
			e.text.WriteByte(':')
			e.text.Write(strconv.AppendUint(e.text.AvailableBuffer(), e.cursor[log], 10))
		}
		e.text.WriteString("\ndata: ")
		e.text.Write(m.text)
		e.text.WriteString("\n\n")
	}
	if err := e.c.SetWriteDeadline(time.Now().Add(e.most)); err != nil {
		return err
	}
	if _, err := e.w.Write(e.text.Bytes()); err != nil {
		return err
	}
	return e.c.Flush()
}

// move moves the cursor behind a frame.
func (e *events) move(m *message) {
	switch _, known := e.cursor[m.log]; {
	case m.cursor != nil:
		e.cursor = maps.Clone(m.cursor)
	case m.seq == 0:
		return
	default:
		e.cursor[m.log] = m.seq
		if known {
			return
		}
	}
	e.logs = slices.Sorted(maps.Keys(e.cursor))
}

// socket writes messages of a WebSocket, one for each frame.
type socket struct {
	conn *websocket.Conn
	most time.Duration
}

func (s *socket) send(ctx context.Context, frames []*message) error {
	ctx, cancel := context.WithTimeout(ctx, s.most)
	defer cancel()
	for _, m := range frames {
		if err := s.conn.Write(ctx, websocket.MessageText, m.text); err != nil {
			return err
		}
	}
	return nil
}

// Frames yields the frames of a client that has joined and subscribed, to a program of this
// process: hello first, after which no frame is missed. It ends with ctx, or with the
// feed.
func (h *Hub) Frames(ctx context.Context, c *Client) iter.Seq[api.Frame] {
	return func(yield func(api.Frame) bool) { _ = h.serve(ctx, c, yields(yield)) }
}

// yields passes frames to a program.
type yields func(api.Frame) bool

var errEnough = errors.New("feed: the reader has enough")

func (y yields) send(_ context.Context, frames []*message) error {
	for _, m := range frames {
		var f api.Frame
		if err := json.Unmarshal(m.text, &f); err != nil {
			return err
		}
		if !y(f) {
			return errEnough
		}
	}
	return nil
}
