package natsbus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus/journal"
)

// key returns a key for any text.
func key(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Results are recorded results of calls, which all processes of the log have in common. Each
// is a message to STREAM.result.AGENT.HASH, so that permissions can say who records those of
// an agent. A result that is recorded is never replaced: the stream takes one for each subject,
// and no rollups, with which a writer of a bucket of NATS could remove those of others.
type Results struct {
	link   *Link
	stream jetstream.Stream
	prefix string // of subjects
}

var _ journal.Caller = (*Results)(nil)

// Results returns the results that are recorded beside the log. A result is at most as
// large as a message of the servers: 1 MiB by default.
func (l *Link) Results(ctx context.Context) (*Results, error) {
	r := &Results{link: l, prefix: l.opts.Stream + ".result."}
	want := jetstream.StreamConfig{
		Name: l.opts.Stream + "-results", Subjects: []string{r.prefix + ">"}, Replicas: l.opts.Storage.Replicas, Storage: jetstream.FileStorage,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, DenyDelete: true, DenyPurge: true, AllowDirect: true,
	}
	if l.opts.Storage.InMemory {
		want.Storage = jetstream.MemoryStorage
	}
	var err error
	if r.stream, err = l.openStream(ctx, want); err != nil {
		return nil, err
	}
	got := r.stream.CachedInfo().Config
	if err := l.opts.checkBeside(&got, resultSettings(&got, &want), nil); err != nil {
		return nil, err
	}
	return r, nil
}

// Do implements [journal.Caller]. It returns the recorded result, or makes the call and
// returns its result once the servers have acknowledged it. If several processes make a
// call at the same time, all of them return the result that was recorded first. The
// error for a result that the servers have no room for is [ErrFull], and that of a process
// that may not record results of the agent wraps [ErrDenied]. With [Options].Keys a recorded
// result that no key of the agent signed does not count ([Tell].Dead): the call is made, and its
// result, for which there is no place, is returned.
func (r *Results) Do(ctx context.Context, k journal.Key, call func(context.Context) ([]byte, error)) ([]byte, error) {
	text, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	at := r.prefix + token(k.Agent) + "." + key(string(text))
	var made *nats.Msg // with the result of the call
	for pauses := pause(); ; {
		recorded, err := r.get(ctx, at, k.Agent)
		forged := errors.Is(err, errForgedResult)
		switch {
		case !forged && !errors.Is(err, jetstream.ErrMsgNotFound):
			return recorded, err
		case made == nil:
			result, err := call(ctx)
			if err != nil {
				return nil, err
			}
			made = &nats.Msg{Subject: at, Header: nats.Header{}, Data: result}
			sign(made, r.link.opts.Key)
		case forged:
			return made.Data, nil
		}
		if err := r.put(ctx, made, k.Agent); !taken(err) {
			return made.Data, err
		}
		select { // the servers are about to store one, or one that was asked for it is behind
		case <-time.After(pauses.Next()):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// put records a result unless there is one.
func (r *Results) put(ctx context.Context, m *nats.Msg, agent string) error {
	defer r.link.unstored(r.link.opts.Stream + "-results")()
	err := retry(ctx, func(ctx context.Context) error {
		return r.link.refused.try(m.Subject, r.prefix+token(agent)+".*", func() error {
			_, err := r.link.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0))
			return r.link.opts.full(err)
		})
	})
	if err == nil {
		r.link.unstores.Store(false)
	}
	return err
}

// errForgedResult says that a recorded result does not count.
var errForgedResult = errors.New("natsbus: the recorded result is forged")

// get returns the recorded result. Without one the error is [jetstream.ErrMsgNotFound].
func (r *Results) get(ctx context.Context, at, agent string) (result []byte, err error) {
	err = retry(ctx, func(ctx context.Context) error {
		raw, err := r.stream.GetLastMsgForSubject(ctx, at)
		if err != nil {
			return err
		}
		m := rawMessage(raw)
		m.subject = at // the server may have another one in its place
		if err := r.link.opts.signed(m, agent); err != nil {
			r.link.opts.dead(DeadLetter{Seq: m.seq, Subject: at, Reason: Forged, Err: err})
			return errForgedResult
		}
		result = m.data
		return nil
	})
	return result, err
}
