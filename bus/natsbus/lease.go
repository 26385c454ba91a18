package natsbus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/signals"
)

// ErrLost is returned for what is published under a lease that was lost or released.
var ErrLost = errors.New("natsbus: the lease is lost")

// A Lease says that this process drives what the lease's name stands for, such as a solve
// or a room. Everything that the process publishes while it is the newest lease of its
// [Log] is sent under the lease: once another process has taken over, no process takes it
// into its log, however late it arrives and whatever the clocks say. A process that holds
// several leases at once joins the log once for each.
type Lease struct {
	log   *Log
	name  string
	token uint64
	kv    jetstream.KeyValue
	held  context.Context // its cause says why it is lost
	lose  context.CancelCauseFunc
	over  chan struct{} // closed when it is not renewed any more
}

// Lease waits until no other process holds the lease, and takes it. When it returns, the
// bus has everything that the process that held it before has published and ever will.
// The lease is renewed until it is released; it ends after [Options].LeaseTTL without
// being renewed.
func (l *Log) Lease(ctx context.Context, name string) (*Lease, error) {
	var kv jetstream.KeyValue
	err := retry(ctx, func(ctx context.Context) (err error) {
		kv, err = l.bucket(ctx, "leases", l.opts.LeaseTTL)
		return err
	})
	if err != nil {
		return nil, err
	}
	lease := &Lease{log: l, name: name, kv: kv, over: make(chan struct{})}
	if err := lease.take(ctx, l.opts.LeaseTTL); err != nil {
		return nil, err
	}
	lease.held, lease.lose = context.WithCancelCause(l.ended)
	l.running.Go(func() { lease.renew(l.opts.LeaseTTL) })
	if err := l.raise(ctx, lease); err != nil {
		lease.Release()
		return nil, err
	}
	l.lease.Store(lease)
	return lease, nil
}

// bucket returns a bucket of the log, and makes it if it is not there.
func (l *Log) bucket(ctx context.Context, of string, ttl time.Duration) (jetstream.KeyValue, error) {
	c := jetstream.KeyValueConfig{Bucket: l.opts.Stream + "-" + of, Replicas: l.opts.Storage.Replicas, TTL: ttl, History: 1}
	if l.opts.Storage.InMemory {
		c.Storage = jetstream.MemoryStorage
	}
	kv, err := l.js.KeyValue(ctx, c.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		kv, err = l.js.CreateKeyValue(ctx, c)
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another process was quicker
		kv, err = l.js.KeyValue(ctx, c.Bucket)
	}
	return kv, err
}

// take writes the key of the lease as soon as it is free.
func (lease *Lease) take(ctx context.Context, ttl time.Duration) error {
	for {
		err := retry(ctx, func(ctx context.Context) (err error) {
			lease.token, err = lease.kv.Create(ctx, key(lease.name), []byte(lease.log.opts.Process))
			return err
		})
		if !errors.Is(err, jetstream.ErrKeyExists) {
			return err
		}
		select {
		case <-time.After(ttl / 8):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// raise appends the fence of a lease to the stream, and waits until the bus was fed with
// it, and so with everything before it.
func (l *Log) raise(ctx context.Context, lease *Lease) error {
	id, err := signals.ParseID("fence " + key(lease.fence()))
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: l.name + ".log." + mixed + "." + mixed + "." + token(l.opts.Process), Header: nats.Header{
		headerRaise: {lease.fence()}, headerProcess: {l.opts.Process}, headerID: {id.String()},
	}}
	sign(m, l.opts.Key)
	told, err := l.waiting.verdictOn(id)
	if err != nil {
		return err
	}
	defer l.waiting.forget(id)
	v, err := l.send(ctx, m, 0, told)
	return cmp.Or(err, v.err)
}

// fence is the text of the fence in messages.
func (lease *Lease) fence() string { return fmt.Sprintf("%d %s", lease.token, lease.name) }

// renew renews the lease until it is lost.
func (lease *Lease) renew(ttl time.Duration) {
	defer close(lease.over)
	renewed, revision := time.Now(), lease.token
	for {
		select {
		case <-lease.held.Done():
			return
		case <-time.After(ttl / 4):
		}
		if lease.held.Err() != nil {
			return
		}
		ctx, cancel := context.WithTimeout(lease.held, ttl/4)
		began := time.Now()
		next, err := lease.kv.Update(ctx, key(lease.name), []byte(lease.log.opts.Process), revision)
		cancel()
		switch {
		case err == nil:
			renewed, revision = began, next
		case wrongSequence(err), errors.Is(err, jetstream.ErrKeyRevisionMismatch), time.Since(renewed) > ttl*3/4:
			lease.lose(fmt.Errorf("%w: %s: %w", ErrLost, lease.name, err))
			return
		}
	}
}

// Token returns the number of the lease: that of each later holder is greater.
func (lease *Lease) Token() uint64 { return lease.token }

// Context returns a context that ends when the lease is lost or released; its cause says
// why.
func (lease *Lease) Context() context.Context { return lease.held }

// Release gives the lease up, so that another process need not wait for its end. What the
// process publishes from then on is not sent under a lease.
func (lease *Lease) Release() {
	lease.lose(fmt.Errorf("%w: %s was released", ErrLost, lease.name))
	<-lease.over
	lease.log.lease.CompareAndSwap(lease, nil)
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if e, err := lease.kv.Get(ctx, key(lease.name)); err == nil && string(e.Value()) == lease.log.opts.Process {
		_ = lease.kv.Delete(ctx, key(lease.name), jetstream.LastRevision(e.Revision())) // otherwise it ends by itself
	}
}
