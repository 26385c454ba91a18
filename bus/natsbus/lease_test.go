package natsbus

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/internal/timetest"
)

// A cell is the only key of a bucket, which stores what is written and loses its first reply.
type cell struct {
	jetstream.KeyValue
	entry
}

type entry struct {
	jetstream.KeyValueEntry
	value []byte
}

func (e entry) Value() []byte    { return e.value }
func (e entry) Revision() uint64 { return 7 }

func (c *cell) Bucket() string { return "swarmbus-leases" }

func (c *cell) Create(_ context.Context, _ string, value []byte, _ ...jetstream.KVCreateOpt) (uint64, error) {
	if c.value == nil {
		c.value = value
		return 0, nats.ErrTimeout
	}
	return 0, jetstream.ErrKeyExists
}

func (c *cell) Get(context.Context, string) (jetstream.KeyValueEntry, error) { return c.entry, nil }

// It does not wait for the end of what it has.
func TestLeaseIsTakenThoughTheReplyWasLost(t *testing.T) {
	t.Parallel()
	l := reader(t, Options{Tell: Tell{Waits: func(h Holder) { t.Errorf("it waits for itself: %s", h) }}})
	lease := &Lease{log: l, name: "solve", id: "mine", kv: new(cell), ttl: time.Hour}
	if err := lease.take(timetest.Context(t)); err != nil || lease.revision != 7 {
		t.Errorf("revision %d, %v", lease.revision, err)
	}
}

// Others are servers where another process has just made a bucket.
type others struct {
	jetstream.JetStream
	asked int
}

func (o *others) KeyValue(context.Context, string) (jetstream.KeyValue, error) {
	if o.asked++; o.asked == 1 {
		return nil, jetstream.ErrBucketNotFound
	}
	return new(cell), nil
}

func (o *others) CreateKeyValue(context.Context, jetstream.KeyValueConfig) (jetstream.KeyValue, error) {
	return nil, jetstream.ErrBucketExists
}

func (o *others) Stream(context.Context, string) (jetstream.Stream, error) { return made{}, nil }

type made struct{ jetstream.Stream }

func (made) CachedInfo() *jetstream.StreamInfo {
	return &jetstream.StreamInfo{Config: jetstream.StreamConfig{Replicas: 1, Discard: jetstream.DiscardNew}}
}

func TestBucketOfAnotherProcessThatWasQuickerIsUsed(t *testing.T) {
	t.Parallel()
	l := reader(t, Options{})
	l.js = new(others)
	if kv, err := l.bucket(t.Context(), "leases", time.Minute); err != nil || kv == nil {
		t.Errorf("%v, %v", kv, err)
	}
}
