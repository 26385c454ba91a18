package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/swarmbus/swarmbus/agents/hooks"
	"github.com/swarmbus/swarmbus/agents/tools"
	"github.com/swarmbus/swarmbus/internal/text"
)

// ErrClosed is returned for calls of a server that was closed.
var ErrClosed = errors.New("mcp: the server is closed")

// A Server is a connection to a server, which is made anew when it has ended. It is a
// [tools.Source] and safe for concurrent use.
type Server struct {
	spec    Spec
	env     map[string]string
	stderr  *tail
	limited tools.Source
	client  *sdk.Client
	login   *door

	open    context.Context // ends with Close
	end     context.CancelCauseFunc
	dialing turnstile // entered to replace the link

	mu      sync.Mutex // protects the fields below
	link    *link      // nil: not connected
	leftOut []error

	stale atomic.Bool // the list of tools has to be read
	calls calls
}

// A link is a connection.
type link struct {
	session *sdk.ClientSession
	process *process // nil: a URL
	done    chan struct{}

	reading turnstile    // entered to use the field below
	list    []tools.Tool // nil: not read
}

// A turnstile lets one in at a time. The others wait for as long as their contexts allow.
type turnstile chan struct{}

func (t turnstile) enter(ctx context.Context) error {
	select {
	case t <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (t turnstile) leave() { <-t }

// Open starts the server or connects to it, and reads the list of its tools. The server
// runs until [Server.Close], which the caller must call.
func Open(ctx context.Context, s Spec, o *Options) (*Server, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	env, err := s.lookUp(o)
	if err != nil {
		return nil, err
	}
	var show io.Writer
	if o != nil {
		show = o.Stderr
	}
	v := &Server{spec: s, env: env, stderr: &tail{name: s.Name, show: show}, login: newDoor(s, env, o), dialing: make(turnstile, 1)}
	v.open, v.end = context.WithCancelCause(context.Background())
	v.limited = tools.Limit(source{v}, s.Limits)
	v.client = sdk.NewClient(&sdk.Implementation{Name: "swarmbus", Version: "1"}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
		ToolListChangedHandler:      func(context.Context, *sdk.ToolListChangedRequest) { v.stale.Store(true) },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { v.calls.progress(r.Params) },
	})
	if _, err := v.Tools(ctx); err != nil {
		return nil, errors.Join(err, v.Close())
	}
	return v, nil
}

// Tools implements [tools.Source].
func (v *Server) Tools(ctx context.Context) ([]tools.Tool, error) { return v.limited.Tools(ctx) }

// source are the tools without limits.
type source struct{ *Server }

// Tools implements [tools.Source].
func (s source) Tools(ctx context.Context) ([]tools.Tool, error) {
	limit := cmp.Or(s.spec.Connect, 30*time.Second)
	ctx, end := s.login.within(ctx, limit)
	defer end()
	l, err := s.connected(ctx)
	if err != nil {
		return nil, err
	}
	return s.listed(ctx, l)
}

// Stderr returns the end of what the command wrote to its standard error, without control
// characters.
func (v *Server) Stderr() string { return v.stderr.String() }

// LeftOut returns why tools of the last list are left out.
func (v *Server) LeftOut() []error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.leftOut
}

// Close ends the connection, also one that is being made, and the process group of the
// command. It may be called more than once.
func (v *Server) Close() error {
	v.end(ErrClosed)
	_ = v.dialing.enter(context.Background())
	defer v.dialing.leave()
	if l := v.linked(nil); l != nil {
		l.close()
	}
	return nil
}

// linked replaces the connection, and returns the one that there was.
func (v *Server) linked(l *link) (was *link) {
	v.mu.Lock()
	defer v.mu.Unlock()
	was, v.link = v.link, l
	return was
}

// current returns the connection, or nil if it has ended.
func (v *Server) current() *link {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.link == nil {
		return nil
	}
	select {
	case <-v.link.done:
		return nil
	default:
		return v.link
	}
}

func (l *link) close() {
	if l.process != nil {
		l.process.stop()
	}
	_ = l.session.Close() // of a connection that has ended, or a server that is not asked
	<-l.done
}

// connected returns the connection, which it makes if there is none.
func (v *Server) connected(ctx context.Context) (*link, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(v.open, func() { cancel(ErrClosed) })()
	if err := v.dialing.enter(ctx); err != nil {
		return nil, fmt.Errorf("mcp: server %s cannot be reached: %w", v.spec.Name, err)
	}
	defer v.dialing.leave()
	if v.open.Err() != nil {
		return nil, ErrClosed
	}
	if l := v.current(); l != nil {
		return l, nil
	}
	if ended := v.linked(nil); ended != nil {
		ended.close()
	}
	l, err := v.connect(ctx)
	if err != nil {
		return nil, err
	}
	v.linked(l)
	return l, nil
}

