package natsbus

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/swarmbus/swarmbus/bus"
)

// Headers of calls and their answers.
const (
	headerCall    = "Swarmbus-Call"    // the id of a call, the same when it is sent again
	headerWorking = "Swarmbus-Working" // the answer is to come
	headerAsked   = "Swarmbus-Asked"   // the digest of the call that is answered
)

const (
	beat     = 500 * time.Millisecond // between two signs of life of a call
	patience = 2 * time.Second        // after which a silent call is made again
	unheard  = 3 * time.Second        // after which [Tell].Warn is called for a silent call
)

// Call asks a process that serves a name, and returns its answer. While no process serves
// the name, or the one that was asked is gone, it asks again, until ctx ends, and warns once for
// each such time ([Tell].Warn): so the call may be made more than once, and what it does must
// allow that. Request and answer are at most as large as a message of the servers: 1 MiB by
// default. The subjects STREAM.call.NAME, STREAM.cancel.NAME and STREAM.answer.NAME.> carry
// the name, so that permissions can say who may serve it. With [Options].Keys it takes only an answer that a
// key of the name signed, or of the agent behind its first colon ("turn:critic"), and warns of others.
func (l *Link) Call(ctx context.Context, name string, request []byte) ([]byte, error) {
	own := l.opts.Stream + ".answer." + token(name) + "." + rand.Text()
	answers := make(chan *nats.Msg, 64)
	sub, err := l.conn.ChanSubscribe(own, answers)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	defer func() {
		if ctx.Err() != nil {
			_ = l.conn.Publish(l.opts.Stream+".cancel."+token(name), []byte(own))
		}
	}()
	m := &nats.Msg{Subject: l.opts.Stream + ".call." + token(name), Reply: own, Header: nats.Header{headerCall: {own}}, Data: request}
	sign(m, l.opts.Key)
	silence := time.AfterFunc(unheard, func() {
		l.opts.warn(fmt.Sprintf("natsbus: no process answers for %s; waiting until a process serves it on the stream %s", name, l.opts.Stream))
	})
	defer silence.Stop()
	for pauses := pause(); ; {
		_ = l.conn.PublishMsg(m) // if it does not arrive there is no sign of life
		answer, err := l.answer(ctx, name, m, answers, silence)
		if answer != nil || err != nil {
			return answer, err
		}
		select {
		case <-time.After(pauses.Next()):
		case <-ctx.Done():
			return nil, fmt.Errorf("natsbus: no process answers for %s: %w", name, context.Cause(ctx))
		}
	}
}

// genuine checks that an answer is to a call, and that one of those signed it who may serve its
// name, if signatures are checked.
func (l *Link) genuine(answer *nats.Msg, name string, call *nats.Msg) error {
	_, agent, _ := strings.Cut(name, ":")
	switch err := l.opts.signed(received(answer), cmp.Or(agent, name)); {
	case err != nil:
		return err
	case l.opts.Keys != nil && answer.Header.Get(headerAsked) != asked(call):
		return errors.New("it answers another call")
	}
	return nil
}

// asked returns what an answer has of its call: a hash of all that was signed of it.
func asked(call *nats.Msg) string {
	return hex.EncodeToString(received(call).digest())
}

// answer waits for the answer as long as there are signs of life; without, it returns nil.
func (l *Link) answer(ctx context.Context, name string, call *nats.Msg, answers <-chan *nats.Msg, silence *time.Timer) ([]byte, error) {
	silent := time.NewTimer(patience)
	defer silent.Stop()
	for {
		select {
		case m := <-answers:
			switch {
			case m.Header.Get("Status") == "503": // nobody listens
				return nil, nil
			case m.Header.Get(headerWorking) != "":
				silent.Reset(patience)
				silence.Reset(unheard)
			default:
				err := l.genuine(m, name, call)
				if err == nil {
					return m.Data, nil
				}
				l.opts.warn(fmt.Sprintf("natsbus: an answer for %s is forged: %v", name, err))
			}
		case <-silent.C:
			return nil, nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-l.ended.Done():
			return nil, context.Cause(l.ended)
		}
	}
}

// Serve answers calls of a name, each in a goroutine of its own, until ctx or the log ends.
// Of several processes that serve a name, one gets each call. The context of a call ends
// when its caller's does. With [Options].Keys it takes only calls that a key of [bus.System]
// signed, and warns of others. Without [Options].Key it takes no call that is signed, since its
// answer would not count, and warns once.
func (l *Link) Serve(ctx context.Context, name string, answer func(ctx context.Context, request []byte) []byte) error {
	s := &service{link: l, answer: answer, running: map[string]context.CancelFunc{}}
	calls, canceled := make(chan *nats.Msg, 1024), make(chan *nats.Msg, 1024)
	served, err := l.conn.ChanQueueSubscribe(l.opts.Stream+".call."+token(name), "swarmbus", calls)
	if err != nil {
		return err
	}
	defer func() { _ = served.Unsubscribe() }()
	stopped, err := l.conn.ChanSubscribe(l.opts.Stream+".cancel."+token(name), canceled)
	if err != nil {
		return err
	}
	defer func() { _ = stopped.Unsubscribe() }()
	defer s.wait.Wait()
	unsigned := sync.OnceFunc(func() {
		l.opts.warn(fmt.Sprintf("natsbus: calls of %s are signed, and this process has no key (Options.Key) to sign its answers, which would not count: it takes none of them", name))
	})
	for {
		select {
		case m := <-calls:
			switch err := l.opts.signed(received(m), bus.System); {
			case err != nil:
				l.opts.warn(fmt.Sprintf("natsbus: a call of %s is forged: %v", name, err))
			case l.opts.Key == nil && m.Header.Get(headerSign) != "":
				unsigned()
			default:
				s.start(ctx, m)
			}
		case m := <-canceled:
			s.cancel(string(m.Data))
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.ended.Done():
			return context.Cause(l.ended)
		}
	}
}

// A service runs the calls of a name.
type service struct {
	link   *Link
	answer func(ctx context.Context, request []byte) []byte
	wait   sync.WaitGroup

	mu      sync.Mutex // protects the field below
	running map[string]context.CancelFunc
}

// start runs a call, unless it runs already.
func (s *service) start(ctx context.Context, m *nats.Msg) {
	id := m.Header.Get(headerCall)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running[id] != nil {
		return
	}
	ctx, s.running[id] = context.WithCancel(ctx)
	s.wait.Go(func() {
		defer s.cancel(id)
		done := make(chan []byte, 1)
		go func() { done <- s.answer(ctx, m.Data) }()
		alive := time.NewTicker(beat)
		defer alive.Stop()
		for {
			_ = s.link.conn.PublishMsg(&nats.Msg{Subject: m.Reply, Header: nats.Header{headerWorking: {"1"}}})
			select {
			case text := <-done:
				if ctx.Err() == nil {
					answer := &nats.Msg{Subject: m.Reply, Header: nats.Header{}, Data: text}
					if s.link.opts.Key != nil {
						answer.Header.Set(headerAsked, asked(m))
					}
					sign(answer, s.link.opts.Key)
					_ = s.link.conn.PublishMsg(answer) // a caller that does not get it asks again
				}
				return
			case <-alive.C:
			}
		}
	})
}

func (s *service) cancel(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stop := s.running[id]; stop != nil {
		stop()
		delete(s.running, id)
	}
}
