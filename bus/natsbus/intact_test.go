package natsbus

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A lagging stream ends with a message, or has no answer.
type lagging struct {
	jetstream.Stream
	last uint64
	err  error
}

func (s *lagging) Info(context.Context, ...jetstream.StreamInfoOpt) (*jetstream.StreamInfo, error) {
	return &jetstream.StreamInfo{State: jetstream.StreamState{LastSeq: s.last}}, s.err
}

// Servers may be behind after each of several elections: only one that lasts is a loss.
func TestStreamThatIsBehindAgainIsNotLostAtOnce(t *testing.T) {
	const read = 7
	for name, between := range map[string]lagging{"it had all": {last: read}, "it had no answer": {err: nats.ErrTimeout}} {
		synctest.Test(t, func(t *testing.T) {
			l := &Log{Link: newLink(Options{Stream: "swarmbus"})}
			defer l.end(nil)
			heard := new(silence)
			behind := func(s lagging) (bool, error) {
				l.stream = &s
				return l.ends(t.Context(), &message{seq: read}, heard)
			}
			for i, s := range []lagging{{last: read - 1}, between, {last: read - 1}} {
				time.Sleep(settling - 1)
				if again, err := behind(s); err != nil || again != (s.last < read) {
					t.Errorf("%s, question %d: again %v, %v", name, i+1, again, err)
				}
			}
			time.Sleep(settling)
			var lost *LostError
			if _, err := behind(lagging{last: read - 1}); !errors.As(err, &lost) || lost.Seq != read {
				t.Errorf("%s: %v, want that message %d is lost", name, err, read)
			}
		})
	}
}

// A process that is told again why it has no connection has none since the first time.
func TestStatusIsSinceItChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s state
		var since time.Time
		for i, connected := range []bool{false, false, true, true, false} {
			time.Sleep(time.Second)
			if i == 0 || i == 2 || i == 4 {
				since = time.Now()
			}
			s.set(Status{Connected: connected})
			if _, got := s.get(); !got.Equal(since) {
				t.Errorf("after change %d: since %v, want %v", i, got, since)
			}
		}
	})
}
