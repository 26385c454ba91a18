package natsbus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A LostError is the reason why a log ended: the stream does not have any more what this
// process has read from it. The servers lost their data, or an older backup was restored, or
// the stream was deleted. What the process derived is not the log; it has to join again.
type LostError struct {
	Seq uint64 // of the last message that was read
	Why string
}

func (e *LostError) Error() string {
	return fmt.Sprintf("natsbus: message %d was read here, and is not in the log of the servers: %s; they lost data, or an older backup was restored", e.Seq, e.Why)
}

// settling is how long servers may lack what was read before it is lost: after an election
// they may be behind.
const settling = 10 * time.Second

// ends checks that the stream does not end before the message that was read last. Again says
// that it does, but may be behind, or that there is no answer.
func (l *Log) ends(ctx context.Context, last *message, heard *silence) (again bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, request)
	defer cancel()
	info, err := l.stream.Info(ctx)
	if err != nil {
		l.hears(heard, err)
	}
	why := ""
	switch {
	case errors.Is(err, jetstream.ErrStreamNotFound):
		why = "there is no stream " + l.name
	case err != nil:
		heard.lacks = time.Time{}
		return true, nil
	case info.State.LastSeq < last.seq:
		why = fmt.Sprintf("the stream ends with message %d", info.State.LastSeq)
	default:
		heard.lacks = time.Time{}
		return false, nil
	}
	if heard.lacks.IsZero() {
		heard.lacks = time.Now()
	}
	if time.Since(heard.lacks) < settling {
		return true, nil
	}
	return false, &LostError{last.seq, why}
}

// is checks that a message of the stream is the one that was read from its place.
func (m *message) is(read *message) error {
	if m.stored.Equal(read.stored) && bytes.Equal(m.digest(), read.digest()) {
		return nil
	}
	return &LostError{read.seq, fmt.Sprintf("another message, to %s, is in its place", m.subject)}
}
