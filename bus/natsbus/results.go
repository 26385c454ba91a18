package natsbus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus/journal"
)

// key returns a key of a bucket for any text.
func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Results are recorded results of calls, which all processes of the log have in common.
type Results struct{ kv jetstream.KeyValue }

var _ journal.Caller = (*Results)(nil)

// Results returns the results that are recorded beside the log. A result is at most as
// large as a message of the servers: 1 MiB by default.
func (l *Log) Results(ctx context.Context) (*Results, error) {
	var kv jetstream.KeyValue
	err := retry(ctx, func(ctx context.Context) (err error) {
		kv, err = l.bucket(ctx, "results", 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &Results{kv}, nil
}

// Do implements [journal.Caller]. It returns the recorded result, or makes the call and
// returns its result once the servers have acknowledged it. If several processes make a
// call at the same time, all of them return the result that was recorded first.
func (r *Results) Do(ctx context.Context, k journal.Key, call func(context.Context) ([]byte, error)) ([]byte, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	at := key(string(text))
	result, err := r.get(ctx, at)
	if !errors.Is(err, jetstream.ErrKeyNotFound) {
		return result, err
	}
	if result, err = call(ctx); err != nil {
		return nil, err
	}
	err = retry(ctx, func(ctx context.Context) error {
		_, err := r.kv.Create(ctx, at, result)
		return err
	})
	if taken(err) {
		return r.get(ctx, at)
	}
	return result, err
}

func (r *Results) get(ctx context.Context, at string) (result []byte, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		e, err := r.kv.Get(ctx, at)
		if err == nil {
			result = e.Value()
		}
		return err
	})
	return result, err
}
