package natsbus

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// A GapError is the reason why a log ended: messages were dropped by the limits of the
// stream, or deleted, before this process read them. What depends on them cannot be
// derived any more; the process has to join again, and begins with Oldest.
type GapError struct {
	After, Oldest uint64 // sequence numbers in the stream
}

func (e *GapError) Error() string {
	return fmt.Sprintf("natsbus: the messages from %d to %d are gone before they were read", e.After+1, e.Oldest-1)
}

// read feeds the bus with the messages of the stream until ctx ends.
func (l *Log) read(ctx context.Context) {
	pauses, heard := pause(), new(silence)
	for ctx.Err() == nil {
		before := l.next.Load()
		if err := l.readSome(ctx, heard); err != nil {
			l.fail(err)
			return
		}
		if l.next.Load() > before {
			pauses.Reset()
		}
		select {
		case <-time.After(pauses.Next()):
		case <-ctx.Done():
		}
	}
}

// readSome reads with one consumer, as long as it works. It makes a new one, with a new
// name, each time: servers place a consumer on one of them, and one that was placed on a
// server that is gone never answers, however often it is asked for by its name. It begins with
// the message that was read last, which must still be the same.
func (l *Log) readSome(ctx context.Context, heard *silence) error {
	start, last := l.next.Load(), l.last()
	if last != nil {
		if again, err := l.ends(ctx, last, heard); again || err != nil {
			return err
		}
		start = last.seq
	}
	asking, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	consumer, err := l.js.CreateConsumer(asking, l.name, jetstream.ConsumerConfig{
		DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: start,
		AckPolicy: jetstream.AckNonePolicy, Replicas: 1, MemoryStorage: true, InactiveThreshold: time.Minute,
	})
	l.hears(heard, err)
	if err != nil {
		return nil
	}
	messages, err := consumer.Messages(jetstream.PullMaxMessages(4096), jetstream.PullExpiry(10*time.Second), jetstream.PullHeartbeat(time.Second))
	if err != nil {
		return nil
	}
	stop := context.AfterFunc(ctx, messages.Stop)
	defer stop()
	defer messages.Stop()
	for delivered := uint64(1); ; delivered++ {
		msg, err := messages.Next()
		if err != nil {
			return nil
		}
		meta, err := msg.Metadata()
		if err != nil || meta.Sequence.Consumer != delivered { // what was sent in between did not arrive
			return nil
		}
		m := &message{seq: meta.Sequence.Stream, stored: meta.Timestamp, subject: msg.Subject(), header: msg.Headers(), data: msg.Data()}
		next := l.next.Load()
		switch {
		case delivered == 1 && last != nil && m.seq == last.seq:
			if err := m.is(last); err != nil {
				return err
			}
			continue
		case m.seq < next:
			return nil // the stream is behind
		case m.seq > next:
			return &GapError{After: next - 1, Oldest: m.seq}
		}
		if err := l.take(ctx, m); err != nil {
			return err
		}
	}
}

// A silence is how long nobody has answered for the stream.
type silence struct {
	since time.Time // zero: there is an answer
	told  bool
	lacks time.Time // since when the stream lacks what was read; zero: it has it
}

// hears tells when nobody answers for the stream although there is a connection: without a
// leader, or behind a leaf node whose link is cut. An answer has no error.
func (l *Log) hears(s *silence, err error) {
	switch {
	case err == nil:
		if s.told {
			l.opts.status(Status{Connected: true, URL: l.conn.ConnectedUrlRedacted()})
		}
		*s = silence{}
	case s.since.IsZero():
		s.since = time.Now()
	case !s.told && time.Since(s.since) > request && l.conn.IsConnected() && l.ended.Err() == nil:
		s.told = true
		l.opts.status(Status{Err: fmt.Errorf("natsbus: the servers of the log do not answer: %w", err)})
	}
}

// take feeds the bus with a message, or with those of an envelope, unless they are refused,
// and tells who waits for them. An error ends the log.
func (l *Log) take(ctx context.Context, m *message) error {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	l.kept.last = m
	l.unstores.Store(false)
	all, err := m.unpack()
	var verdicts []verdict
	if err != nil {
		verdicts = []verdict{{dead: &DeadLetter{Seq: m.seq, Reason: Malformed, Err: err}}}
		l.judge.dead.add(m, verdicts[0].dead)
	}
	for i, one := range all {
		v := verdict{of: one, first: firstOf(m.seq)}
		if i > 0 { // the one before may have opened many conflicts
			v.first = max(v.first+uint64(i*slot), l.bus.Last()+1)
		}
		one.room = firstOf(m.seq+1) - min(v.first, firstOf(m.seq+1))
		_ = v.id.UnmarshalText([]byte(one.header.Get(headerID)))
		if v.dead, err = l.takeOne(ctx, one, v.first, m.subject); err != nil {
			return err
		}
		l.judge.dead.add(one, v.dead)
		if v.dead != nil && v.dead.Reason == Fence {
			l.overtaken()
		}
		verdicts = append(verdicts, v)
	}
	l.compare.add(m.seq, m.digest(), verdicts, l.bus.Last(), l.digest())
	l.waiting.fed(verdicts, m.seq, func() { l.next.Store(m.seq + 1) })
	return nil
}

// overtaken ends the lease of this process if the log has a later fence of it.
func (l *Log) overtaken() {
	if lease := l.lease.Load(); lease != nil && l.judge.fences[lease.name] > lease.token {
		lease.lose(fmt.Errorf("%w: %s: message %d gave it to another process", ErrLost, lease.name, l.judge.fences[lease.name]))
	}
}

// takeOne feeds the bus with a message whose first signal gets a sequence number, or says why
// it is not in the log. An error ends the log.
func (l *Log) takeOne(ctx context.Context, m *message, first uint64, envelope string) (*DeadLetter, error) {
	all, dead := l.judge.signals(m, envelope)
	if dead != nil {
		return dead, nil
	}
	number(all, first)
	err := l.feed(ctx, all)
	if err == nil && l.opts.Over != nil {
		l.kept.keep(all, l.bus.Last())
	}
	if err == nil || errors.Is(err, bus.ErrClosed) {
		return nil, err
	}
	return &DeadLetter{Seq: m.seq, Reason: Refused, Err: err}, nil
}

// digest returns what the program derived from the entries that the last message brought.
func (l *Log) digest() (all []byte) {
	if l.entries == nil {
		return nil
	}
	for s, _ := l.entries.Poll(); s != nil; s, _ = l.entries.Poll() {
		all = append(all, l.opts.Digest(s)...)
	}
	return all
}

// over is a context with which feeding does not wait for handlers: one of them may be
// publishing, and so wait for this reader.
var over = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

// feed feeds the bus. While too many signals wait for its handlers, it waits.
func (l *Log) feed(ctx context.Context, all []signals.Any) error {
	for {
		err := l.bus.Feed(over, all...)
		if !errors.Is(err, bus.ErrBacklog) {
			return err
		}
		if err := l.bus.Sync(ctx, l.bus.Last()); err != nil {
			return err
		}
	}
}
