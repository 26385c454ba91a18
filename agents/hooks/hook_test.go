package hooks_test

import (
	"testing"

	"github.com/swarmbus/swarmbus/agents/hooks"
)

func TestWithoutAHookNothingIsRecorded(t *testing.T) {
	ctx := hooks.With(t.Context(), nil)
	inside, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpSolve})
	hooks.Note(inside, "nothing")
	end(nil, nil)
	if inside != t.Context() || hooks.TraceOf(inside) != nil {
		t.Error("the context changed")
	}
	start := func() { _, end := hooks.Start(ctx, hooks.Op{Name: hooks.OpTurn}); end(nil, nil) }
	if n := testing.AllocsPerRun(100, start); n != 0 {
		t.Errorf("got %v allocations, want 0", n)
	}
}
