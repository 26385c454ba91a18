package journal

import (
	"context"
	"errors"
	"testing"
)

func TestARecorderRemembersNoCallThatIsOver(t *testing.T) {
	r, err := NewRecorder(new(Memory))
	must(t, err)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ctx := range []context.Context{t.Context(), t.Context(), ended} { // made, found, and not waited for
		_, err := r.Do(ctx, Key{Agent: "a"}, func(ctx context.Context) ([]byte, error) {
			if _, err := r.Do(ended, Key{Agent: "a"}, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
			return nil, nil
		})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
	if _, err := r.Do(t.Context(), Key{Agent: "b"}, func(context.Context) ([]byte, error) { return nil, errDisk }); !errors.Is(err, errDisk) {
		t.Errorf("got %v", err)
	}
	if len(r.running) != 0 {
		t.Errorf("%d calls are remembered", len(r.running))
	}
}
