package natsbus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Link is one process's connection to the servers of a log, without the log: for a process
// that takes calls ([Link.Serve]) and reads nothing. It needs far fewer permissions than a
// [Log], which makes consumers. Its methods may be called concurrently. Make one with [Dial].
type Link struct {
	opts   Options
	name   string // of the stream
	conn   *nats.Conn
	js     jetstream.JetStream
	stream jetstream.Stream

	refused  refusals
	state    state
	unstores atomic.Bool // it was told that the servers store nothing, and they have not since

	ended context.Context // its cause says why
	end   context.CancelCauseFunc
}

func newLink(o Options) *Link {
	l := &Link{opts: o, name: o.Stream}
	tell := o.Tell.Status
	l.opts.Tell.Status = func(s Status) {
		l.state.set(s)
		if tell != nil {
			tell(s)
		}
	}
	l.ended, l.end = context.WithCancelCause(context.Background())
	return l
}

// A state is how the connection is.
type state struct {
	mu     sync.Mutex // protects the fields below
	status Status
	since  time.Time // from when it is connected, or not
}

func (s *state) set(now Status) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Connected != s.status.Connected || s.since.IsZero() {
		s.since = time.Now()
	}
	s.status = now
}

func (s *state) get() (Status, time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.status, s.since
}

// Dial connects to the servers, and checks that they store the log as was asked for. Like
// [Join] it makes the log if it is new; a process that may not waits until another has made
// it. Close what it returns.
func Dial(ctx context.Context, o Options) (*Link, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	l := newLink(o)
	denied := func(err error) {
		if errors.Is(err, nats.ErrPermissionViolation) {
			o.warn(err.Error())
		}
	}
	if err := l.dial(ctx, denied, l.end); err != nil {
		l.Close()
		return nil, err
	}
	return l, nil
}

// dial connects, and opens the stream. It tells what the servers do not allow, and why the
// connection was closed for good.
func (l *Link) dial(ctx context.Context, denied, closed func(error)) (err error) {
	if l.conn, err = l.connect(ctx, denied, closed); err != nil {
		return err
	}
	if l.js, err = l.opts.jetStream(l.conn); err != nil {
		return err
	}
	l.stream, err = l.open(ctx)
	return err
}

// Close ends the connection.
func (l *Link) Close() {
	l.end(ErrClosed)
	if l.conn != nil {
		l.conn.Close()
	}
}

// Process returns the name of this process.
func (l *Link) Process() string { return l.opts.Process }

// Done returns a channel that is closed when the connection is closed, or the log ended; [Link.Err]
// then says why.
func (l *Link) Done() <-chan struct{} { return l.ended.Done() }

// Err returns why: [ErrClosed], why the connection was closed for good, or why the bus of a log
// is no longer fed: a [*GapError] or a [*LostError]. It is nil before, whether or not there is
// a connection.
func (l *Link) Err() error { return context.Cause(l.ended) }

// connect connects, and waits for the servers until ctx ends.
func (l *Link) connect(ctx context.Context, denied, closed func(error)) (*nats.Conn, error) {
	refused := "" // what the servers said last of a login
	options := []nats.Option{
		nats.Name("swarmbus " + l.opts.Process), nats.MaxReconnects(-1), nats.ReconnectBufSize(-1), // what was not sent is sent again with the same id
		nats.IgnoreAuthErrorAbort(), // a login that is refused now may be allowed later
		nats.PingInterval(2 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second),
		nats.CustomReconnectDelay(func(tries int) time.Duration {
			most := min(2*time.Second, 20*time.Millisecond<<min(tries, 10))
			return most/2 + rand.N(most/2+1)
		}),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			if l.Err() == nil { // otherwise nobody tries again
				l.opts.status(Status{Err: err})
			}
		}),
		nats.ReconnectHandler(func(c *nats.Conn) {
			refused = ""
			l.opts.status(Status{Connected: true, URL: c.ConnectedUrlRedacted()})
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			if login(err) && err.Error() != refused { // once, however often it is tried
				refused = err.Error()
				l.opts.status(Status{Err: err})
			}
			l.refused.note(err)
			denied(err)
		}),
		nats.ClosedHandler(func(c *nats.Conn) { closed(fmt.Errorf("natsbus: the connection is closed: %w", c.LastError())) }),
	}
	if l.opts.Creds != "" {
		login, err := loginOf(l.opts.Creds)
		if err != nil {
			return nil, err
		}
		options = append(options, login)
	}
	if l.opts.Agent != "" {
		options = append(options, nats.CustomInboxPrefix("_INBOX."+token(l.opts.Agent)))
	}
	if l.opts.TLS != nil {
		options = append(options, nats.Secure(l.opts.TLS))
	}
	var conn *nats.Conn
	told, first := "", false
	secure := l.opts.TLS != nil || strings.Contains(l.opts.URL, "tls://")
	err := retry(ctx, func(context.Context) (err error) {
		by := options
		if first {
			by = append(slices.Clone(options), nats.TLSHandshakeFirst())
		}
		conn, err = nats.Connect(l.opts.URL, by...)
		if silent := errors.Is(err, io.EOF) || errors.Is(err, nats.ErrTimeout) || errors.Is(err, os.ErrDeadlineExceeded); silent && secure {
			first = !first // a server with handshake_first says nothing before, and the others nothing then
			if first {
				return err
			}
		}
		if err != nil && passes(err) && err.Error() != told {
			told = err.Error()
			l.opts.status(Status{Err: err})
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("natsbus: %s: %w", Redacted(l.opts.URL), err)
	}
	l.opts.status(Status{Connected: true, URL: conn.ConnectedUrlRedacted()})
	return conn, nil
}

// loginOf returns the login of a file: credentials, or the seed of an nkey alone.
func loginOf(file string) (nats.Option, error) {
	if text, _ := os.ReadFile(file); text == nil || bytes.Contains(text, []byte("NATS USER JWT")) {
		return nats.UserCredentials(file), nil // which says what is wrong with a file that cannot be read
	}
	seed, err := nats.NkeyOptionFromSeed(file)
	if err != nil {
		return nil, fmt.Errorf("%w: Creds is %s: neither credentials nor the seed of an nkey: %w", ErrOption, file, err)
	}
	return seed, nil
}

// login reports whether the servers refused the login of this process.
func login(err error) bool {
	for _, why := range []error{nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired} {
		if errors.Is(err, why) {
			return true
		}
	}
	return false
}

// unstored warns, unless it is stopped in time, that the servers have not stored what was sent to
// a stream, and gave no reason: a server whose disk is full may answer nothing. It does so once
// until something is stored.
func (l *Link) unstored(stream string) (stop func()) {
	silence := time.AfterFunc(unheard, func() {
		if l.conn.IsConnected() && l.Err() == nil && l.unstores.CompareAndSwap(false, true) {
			l.opts.warn(fmt.Sprintf("natsbus: the servers have not stored what was sent to the stream %s for %v, and do not say why; sending it again. "+
				"Is there room where they store it, has the stream a leader, and are its subjects those of the log?", stream, unheard))
		}
	})
	return func() { silence.Stop() }
}
