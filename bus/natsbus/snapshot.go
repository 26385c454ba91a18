package natsbus

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/swarmbus/swarmbus/bus"
	"github.com/swarmbus/swarmbus/signals"
)

// ErrNoSnapshots is returned by [Log.Snapshot] without [Options].Over.
var ErrNoSnapshots = errors.New("natsbus: Options.Over is not set, so that the log keeps no threads for a snapshot")

// errSnapshot says why a snapshot is refused.
var errSnapshot = errors.New("natsbus: the snapshot is refused")

// A snapshot is the log up to a message without the threads that are over, and what the
// judge remembers. The fold of a program is not in it: whoever has the signals of the
// threads that go on folds them again.
type snapshot struct {
	Format  string            `json:"format"`
	Seq     uint64            `json:"seq"`     // of the last message that is in it
	Prefix  uint64            `json:"prefix"`  // hash of what became of every message up to it
	Message string            `json:"message"` // hash of that message, so that it is found in one stream only
	Groups  []group           `json:"groups"`
	IDs     [][]signals.ID    `json:"ids"` // of the newest messages, the oldest first
	Fences  map[string]uint64 `json:"fences"`
	Left    []signals.Kind    `json:"left,omitzero"` // of the signals that it leaves out; nil: unknown
	Sum     string            `json:"sum"`           // hash of all of the above
	Sign    string            `json:"sign,omitzero"` // signature of the process that made it
}

// A group is signals that were published at once, and the last number that they and their
// conflicts got.
type group struct {
	Last    uint64            `json:"last"`
	Signals []json.RawMessage `json:"signals"`
	all     []signals.Any
}

// kept are the signals of threads that are not over.
type kept struct {
	mu     sync.Mutex // held while a message is taken; protects the fields below and the judge
	groups []group
	last   *message
	left   []signals.Kind // of the signals before that are in no group, sorted; nil: unknown
}

func (s *snapshot) sum() (string, error) {
	bare := *s
	bare.Sum, bare.Sign = "", ""
	text, err := json.Marshal(bare)
	return digestOf(text), err
}

// signing returns a message that stands for the snapshot of a stream in its signature.
func (s *snapshot) signing(stream string) *nats.Msg {
	return &nats.Msg{Subject: stream + ".snapshot", Header: nats.Header{headerSign: {s.Sign}}, Data: []byte(s.Sum)}
}

func digestOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Snapshot stores the log as it is now, without the threads that are over, in place of the
// snapshot before: processes that join begin with it, and the messages up to it may be
// dropped by the limits of the stream. One process should do that now and then.
func (l *Log) Snapshot(ctx context.Context) error {
	if l.opts.Over == nil {
		return ErrNoSnapshots
	}
	s := l.snapshot()
	if s == nil {
		return nil // nothing was read yet
	}
	for i := range s.Groups {
		for _, one := range s.Groups[i].all {
			text, err := signals.Marshal(one)
			if err != nil {
				return err
			}
			s.Groups[i].Signals = append(s.Groups[i].Signals, text)
		}
	}
	var err error
	if s.Sum, err = s.sum(); err != nil {
		return err
	}
	m := s.signing(l.name)
	sign(m, l.opts.Key)
	s.Sign = m.Header.Get(headerSign)
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	return retryWithin(ctx, transfer(len(text)), func(ctx context.Context) error {
		bucket, err := l.snapshots(ctx, true)
		if err == nil {
			_, err = bucket.PutBytes(ctx, l.name, text)
		}
		return err
	})
}

// last returns the message that was read last; nil: none was.
func (l *Log) last() *message {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	return l.kept.last
}

// snapshot returns what is to be stored, and forgets the threads that are over.
func (l *Log) snapshot() *snapshot {
	l.kept.mu.Lock()
	defer l.kept.mu.Unlock()
	if l.kept.last == nil {
		return nil
	}
	l.kept.groups = slices.DeleteFunc(l.kept.groups, func(g group) bool {
		if slices.ContainsFunc(g.all, func(s signals.Any) bool { return !l.opts.Over(s.Head().Thread) }) {
			return false
		}
		l.kept.leave(g.all)
		return true
	})
	m := l.kept.last
	return &snapshot{
		Format: format, Seq: m.seq, Prefix: l.compare.prefix(), Message: hex.EncodeToString(m.digest()),
		Groups: slices.Clone(l.kept.groups), IDs: l.judge.seen.all(), Fences: maps.Clone(l.judge.fences),
		Left: slices.Clone(l.kept.left),
	}
}

func (l *Log) snapshots(ctx context.Context, create bool) (jetstream.ObjectStore, error) {
	c := jetstream.ObjectStoreConfig{Bucket: l.opts.Stream + "-snapshots", Replicas: l.opts.Storage.Replicas}
	if l.opts.Storage.InMemory {
		c.Storage = jetstream.MemoryStorage
	}
	bucket, err := l.js.ObjectStore(ctx, c.Bucket)
	if create && errors.Is(err, jetstream.ErrBucketNotFound) {
		err = l.opts.sized(func(most int64) (err error) {
			c.MaxBytes = most
			bucket, err = l.js.CreateOrUpdateObjectStore(ctx, c)
			return err
		})
	}
	return bucket, err
}

