package natsbus

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
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
	log      *Log
	name     string
	id       string // which no other lease has
	value    string // of its key
	revision uint64 // of its key when it was taken
	token    uint64 // of its fence
	kv       jetstream.KeyValue
	ttl      time.Duration   // of the bucket
	held     context.Context // its cause says why it is lost
	lose     context.CancelCauseFunc
	over     chan struct{} // closed when it is not renewed any more
}

// Lease waits until no other process holds the lease, and takes it. When it returns, the
// bus has everything that the process that held it before has published and ever will.
// The lease is renewed until it is released; it ends after [Options].LeaseTTL without
// being renewed. [Tell].Waits is told who holds it meanwhile. Who may not publish as the system
// ([bus.System]), or not to the bucket of leases, cannot take a lease, and gets an error that wraps
// [ErrDenied].
func (l *Log) Lease(ctx context.Context, name string) (*Lease, error) {
	if err := (signals.Limits{}).Name("name of the lease", name); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	kv, ttl, err := l.leases(ctx)
	if err != nil {
		return nil, err
	}
	for pauses := pause(); ; {
		lease := &Lease{log: l, name: name, id: rand.Text(), kv: kv, ttl: ttl, over: make(chan struct{})}
		err := l.hold(ctx, lease)
		var dead *DeadLetter
		switch {
		case err == nil:
			return lease, nil
		case !errors.As(err, &dead) || dead.Reason != Fenced:
			return nil, err
		}
		select { // another process was quicker to raise its fence
		case <-time.After(pauses.Next()):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// leases returns the bucket of leases, and after how long they end in it: the process that
// made it has decided that.
func (l *Log) leases(ctx context.Context) (kv jetstream.KeyValue, ttl time.Duration, err error) {
	info := l.opts.api() + "STREAM.INFO."
	err = retry(ctx, func(ctx context.Context) error {
		return l.refused.try(info+"KV_"+l.opts.Stream+"-leases", info+"*", func() error {
			if kv, err = l.bucket(ctx, "leases", l.opts.LeaseTTL); err != nil {
				return err
			}
			status, err := kv.Status(ctx)
			if err == nil {
				ttl = status.TTL()
			}
			return err
		})
	})
	if err != nil || ttl == l.opts.LeaseTTL {
		return kv, ttl, err
	}
	problem := &ConfigError{
		"max_age of KV_" + kv.Bucket(), ttl.String(), l.opts.LeaseTTL.String(),
		"leases end when the process that made the bucket said: all processes should have the same Options.LeaseTTL",
	}
	if ttl < MinLease {
		return nil, 0, problem
	}
	return kv, ttl, l.opts.complain(problem)
}

// hold takes a lease, begins to renew it, and makes it that of the log.
func (l *Log) hold(ctx context.Context, lease *Lease) error {
	if err := lease.take(ctx); err != nil {
		return err
	}
	lease.held, lease.lose = context.WithCancelCause(l.ended)
	l.running.Go(lease.renew)
	if err := l.raise(ctx, lease); err != nil {
		lease.Release()
		return err
	}
	l.lease.Store(lease)
	return nil
}

// bucket returns a bucket of the log, and makes it if it is not there.
func (l *Log) bucket(ctx context.Context, of string, ttl time.Duration) (jetstream.KeyValue, error) {
	c := jetstream.KeyValueConfig{Bucket: l.opts.Stream + "-" + of, Replicas: l.opts.Storage.Replicas, TTL: ttl, History: 1}
	if l.opts.Storage.InMemory {
		c.Storage = jetstream.MemoryStorage
	}
	kv, err := l.js.KeyValue(ctx, c.Bucket)
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		err = l.opts.sized(func(most int64) (err error) {
			c.MaxBytes = most
			kv, err = l.js.CreateKeyValue(ctx, c)
			return err
		})
	}
	if errors.Is(err, jetstream.ErrBucketExists) { // another process was quicker
		kv, err = l.js.KeyValue(ctx, c.Bucket)
	}
	if err != nil {
		return nil, err
	}
	stream, err := l.js.Stream(ctx, "KV_"+c.Bucket)
	if err != nil {
		return nil, err
	}
	got := stream.CachedInfo().Config
	return kv, l.opts.checkBeside(&got, nil, []setting{
		{"discard", got.Discard, jetstream.DiscardNew, got.Discard == jetstream.DiscardNew, "leases could end before their time"},
	})
}

// holding is the value of a lease's key: who has it, since when, and its id.
func holding(process string, since time.Time, id string) string {
	return process + " " + since.UTC().Format(time.RFC3339) + " " + id
}

// has reports whether a value of its key is that of this lease, whenever it was written.
func (lease *Lease) has(value []byte) bool { return strings.HasSuffix(string(value), " "+lease.id) }

// A Holder is the process that has a lease for which this one waits.
type Holder struct {
	Lease   string
	Process string
	Since   time.Time // by its clock
}

func (h Holder) String() string {
	return fmt.Sprintf("%s has the lease %s since %s", h.Process, h.Lease, h.Since.Format(time.RFC3339))
}

// holder returns who has a lease, by the value of its key.
func holder(lease, value string) Holder {
	words := strings.Split(value, " ")
	n := max(len(words)-2, 1)
	since, _ := time.Parse(time.RFC3339, words[min(n, len(words)-1)])
	return Holder{lease, strings.Join(words[:n], " "), since}
}

// Holder returns the process that has a lease; held is false if none has it. A process that was killed or
// cut off has its lease until that ends.
func (l *Log) Holder(ctx context.Context, name string) (h Holder, held bool, err error) {
	kv, _, err := l.leases(ctx)
	if err != nil {
		return h, false, err
	}
	err = retry(ctx, func(ctx context.Context) error {
		e, err := kv.Get(ctx, key(name))
		switch {
		case errors.Is(err, jetstream.ErrKeyNotFound):
			return nil
		case err != nil:
			return err
		}
		h, held = holder(name, string(e.Value())), true
		return nil
	})
	return h, held, err
}

// take writes the key of the lease as soon as it is free.
func (lease *Lease) take(ctx context.Context) error {
	all := "$KV." + lease.kv.Bucket() + "."
	if lease.log.opts.Domain != "" {
		all = lease.log.opts.api() + all
	}
	subject, told := all+key(lease.name), ""
	for {
		stop := lease.log.unstored("KV_" + lease.kv.Bucket())
		err := retry(ctx, func(ctx context.Context) error {
			return lease.log.refused.try(subject, all+">", func() (err error) {
				lease.value = holding(lease.log.opts.Process, time.Now(), lease.id) // since now, if it is taken
				lease.revision, err = lease.kv.Create(ctx, key(lease.name), []byte(lease.value))
				return lease.log.opts.full(err)
			})
		})
		stop()
		if !taken(err) {
			return err
		}
		switch e, err := lease.kv.Get(ctx, key(lease.name)); {
		case err != nil: // it was given back meanwhile
		case lease.has(e.Value()):
			lease.revision = e.Revision() // the reply to an earlier try was lost
			return nil
		case string(e.Value()) != told:
			told = string(e.Value())
			lease.log.opts.waits(holder(lease.name, told))
		}
		select {
		case <-time.After(lease.ttl / 8):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// taken reports whether a key was not written because it has another revision. Servers with
// replicas have an error of their own for that, which the client does not always translate.
func taken(err error) bool {
	return wrongSequence(err) || errors.Is(err, jetstream.ErrKeyExists) || errors.Is(err, jetstream.ErrKeyRevisionMismatch)
}

// raise appends the fence of a lease to the stream, and waits until the bus was fed with
// it, and so with everything before it.
func (l *Log) raise(ctx context.Context, lease *Lease) error {
	id, err := signals.ParseID("fence " + rand.Text())
	if err != nil {
		return err
	}
	m := &nats.Msg{Subject: fenceSubject(l.name + ".log"), Header: nats.Header{
		headerRaise: {fenceText(l.tokenOf(lease.name), lease.name)}, headerProcess: {l.opts.Process}, headerID: {id.String()},
	}}
	sign(m, l.opts.Key)
	told, err := l.waiting.verdictOn(id, m)
	if err != nil {
		return err
	}
	defer l.waiting.forget(id)
	v, err := l.send(ctx, &letter{Msg: m, size: m.Size()}, 0, told)
	lease.token = StreamSequence(v.first)
	return cmp.Or(err, v.err())
}

// tokenOf returns the token of a lease, as far as the log was read.
func (l *Log) tokenOf(name string) uint64 {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	return l.judge.fences[name]
}

// renew renews the lease until it is lost: until another one has its key, or it was not
// renewed for ttl.
func (lease *Lease) renew() {
	defer close(lease.over)
	ttl := lease.ttl
	renewed, revision, wait := time.Now(), lease.revision, ttl/4
	for {
		select {
		case <-lease.held.Done():
			return
		case <-time.After(wait):
		}
		if lease.held.Err() != nil {
			return
		}
		began, err := time.Now(), error(nil)
		revision, err = lease.renewOnce(revision, ttl/3)
		switch {
		case err == nil:
			renewed, wait = began, ttl/4
		case errors.Is(err, ErrLost) || time.Since(renewed) > ttl:
			lease.lose(fmt.Errorf("%w: %s: %w", ErrLost, lease.name, err))
			return
		default:
			wait = ttl / 16
		}
	}
}

// renewOnce writes the key again, and returns its revision, also with an error. The error
// is [ErrLost] if another lease has the key.
func (lease *Lease) renewOnce(revision uint64, within time.Duration) (uint64, error) {
	ctx, cancel := context.WithTimeout(lease.held, within)
	defer cancel()
	next, err := lease.kv.Update(ctx, key(lease.name), []byte(lease.value), revision)
	switch {
	case err == nil:
		return next, nil
	case !taken(err):
		return revision, err
	}
	switch e, unknown := lease.kv.Get(ctx, key(lease.name)); {
	case unknown != nil || e.Revision() <= revision: // it ended, or the server that was asked is behind
		return revision, err
	case lease.has(e.Value()): // the reply to an earlier try was lost
		return e.Revision(), err
	default:
		return revision, fmt.Errorf("%w: held by %s", ErrLost, holder(lease.name, string(e.Value())).Process)
	}
}

// Token returns the number of the lease, which is that of its fence in the stream: that of
// each later holder is greater.
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
	if e, err := lease.kv.Get(ctx, key(lease.name)); err == nil && lease.has(e.Value()) {
		_ = lease.kv.Delete(ctx, key(lease.name), jetstream.LastRevision(e.Revision())) // otherwise it ends by itself
	}
}
