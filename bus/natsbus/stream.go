package natsbus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A ConfigError says that the servers do not store the log as was asked for.
type ConfigError struct {
	Setting string // of NATS
	Got     string
	Want    string
	Why     string
}

func (e *ConfigError) Error() string {
	return fmt.Sprintf("natsbus: %s is %s, want %s: %s", e.Setting, e.Got, e.Want, e.Why)
}

// format is the version of the messages, which all processes of a log must agree on.
const format = "1"

// What the metadata of a stream say.
const (
	metaFormat     = "swarmbus.format"
	metaRemember   = "swarmbus.remember"
	metaPartitions = "swarmbus.partitions"
	metaUse        = "swarmbus.use"
)

func (o *Options) streamConfig(name string) jetstream.StreamConfig {
	limit := func(n int64) int64 {
		if n == 0 {
			return -1
		}
		return n
	}
	c := jetstream.StreamConfig{
		Name: name, Subjects: []string{name + ".log.>"}, Replicas: o.Storage.Replicas, Storage: jetstream.FileStorage,
		MaxMsgs: limit(o.Storage.MaxSignals), MaxBytes: limit(o.Storage.MaxBytes), MaxAge: o.Storage.MaxAge, Discard: jetstream.DiscardOld,
		Duplicates: o.Storage.Window, DenyDelete: true, DenyPurge: true, AllowDirect: true,
		Metadata: map[string]string{metaFormat: format, metaRemember: fmt.Sprint(o.Remember)},
	}
	if o.Use != "" {
		c.Metadata[metaUse] = o.Use
	}
	if o.Storage.MaxAge > 0 {
		c.Duplicates = min(c.Duplicates, o.Storage.MaxAge)
	}
	if o.Storage.InMemory {
		c.Storage = jetstream.MemoryStorage
	}
	return c
}

// jetStream returns the servers' JetStream, or that of another domain.
func (o *Options) jetStream(conn *nats.Conn) (jetstream.JetStream, error) {
	settings := []jetstream.JetStreamOpt{jetstream.WithPublishAsyncMaxPending(1 << 16), jetstream.WithPublishAsyncTimeout(5 * time.Second)}
	if o.Domain == "" {
		return jetstream.New(conn, settings...)
	}
	return jetstream.NewWithDomain(conn, o.Domain, settings...)
}

// api is the prefix of requests to JetStream.
func (o *Options) api() string {
	if o.Domain == "" {
		return "$JS.API."
	}
	return "$JS." + o.Domain + ".API."
}

// open returns the stream of the log, and makes it if it is not there.
func (l *Link) open(ctx context.Context) (jetstream.Stream, error) {
	o := &l.opts
	want := o.streamConfig(l.name)
	stream, err := l.openStream(ctx, want)
	if err != nil {
		return nil, err
	}
	got := stream.CachedInfo().Config
	if wrong := firstWrong(logSettings(&got, &want)); wrong != nil {
		return nil, wrong
	}
	if err := o.checkLimits(&got, &want); err != nil {
		return nil, err
	}
	return stream, o.checkServers(ctx, stream.CachedInfo())
}

// openStream returns a stream, and makes it if it is not there. It tries again while the servers
// elect their leaders, or until another process has made what this one may not, and warns if that
// takes long.
func (l *Link) openStream(ctx context.Context, want jetstream.StreamConfig) (stream jetstream.Stream, err error) {
	silent := time.AfterFunc(request, func() { l.opts.warn(l.unanswered(want.Name)) })
	defer silent.Stop()
	err = retry(ctx, func(ctx context.Context) (err error) {
		stream, err = l.js.Stream(ctx, want.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			err = l.opts.sized(func(most int64) (err error) {
				want.MaxBytes = cmp.Or(most, want.MaxBytes)
				stream, err = l.js.CreateStream(ctx, want)
				return err
			})
		}
		if errors.Is(err, jetstream.ErrJetStreamNotEnabledForAccount) && silent.Stop() {
			l.opts.warn("natsbus: JetStream, which stores the log, is not enabled for the account of this process: enable it, or take credentials of another account")
		}
		if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) { // another process was quicker
			stream, err = l.js.Stream(ctx, want.Name)
		}
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("natsbus: the stream %s: %w", want.Name, err)
	}
	return stream, nil
}

