package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"golang.org/x/time/rate"

	"github.com/swarmbus/swarmbus/internal/text"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/transcript"
)

// quotas limit the requests of each client per second.
type quotas struct {
	s  *Server
	mu sync.Mutex // protects the fields below
	of map[string]*quota
}

type quota struct {
	requests *rate.Limiter
	told     time.Time // when Refused was last called for the client
}

// of returns the quota of a session. Clients without a session share one.
func (q *quotas) session(id string) *quota {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.of[id] == nil {
		if len(q.of) >= 2*q.s.o.Limits.Sessions || q.of == nil {
			q.forgetLocked()
		}
		q.of[id] = &quota{requests: rate.NewLimiter(rate.Limit(q.s.o.Limits.Rate), q.s.o.Limits.Burst)}
	}
	return q.of[id]
}

// forgetLocked keeps the quotas of sessions that have not ended.
func (q *quotas) forgetLocked() {
	kept := map[string]*quota{}
	for session := range q.s.sdk.Sessions() {
		if of := q.of[session.ID()]; of != nil {
			kept[session.ID()] = of
		}
	}
	q.of = kept
}

// busy is the code of the error for a client beyond its limits.
const busy = -32000

// check refuses requests beyond the limits.
func (q *quotas) check(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		session, _ := req.GetSession().(*sdk.ServerSession)
		id := idOf(session)
		if extra := req.GetExtra(); id == "" && extra != nil && extra.TokenInfo != nil { // it stands alone
			id = "of " + extra.TokenInfo.UserID
		}
		of := q.session(id)
		if !of.requests.Allow() {
			limit := fmt.Sprintf("more than %v requests a second", q.s.o.Limits.Rate)
			q.tell(of, nameOf(session), limit)
			return nil, &jsonrpc.Error{Code: busy, Message: "the request is refused: " + limit}
		}
		return next(ctx, method, req)
	}
}

// tell calls Refused for a client beyond a limit, once a minute at most.
func (q *quotas) tell(of *quota, client, limit string) {
	q.mu.Lock()
	again := time.Since(of.told) < time.Minute
	if !again {
		of.told = time.Now()
	}
	q.mu.Unlock()
	if !again {
		q.s.o.Refused(client, limit)
	}
}

func idOf(session *sdk.ServerSession) string {
	if session == nil {
		return ""
	}
	return session.ID()
}

// nameOf returns what a client calls itself.
func nameOf(session *sdk.ServerSession) string {
	if session == nil || session.InitializeParams() == nil || session.InitializeParams().ClientInfo == nil {
		return "a client without a name"
	}
	return line(session.InitializeParams().ClientInfo.Name, 64)
}

// line returns a client's or an agent's text as a line that a terminal and a form can show.
func line(s string, width int) string { return transcript.Cut(text.Printable(s), width) }

// crowd refuses HTTP requests beyond what all sessions may have under way, and new sessions
// beyond their limit.
func (s *Server) crowd(next http.Handler) http.Handler {
	under := make(chan struct{}, s.o.Limits.Sessions*4) // streams of sessions count, too
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case under <- struct{}{}:
			defer func() { <-under }()
		default:
			s.o.Refused(r.RemoteAddr, fmt.Sprintf("more than %d requests at once", cap(under)))
			api.Refuse(w, api.NewError(http.StatusServiceUnavailable, "too many requests at once: wait for some to end"))
			return
		}
		if r.Method == http.MethodPost && r.Header.Get("Mcp-Session-Id") == "" && s.count() >= s.o.Limits.Sessions {
			s.o.Refused(r.RemoteAddr, fmt.Sprintf("more than %d sessions", s.o.Limits.Sessions))
			api.Refuse(w, api.NewError(http.StatusServiceUnavailable, "too many sessions: end one, or wait for one to end"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func (s *Server) count() (n int) {
	for range s.sdk.Sessions() {
		n++
	}
	return n
}

// patient is a transport that stops reading while too many requests have no answer, so that
// a client that sends without reading is blocked.
type patient struct {
	sdk.Transport
	most int
}

// Connect implements [sdk.Transport].
func (p *patient) Connect(ctx context.Context) (sdk.Connection, error) {
	c, err := p.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &waiting{Connection: c, asked: make(chan struct{}, p.most), closed: make(chan struct{})}, nil
}

type waiting struct {
	sdk.Connection
	asked  chan struct{} // one for each request without an answer
	asks   atomic.Int64  // what the client is asked and has not answered
	once   sync.Once
	closed chan struct{}
}

// Read implements [sdk.Connection].
func (w *waiting) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := w.Connection.Read(ctx)
	switch r, ok := m.(*jsonrpc.Request); {
	case errors.Is(err, io.EOF) && w.asks.Load() == 0: // the client may have closed only what it writes
		for range cap(w.asked) {
			if closed := w.room(ctx); closed != nil {
				return nil, closed
			}
		}
		return nil, err
	case err != nil:
		return nil, err
	case !ok:
		w.asks.Add(-1)
		return m, nil
	case !r.IsCall():
		return m, nil
	}
	return m, w.room(ctx)
}

// room waits until fewer requests are without an answer than there may be, and counts one more.
func (w *waiting) room(ctx context.Context) error {
	select {
	case w.asked <- struct{}{}:
		return nil
	case <-w.closed:
		return sdk.ErrConnectionClosed
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Write implements [sdk.Connection].
func (w *waiting) Write(ctx context.Context, m jsonrpc.Message) error {
	if r, ok := m.(*jsonrpc.Request); ok && r.IsCall() {
		w.asks.Add(1)
	}
	if _, ok := m.(*jsonrpc.Response); ok {
		defer func() {
			select {
			case <-w.asked:
			default: // the answer to what was refused before it was read
			}
		}()
	}
	return w.Connection.Write(ctx, m)
}

// Close implements [sdk.Connection].
func (w *waiting) Close() error {
	w.once.Do(func() { close(w.closed) })
	return w.Connection.Close()
}
