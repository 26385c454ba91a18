package office_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
	"github.com/swarmbus/swarmbus/swarm/rooms"
	"github.com/swarmbus/swarmbus/swarm/rooms/events"
	"github.com/swarmbus/swarmbus/swarm/rooms/terminal"
)

// TestAnswerGrowsOnTheLineAsItArrives has Reed speak in fragments, and another event arrive
// between them the second time.
func TestAnswerGrowsOnTheLineAsItArrives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan struct{})
		reed := &agents.Agent{ID: "Reed", Reactor: agents.Func(func(ctx context.Context, _ *agents.Turn) iter.Seq2[signals.Any, error] {
			for _, piece := range []string{"<PASS", " is not", " what I say:\n", "all is \x1b[2Jwell."} {
				rooms.Of(ctx).Write(piece)
				<-next
			}
			return agents.Emit(rooms.Words("<PASS is not what I say:\nall is \x1b[2Jwell."))
		})}
		r, err := rooms.New(t.Context(), &rooms.Options{Keys: &events.Keys{Dir: t.TempDir()}, Agents: []rooms.Standing{{Agent: reed, Rooms: []string{"ops"}}}})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var out locked
		s := terminal.New(r, &out, "ops")
		ran, shown := make(chan error, 1), make(chan error, 1)
		go func() { ran <- r.Run(ctx) }()
		go func() { shown <- s.Show(ctx) }()
		has := func(want string) {
			t.Helper()
			synctest.Wait()
			if got := out.String(); got != want {
				t.Errorf("the terminal shows %q, want %q", got, want)
			}
		}
		do := func(line string) {
			t.Helper()
			if _, err := s.Do(ctx, line); err != nil {
				t.Fatal(err)
			}
		}
		const whole = "Reed: <PASS is not what I say:\n    all is \\x1b[2Jwell.\n"
		begun := "--- ops (rooms: 1; /rooms lists them, /help the commands)\n  · room ops created\n  · Reed joined the room\nyou!: Whole?\n"
		do("Whole?")
		has(begun) // it may become a pass
		next <- struct{}{}
		has(begun + "Reed: <PASS is not")
		next <- struct{}{}
		has(begun + "Reed: <PASS is not what I say:")
		next <- struct{}{}
		has(begun + "Reed: <PASS is not what I say:\n    all is \\x1b[2Jwell.")
		next <- struct{}{}
		has(begun + whole)

		do("And now?")
		synctest.Wait()
		next <- struct{}{}
		synctest.Wait()
		do("/show 7")
		cut := begun + whole + "you!: And now?\nReed: <PASS is not\n  ? rooms: not found: no section §7 in room ops\n"
		has(cut)
		for range 3 {
			next <- struct{}{}
		}
		has(cut + whole)
		cancel()
		if err := errors.Join(<-ran, <-shown); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := r.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}
