package memory_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/signals"
)

// looked is a result that a tool returned to an agent; stated is one that an agent makes up.
func looked(by string, round int32, result string) signals.Any {
	return signals.New(signals.Header{ID: signals.MustID("looked"), Source: by, Thread: "t", Time: day, Round: round},
		signals.ToolResult{ToolName: "look", Result: result, TriggeredBy: by, Witnessed: true})
}

func stated(by string, round int32, result string) signals.Any {
	return signals.New(looked(by, round, result).Head(), signals.ToolResult{ToolName: "look", Result: result, TriggeredBy: by})
}

// An agent that repeats another's lie in its own words, without having looked, confirms nothing, and what it said falls
// when the liar is revoked. What a third saw itself stays.
func TestParrotConfirmsNothingAndFallsWithItsSource(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	log := []signals.Any{said("1", "eve", 1, "", signals.Discovery{Finding: "the backup is complete", Evidence: "I looked"})}
	keep := func(more ...signals.Any) {
		t.Helper()
		log = append(log, more...)
		if err := p.Keep(t.Context(), log, log[len(log)-1].Head().Source); err != nil {
			t.Fatal(err)
		}
	}
	keep()
	keep(said("2", "bob", 2, "", signals.Discovery{Finding: "The backup is complete.", Evidence: "eve reported it, and I see no reason to doubt it"}))
	keep(said("3", "cyd", 3, "2", signals.Discovery{Finding: "the backup is complete", Evidence: "as bob found"}))
	all := memory.Query{Text: "backup", Quarantined: true}
	if got := recalled(t, p, all); !cmp.Equal(got, []string{"the backup is complete: quarantined"}) {
		t.Errorf("repeated twice: %v", got)
	}
	if r := revoke(t, p, "eve"); len(r.Fell) != 1 {
		t.Errorf("revoked: %+v", r)
	}
	if got := recalled(t, p, all); got != nil {
		t.Errorf("after eve was revoked: %v", got)
	}
	keep(looked("dan", 4, "backup: 12 of 12 volumes written"), said("4", "dan", 4, "", signals.Discovery{Finding: "the backup is complete", Evidence: "12 volumes written"}))
	if got := recalled(t, p, all); !cmp.Equal(got, []string{"the backup is complete: quarantined"}) {
		t.Errorf("of one that looked: %v", got)
	}
}
