package host_test

import (
	"context"
	"errors"
	"testing"

	"github.com/swarmbus/swarmbus/internal/timetest"
	"github.com/swarmbus/swarmbus/swarm/console/api"
	"github.com/swarmbus/swarmbus/swarm/console/demo"
)

func TestTheDemoKeepsAsking(t *testing.T) {
	t.Parallel()
	h, _ := opened(t, t.TempDir(), demo.Office())
	b := h.Backend()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- demo.Play(ctx, b, "platform", 0) }()
	timetest.Until(t, "it has asked 13 questions", func() bool {
		all, err := b.Solves.List(t.Context(), api.SolvesQuery{Team: "platform", Limit: 1000})
		if err != nil || len(ended) > 0 {
			t.Fatalf("it has ended after %d questions: %v", len(all), errors.Join(err, <-ended))
		}
		return len(all) > 12
	})
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