// restore feeds the bus with a snapshot, and returns the message that follows it: the first
// one of the stream if there is none. An error is errSnapshot or a [*ConfigError], and leaves
// the log unusable.
func (l *Log) restore(ctx context.Context, state *jetstream.StreamState) (uint64, error) {
	s, err := l.stored(ctx)
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrObjectNotFound) {
		return max(state.FirstSeq, 1), nil
	}
	if wrong := new(ConfigError); errors.As(err, &wrong) {
		return 0, wrong
	}
	if err == nil {
		l.kept.last, err = l.fits(ctx, s, state)
	}
	if err == nil {
		err = l.load(ctx, s)
	}
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errSnapshot, err)
	}
	return s.Seq + 1, nil
}

// stored returns the snapshot as it was stored.
func (l *Log) stored(ctx context.Context) (*snapshot, error) {
	asking, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	bucket, err := l.snapshots(asking, false)
	if err != nil {
		return nil, fmt.Errorf("snapshot cannot be read: %w", err)
	}
	if status, err := bucket.Status(asking); err == nil {
		got := status.(*jetstream.ObjectBucketStatus).StreamInfo().Config
		err := l.opts.checkBeside(&got, nil, []setting{
			{"max_age", got.MaxAge, time.Duration(0), got.MaxAge == 0, "the snapshot vanishes, and processes that join cannot begin with it"},
		})
		if err != nil {
			return nil, err
		}
	}
	info, err := bucket.GetInfo(asking, l.name)
	if err != nil {
		return nil, fmt.Errorf("snapshot cannot be read: %w", err)
	}
	ctx, end := context.WithTimeout(ctx, transfer(int(min(info.Size, math.MaxInt32))))
	defer end()
	text, err := bucket.GetBytes(ctx, l.name)
	if err != nil {
		return nil, fmt.Errorf("snapshot cannot be read: %w", err)
	}
	s := new(snapshot)
	return s, json.Unmarshal(text, s)
}

// fits checks that a snapshot is whole, and of this stream.
func (l *Log) fits(ctx context.Context, s *snapshot, state *jetstream.StreamState) (last *message, err error) {
	sum, err := s.sum()
	forged := l.opts.signed(received(s.signing(l.name)), bus.System)
	switch {
	case err != nil:
		return nil, err
	case s.Format != format:
		return nil, fmt.Errorf("format is %q", s.Format)
	case sum != s.Sum:
		return nil, errors.New("snapshot is corrupt: hash mismatch")
	case forged != nil:
		return nil, forged
	case s.Seq+1 < state.FirstSeq || s.Seq > state.LastSeq:
		return nil, fmt.Errorf("snapshot ends with message %d, the stream has %d to %d", s.Seq, state.FirstSeq, state.LastSeq)
	case s.Seq < state.FirstSeq:
		return &message{seq: s.Seq}, nil // just gone: no other message is ever in its place
	}
	m, err := l.stream.GetMsg(ctx, s.Seq)
	if err != nil {
		return nil, err
	}
	if last = rawMessage(m); hex.EncodeToString(last.digest()) != s.Message {
		return nil, fmt.Errorf("message %d differs in this stream", s.Seq)
	}
	return last, nil
}

// load feeds the bus, and checks that each group leads to what it led to elsewhere.
func (l *Log) load(ctx context.Context, s *snapshot) error {
	for _, g := range s.Groups {
		for _, text := range g.Signals {
			one, err := l.opts.Codec.Unmarshal(text)
			if err != nil {
				return err
			}
			g.all = append(g.all, one)
		}
		if err := l.feed(ctx, slices.Clone(g.all)); err != nil {
			return err
		}
		if last := l.bus.Last(); last != g.Last {
			return fmt.Errorf("the snapshot's signals end at %d here, want %d", last, g.Last)
		}
		l.kept.groups = append(l.kept.groups, group{Last: g.Last, all: g.all})
	}
	for _, ids := range s.IDs {
		l.judge.seen.addIDs(ids)
	}
	for name, token := range s.Fences {
		l.judge.fences[name] = token
	}
	l.digest() // which others had derived before
	l.compare.sum, l.kept.left = s.Prefix, s.Left
	return nil
}

// Lacks reports whether signals of some of these kinds that were in the log before this
// process joined may be missing here: the snapshot with which it began leaves some of them
// out, or the beginning of the log is gone and there was none ([Options].Partial).
func (l *Log) Lacks(kinds ...signals.Kind) bool {
	return l.lacks == nil || slices.ContainsFunc(kinds, func(k signals.Kind) bool { return slices.Contains(l.lacks, k) })
}

// leave notes that a snapshot leaves signals out.
func (k *kept) leave(all []signals.Any) {
	for _, s := range all {
		if i, found := slices.BinarySearch(k.left, s.Kind()); !found && k.left != nil {
			k.left = slices.Insert(k.left, i, s.Kind())
		}
	}
}

// keep notes what a message brought for the next snapshot.
func (k *kept) keep(all []signals.Any, last uint64) {
	k.groups = append(k.groups, group{Last: last, all: all})
}