// unbounded is the code of an account that wants a bound of every stream.
const unbounded = 10113

// sized makes a stream, with the bound of the log in bytes if the account wants one; 0: without.
func (o *Options) sized(create func(most int64) error) error {
	err := create(0)
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.ErrorCode != unbounded {
		return err
	}
	if o.Storage.MaxBytes == 0 {
		return &ConfigError{"max_bytes", "unlimited", "a size", "the account of this process wants a bound of every stream: set Storage.MaxBytes, which is that of each"}
	}
	return create(o.Storage.MaxBytes)
}

// unanswered says why there may be no answer for a stream.
func (l *Link) unanswered(name string) string {
	if has, _ := l.conn.ConnectedServerJetStream(); !has && l.conn.IsConnected() {
		return "natsbus: the server " + l.conn.ConnectedUrlRedacted() + " has no JetStream, which stores the log: start it with nats-server -js, or with a jetstream block in its configuration; behind a leaf node, name the domain of the servers that have the log (Options.Domain)"
	}
	if _, refused := l.refused.bySubject.Load(l.opts.api() + "STREAM.CREATE." + name); refused {
		return "natsbus: the stream " + name + " is not there yet, and the user of this process may not make it: waiting for a process that may, such as one that drives solves"
	}
	return "natsbus: JetStream does not answer for the stream " + name + " yet: is there a leader, and is the domain (Options.Domain) that of the servers that have it? A leaf node needs one"
}

// checkLimits warns of a stream that drops more than was asked for, or refuses it, and warns of one
// that has other limits than were asked for. Whoever makes snapshots knows of limits.
func (o *Options) checkLimits(got, want *jetstream.StreamConfig) error {
	for _, c := range []struct {
		setting, field string
		got, want      int64
		text           func(int64) string
	}{
		{"max_msgs", "MaxSignals", got.MaxMsgs, want.MaxMsgs, limitText[int64]},
		{"max_bytes", "MaxBytes", got.MaxBytes, want.MaxBytes, limitText[int64]},
		{"max_age", "MaxAge", int64(got.MaxAge), int64(want.MaxAge), limitText[time.Duration]},
	} {
		problem := &ConfigError{Setting: c.setting, Got: c.text(c.got), Want: c.text(c.want)}
		switch drops := c.got > 0 && (c.want <= 0 || c.got < c.want); {
		case drops && o.Over == nil:
			problem.Why = "older signals than were asked for are dropped (Storage." + c.field + "): a process joins only with a snapshot, and one that makes none (Options.Over) relies on others"
			if err := o.complain(problem); err != nil {
				return err
			}
		case c.want > 0 && c.got != c.want:
			problem.Why = "the log has the limits with which it was made, whatever Storage." + c.field + " is: nats stream edit " + got.Name + " changes them"
			o.warn(problem.Error())
		}
	}
	return nil
}

// limitText is a limit of a stream in words.
func limitText[T int64 | time.Duration](n int64) string {
	if n <= 0 {
		return "no limit"
	}
	return fmt.Sprint(T(n))
}

func (o *Options) complain(problem *ConfigError) error {
	if o.Storage.Strict {
		return problem
	}
	o.warn(problem.Error())
	return nil
}

func (o *Options) warn(problem string) {
	if o.Tell.Warn != nil {
		o.Tell.Warn(problem)
	}
}

func (o *Options) dead(d DeadLetter) {
	if o.Tell.Dead != nil {
		o.Tell.Dead(d)
	}
}

func (o *Options) waits(h Holder) {
	if o.Tell.Waits != nil {
		o.Tell.Waits(h)
	}
}

func (o *Options) status(s Status) {
	if o.Tell.Status != nil {
		o.Tell.Status(s)
	}
}
