package natsbus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	backoff "github.com/swarmbus/swarmbus/internal/retry"
)

// pause returns growing pauses with jitter, from 20 ms to 2 s.
func pause() *backoff.Backoff {
	return &backoff.Backoff{First: 20 * time.Millisecond, Most: 2 * time.Second, Factor: 1.5, Jitter: 0.5}
}

// request is how long a request may take: without a leader, servers do not answer.
const request = 3 * time.Second

// transfer is how long a request with so many bytes may take: a second for a megabyte more.
func transfer(bytes int) time.Duration { return request + time.Duration(bytes)*time.Microsecond }

// ErrFull is wrapped by errors for signals that the servers did not store because a stream is
// full and is set to refuse more, or a store is full; such a signal is not in the log, unless the
// error wraps [bus.ErrUnknown], too, because an earlier try had no answer. The servers' answer is in the error, and [Tell].Warn is called.
var ErrFull = errors.New("natsbus: the servers have no room for the signal")

// Codes of servers that do not store a message.
const (
	noStore     = 10077 // by a limit of the stream, or while it closes
	noResources = 10023 // of the server
)

// full returns [ErrFull] for servers that have no room for a message, so that it is not sent
// again, and reports it. It returns other errors as they are.
func (o *Options) full(err error) error {
	var api *jetstream.APIError
	if !errors.As(err, &api) || api.ErrorCode != noResources && (api.ErrorCode != noStore || api.Description == "store is closed") {
		return err
	}
	err = fmt.Errorf("%w: %v", ErrFull, err) //nolint:errorlint // those of that code pass, this one does not
	o.warn(err.Error())
	return err
}

// Codes of servers that have other servers to wait for.
const (
	noPeers   = 10005 // to place a stream on
	inProcess = 10158 // to store the message with that id: an earlier try, whose fate is open
)

// retry calls f until it succeeds, fails for good or ctx ends. Each call has a context of
// its own.
func retry(ctx context.Context, f func(ctx context.Context) error) error {
	return retryWithin(ctx, request, f)
}

// retryWithin is retry for calls that may take longer.
func retryWithin(ctx context.Context, long time.Duration, f func(ctx context.Context) error) error {
	b := pause()
	for {
		one, cancel := context.WithTimeout(ctx, long)
		err := f(one)
		cancel()
		if err == nil || !passes(err) {
			return err
		}
		select {
		case <-time.After(b.Next()):
		case <-ctx.Done():
			return fmt.Errorf("%w (last problem: %w)", context.Cause(ctx), err)
		}
	}
}

// passes reports whether what failed for a reason may succeed later: while there is no
// connection or no leader, or not every server knows a stream that is being made.
func passes(err error) bool {
	var file *fs.PathError
	if errors.As(err, &file) {
		return false // such as that of credentials, which has the error of a system call, as a network has
	}
	for _, passing := range []error{
		nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionReconnecting, nats.ErrReconnectBufExceeded, nats.ErrNoServers,
		jetstream.ErrNoStreamResponse, jetstream.ErrAsyncPublishTimeout, jetstream.ErrTooManyStalledMsgs, jetstream.ErrNoHeartbeat,
		jetstream.ErrServerShutdown, jetstream.ErrConnectionClosed, jetstream.ErrStreamNotFound, jetstream.ErrBucketNotFound, context.DeadlineExceeded,
	} {
		if errors.Is(err, passing) {
			return !errors.Is(err, nats.ErrConnectionClosed)
		}
	}
	if strings.Contains(err.Error(), "tls: certificate required") || strings.Contains(err.Error(), "tls: bad certificate") {
		return false // an alert of the server, whose type is not exported
	}
	var network net.Error
	if errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return true
	}
	var api *jetstream.APIError
	return errors.As(err, &api) && (api.Code == 503 || api.ErrorCode == noPeers || api.ErrorCode == inProcess)
}
