package natsbus

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Servers have consumers that each send messages, and then nothing.
type servers struct {
	jetstream.JetStream
	sends func() []delivery
}

type consumer struct {
	jetstream.Consumer
	sends deliveries
}

type deliveries struct {
	jetstream.MessagesContext
	all []delivery
}

// A delivery is a message with its numbers in the stream and of the consumer.
type delivery struct {
	jetstream.Msg
	m    *nats.Msg
	meta jetstream.MsgMetadata
}

func (s *servers) CreateConsumer(context.Context, string, jetstream.ConsumerConfig) (jetstream.Consumer, error) {
	return &consumer{sends: deliveries{all: s.sends()}}, nil
}

func (c *consumer) Messages(...jetstream.PullMessagesOpt) (jetstream.MessagesContext, error) {
	return &c.sends, nil
}

func (d *deliveries) Stop() {}

func (d *deliveries) Next(...jetstream.NextOpt) (jetstream.Msg, error) {
	if len(d.all) == 0 {
		return nil, jetstream.ErrNoHeartbeat
	}
	next := d.all[0]
	d.all = d.all[1:]
	return next, nil
}

func (d delivery) Metadata() (*jetstream.MsgMetadata, error) { return &d.meta, nil }
func (d delivery) Subject() string                           { return d.m.Subject }
func (d delivery) Headers() nats.Header                      { return d.m.Header }
func (d delivery) Data() []byte                              { return d.m.Data }

// delivered is a message of a thread with its numbers.
func delivered(m *nats.Msg, stream, consumer uint64) delivery {
	return delivery{m: m, meta: jetstream.MsgMetadata{Sequence: jetstream.SequencePair{Stream: stream, Consumer: consumer}, Timestamp: time.Unix(1, 0)}}
}

// What was lost on the way is read again, and what the stream has lost ends the log.
func TestReaderTellsLostDeliveriesFromLostMessages(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		consumer uint64 // number of the second delivery, which is message 3
		lost     bool
	}{"a delivery is lost": {3, false}, "a message is gone": {2, true}} {
		l, m := reader(t, Options{}), written(t, said("x", "t", "a"))
		l.js = &servers{sends: func() []delivery { return []delivery{delivered(m, 1, 1), delivered(m, 3, c.consumer)} }}
		err := l.readSome(t.Context(), new(silence))
		var gap *GapError
		if errors.As(err, &gap) != c.lost || !c.lost && err != nil || l.Stats().Last != 1 {
			t.Errorf("%s: %v, the bus has message %d", name, err, l.Stats().Last)
		}
	}
}

// However often its consumer ends, a reader that makes progress does not wait longer for the next.
func TestReaderThatMakesProgressGoesOnSoon(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := reader(t, Options{})
		defer l.Close()
		var all []*nats.Msg
		l.stream = &lagging{last: 1 << 20}
		l.js = &servers{sends: func() (some []delivery) { // the last one again, and one more
			all = append(all, written(t, said(fmt.Sprint("x", len(all)), "t", "a")))
			for n := max(len(all)-1, 1); n <= len(all); n++ {
				some = append(some, delivered(all[n-1], uint64(n), uint64(len(some)+1)))
			}
			return some
		}}
		began := time.Now()
		l.running.Go(func() { l.read(l.ended) })
		const n = 50
		if err := l.reach(t.Context(), n); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took > n*100*time.Millisecond {
			t.Errorf("%d messages, each with a consumer of its own, took %v", n, took)
		}
	})
}