func (v *Server) connect(ctx context.Context) (*link, error) {
	l := &link{done: make(chan struct{}), reading: make(turnstile, 1)}
	var transport sdk.Transport
	if v.spec.Command != "" {
		p, err := start(v.spec, v.env, v.stderr)
		if err != nil {
			return nil, fmt.Errorf("mcp: server %s cannot be started: %w", v.spec.Name, err)
		}
		l.process, transport = p, p
	} else {
		transport = overHTTP(v.spec, v.env, v.login)
	}
	session, err := v.client.Connect(ctx, transport, nil)
	if err != nil {
		why := v.why(ctx, l, err)
		if l.process != nil {
			l.process.stop()
		}
		return nil, fmt.Errorf("mcp: server %s cannot be reached: %w", v.spec.Name, why)
	}
	l.session = session
	go func() {
		defer close(l.done)
		_ = session.Wait() // the calls say why
	}()
	return l, nil
}

// unsent is the code of errors with which the SDK says that a request did not get through.
const unsent = -32005

// why returns an error for a person: why a call or a handshake has no result.
func (v *Server) why(ctx context.Context, l *link, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var refusal *jsonrpc.Error
	if errors.As(err, &refusal) && refusal.Code != unsent {
		return &tools.RefusalError{Code: refusal.Code, Text: text.Line(refusal.Message)}
	}
	problem := text.Line(err.Error())
	if l.process == nil {
		return errors.New(problem)
	}
	if errors.Is(err, io.EOF) || errors.Is(err, sdk.ErrConnectionClosed) { // else we ended it
		problem = cmp.Or(l.process.why(), problem)
	}
	if said := v.stderr.String(); said != "" {
		problem += "; the end of its standard error: " + text.Line(said)
	}
	return errors.New(problem)
}

// calls are those that are running, for their progress.
type calls struct {
	mu  sync.Mutex // protects the fields below
	n   int
	all map[string]running
}

type running struct {
	ctx  context.Context
	tool string
}

func (c *calls) begin(r running) (token string, end func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[string]running{}
	}
	c.n++
	token = strconv.Itoa(c.n)
	c.all[token] = r
	return token, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.all, token)
	}
}

func (c *calls) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	c.mu.Lock()
	r, ok := c.all[token]
	c.mu.Unlock()
	if ok {
		hooks.Note(r.ctx, tools.Progress{Tool: r.tool, Done: p.Progress, Total: p.Total, Message: text.Line(p.Message)})
	}
}

// call calls a tool, once more in a new session if the server did not know ours, and so made no call.
func (v *Server) call(ctx context.Context, spec tools.Spec, args json.RawMessage) (tools.Result, error) {
	result, lost, err := v.callOnce(ctx, spec, args)
	if !errors.Is(err, sdk.ErrSessionMissing) {
		return result, err
	}
	v.renew(lost)
	result, _, err = v.callOnce(ctx, spec, args)
	return result, err
}

// renew ends a connection whose session the server has lost, unless there is another by now.
func (v *Server) renew(lost *link) {
	v.mu.Lock()
	if v.link == lost {
		v.link = nil
	}
	v.mu.Unlock()
	lost.close()
}

func (v *Server) callOnce(ctx context.Context, spec tools.Spec, args json.RawMessage) (tools.Result, *link, error) {
	l, err := v.connected(ctx)
	if err != nil {
		return tools.Result{}, nil, err
	}
	token, end := v.calls.begin(running{ctx, spec.Full()})
	defer end()
	params := &sdk.CallToolParams{Name: spec.Name, Arguments: args, Meta: sdk.Meta{}}
	params.SetProgressToken(token)
	hooks.Carry(ctx, func(name, value string) { params.Meta[name] = value })
	hooks.Note(ctx, v.about(l))
	result, err := l.session.CallTool(ctx, params)
	if errors.Is(err, sdk.ErrSessionMissing) {
		return tools.Result{}, l, fmt.Errorf("the server has lost the session: %w", sdk.ErrSessionMissing)
	}
	if err != nil {
		return tools.Result{}, l, v.why(ctx, l, err)
	}
	of, err := resultOf(spec, result)
	return of, l, err
}

// about says of a call which server is asked, for a trace. The id of the session is left out: it
// lets who reads it speak in the session.
func (v *Server) about(l *link) []slog.Attr {
	all := []slog.Attr{slog.String(hooks.AttrMCPMethod, "tools/call")}
	if is := l.session.InitializeResult(); is != nil {
		all = append(all, slog.String(hooks.AttrMCPProtocol, is.ProtocolVersion))
	}
	at, err := url.Parse(v.spec.URL)
	if v.spec.URL == "" || err != nil {
		return append(all, slog.String(hooks.AttrTransport, "pipe"))
	}
	return append(append(all, slog.String(hooks.AttrTransport, "tcp")), hooks.ServerOf(at)...)
}

func (v *Server) String() string {
	return strings.TrimSpace(v.spec.Name + " " + cmp.Or(v.spec.URL, v.spec.Command))
}
