package wire_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/agents/models"
	"github.com/swarmbus/swarmbus/agents/models/internal/wire"
)

func TestFailureKindFollowsHowFarTheCallGot(t *testing.T) {
	syntax := json.Unmarshal([]byte("{"), new(any))
	kind := json.Unmarshal([]byte("1"), new(string))
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for name, c := range map[string]struct {
		seen           wire.Seen
		err            error
		want           *models.Problem
		unbilled, soon bool
	}{
		"never sent":             {wire.Seen{}, errors.New("no such option"), models.ErrInvalid, true, false},
		"never sent, as no JSON": {wire.Seen{}, fmt.Errorf("marshal: %w", syntax), models.ErrInvalid, true, false},
		"sent elsewhere":         {wire.Seen{Sent: true, Status: 307}, wire.ErrRedirect, models.ErrInvalid, true, false},
		"half of an answer":      {wire.Seen{Sent: true, Status: 200}, fmt.Errorf("decode: %w", syntax), models.ErrMalformed, false, true},
		"an answer of its own":   {wire.Seen{Sent: true, Status: 200}, kind, models.ErrMalformed, false, true},
		"far too much":           {wire.Seen{Sent: true, Status: 200}, fmt.Errorf("read: %w", wire.ErrTooLong), models.ErrMalformed, false, true},
		"broken off":             {wire.Seen{Sent: true, Status: 200}, io.ErrUnexpectedEOF, models.ErrCutOff, false, true},
		"connection refused":     {wire.Seen{Sent: true}, refused, models.ErrConnection, true, true},
		"broken before it began": {wire.Seen{Sent: true}, io.EOF, models.ErrConnection, false, true},
		"nothing in time":        {wire.Seen{Sent: true}, os.ErrDeadlineExceeded, models.ErrTimeout, false, true},
	} {
		err := c.seen.Failed(t.Context(), models.ID{Provider: "p", Name: "m"}, fmt.Errorf("with sk-secret: %w", c.err), "sk-secret")
		var e *models.Error
		if !errors.As(err, &e) || e.Problem != c.want || e.Unbilled != c.unbilled || e.Temporary() != c.soon || !errors.Is(err, c.err) || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: got %+v", name, err)
		}
	}
}

func TestEndOfAContextTakesPrecedenceAsCause(t *testing.T) {
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for _, seen := range []wire.Seen{{}, {Sent: true}, {Sent: true, Status: 200}} {
		for _, failed := range []error{context.Canceled, nil} {
			if err := seen.Failed(ctx, models.ID{}, failed); !errors.Is(err, why) {
				t.Errorf("%+v, %v: got %v", seen, failed, err)
			}
		}
	}
}
