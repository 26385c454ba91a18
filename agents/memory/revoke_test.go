package memory_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents/memory"
	"github.com/swarmbus/swarmbus/agents/memory/memorytest"
	"github.com/swarmbus/swarmbus/signals"
)

func contents(facts []memory.Fact) (all []string) {
	for _, f := range facts {
		all = append(all, f.Content)
	}
	slices.Sort(all)
	return all
}

func revoke(t *testing.T, p *memory.Pool, source string, decisions ...memory.Decision) *memory.Revocation {
	t.Helper()
	r, err := p.Revoke(t.Context(), source, decisions...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRevocationTakesDerivedFactsAndNamesDecisionsThatKnewThem(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	remember(
		t, p,
		claim("eve", "poison"), claim("bob", "from poison", "poison"), claim("cyd", "from that", "from poison"),
		claim("ada", "true"), claim("eve", "true"), claim("bob", "from truth", "true"),
		claim("cyd", "from both", "true", "poison"), claim("dan", "from both"),
		claim("ada", "apart"), claim("bob", "apart"),
	)
	// Two that hold up each other stand on eve alone.
	remember(t, p, claim("eve", "circle one"), claim("bob", "circle two", "circle one"), claim("cyd", "circle one", "circle two"))
	deploy := memory.Decision{Thread: "t1", Proposal: "p1", Decision: "deploy", Facts: []string{memory.IDOf("from that"), memory.IDOf("apart"), memory.IDOf("true")}}
	wait := memory.Decision{Thread: "t2", Proposal: "p2", Decision: "wait", Facts: []string{memory.IDOf("apart")}}
	r := revoke(t, p, "eve", deploy, wait)
	if diff := cmp.Diff([]string{"circle one", "circle two", "from poison", "from that", "poison"}, contents(r.Fell)); diff != "" {
		t.Error("fell:", diff)
	}
	if diff := cmp.Diff([]string{"true"}, contents(r.Weakened)); diff != "" {
		t.Error("weakened:", diff)
	}
	deploy.Facts = []string{memory.IDOf("from that"), memory.IDOf("true")}
	if diff := cmp.Diff([]memory.Decision{deploy}, r.Decisions); diff != "" {
		t.Error("decisions:", diff)
	}
	got := recalled(t, p, memory.Query{Text: "poison true from that both truth apart circle", Quarantined: true, Most: 20})
	slices.Sort(got)
	want := []string{"apart: confirmed", "from both: quarantined", "from truth: quarantined", "true: quarantined"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("left:", diff)
	}
	if r := revoke(t, p, "eve", deploy); len(r.Fell)+len(r.Weakened)+len(r.Decisions) > 0 {
		t.Errorf("once more: %+v", r)
	}
}

func TestRevocationAppliesToEarlierStatementsOnly(t *testing.T) {
	t.Parallel()
	p := pool(t, memory.Options{})
	remember(t, p, claim("eve", "x"), claim("bob", "y", "x"))
	revoke(t, p, "eve")
	remember(t, p, claim("eve", "x")) // the same signal, as after a restart
	remember(t, p, claim("cyd", "from y", "y"))
	if got := recalled(t, p, memory.Query{Text: "x y from", Quarantined: true}); got != nil {
		t.Errorf("what was revoked is back: %v", got)
	}
	later := claim("eve", "x")
	later.Signal = signals.MustID("later")
	remember(t, p, later)
	if got := recalled(t, p, memory.Query{Text: "x", Quarantined: true}); !cmp.Equal(got, []string{"x: quarantined"}) {
		t.Errorf("what it said later: %v", got)
	}
	if _, err := p.Revoke(t.Context(), ""); !errors.Is(err, signals.ErrInvalid) {
		t.Errorf("nobody: %v", err)
	}
}

// everything returns all that a store has.
func everything(t *rapid.T, s memory.Store, sources []string) map[string]memory.Fact {
	all := map[string]memory.Fact{}
	for _, source := range sources {
		facts, err := s.Linked(t.Context(), source)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range facts {
			all[f.ID] = f
		}
	}
	return all
}

// grounded returns the facts that stand if only statements count that are not revoked,
// by the definition: those at which a chain ends that begins with what was derived from
// nothing.
func grounded(facts map[string]memory.Fact) map[string]bool {
	stands := map[string]bool{}
	for range facts {
		for id, f := range facts {
			for _, s := range f.Said {
				whole := !s.Revoked
				for _, from := range s.From {
					_, stored := facts[from]
					whole = whole && (stands[from] || !stored)
				}
				stands[id] = stands[id] || whole
			}
		}
	}
	return stands
}

func TestRevocationLaws(t *testing.T) {
	t.Parallel()
	sources := []string{"ada", "bob", "cyd", "dan"}
	rapid.Check(t, func(t *rapid.T) {
		one, two := &memorytest.Twin{}, &memorytest.Twin{}
		p, err := memory.New(memory.Options{Store: one})
		q, problem := memory.New(memory.Options{Store: two})
		if err = errors.Join(err, problem); err != nil {
			t.Fatal(err)
		}
		const facts = 7
		text := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("fact ", rapid.IntRange(0, facts-1).Draw(t, "fact")) })
		for i := range rapid.IntRange(facts, 25).Draw(t, "claims") {
			c := claim(rapid.SampledFrom(sources).Draw(t, "source"), fmt.Sprint("fact ", i)) // each is first stated by somebody
			if i >= facts {
				c = claim(c.Source, text.Draw(t, "content"), rapid.SliceOfN(text, 0, 2).Draw(t, "from")...)
			}
			c.Signal = signals.MustID(fmt.Sprint("s", i))
			if err := errors.Join(p.Remember(t.Context(), c), q.Remember(t.Context(), c)); err != nil {
				t.Fatal(err)
			}
		}
		before := everything(t, one, sources)
		a, err := p.Revoke(t.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		after := everything(t, one, sources)
		stands := grounded(after)
		for id, f := range after {
			for _, s := range f.Said {
				if s.Source == "ada" && !s.Revoked {
					t.Errorf("a statement of ada about %q stands", f.Content)
				}
			}
			was := before[id]
			if now := f.State(); (now == memory.Revoked) == stands[id] {
				t.Errorf("%q is %v, and grounded %v: %+v", f.Content, now, stands[id], f.Said)
			}
			fell := slices.Contains(contents(a.Fell), f.Content)
			if fell != (f.State() == memory.Revoked && was.State() != memory.Revoked) {
				t.Errorf("%q: told as fallen %v, was %v, is %v", f.Content, fell, was.State(), f.State())
			}
		}
		// In which order sources are revoked makes no difference.
		_, err1 := p.Revoke(t.Context(), "bob")
		_, err2 := q.Revoke(t.Context(), "bob")
		_, err3 := q.Revoke(t.Context(), "ada")
		if err := errors.Join(err1, err2, err3); err != nil {
			t.Fatal(err)
		}
		x, y := everything(t, one, sources), everything(t, two, sources)
		for _, id := range slices.Sorted(maps.Keys(x)) {
			f, g := x[id], y[id]
			if f.State() != g.State() {
				t.Errorf("%q is %v in one order and %v in the other", f.Content, f.State(), g.State())
			}
		}
	})
}

func TestDecisionRestsOnFactsKnownBeforeIt(t *testing.T) {
	t.Parallel()
	log := []signals.Any{
		said("1", "system", 0, "", signals.Memory{Content: "recalled", Category: "c"}),
		said("2", "ada", 1, "", signals.Discovery{Finding: "found"}),
		said("3", "bob", 1, "", signals.Doubt{Concern: "no fact"}),
		said("4", "bob", 1, "", signals.Discovery{Finding: "Found!"}),
	}
	if d, ok := memory.DecisionOf(log); ok {
		t.Errorf("no decision: %v", d)
	}
	log = append(log, said("5", "system", 1, "", signals.Consensus{ProposalID: "p", Decision: "deploy"}), said("6", "ada", 2, "", signals.Discovery{Finding: "later"}))
	facts := []string{memory.IDOf("found"), memory.IDOf("recalled")}
	slices.Sort(facts)
	got, ok := memory.DecisionOf(log)
	if diff := cmp.Diff(memory.Decision{Thread: "t", Proposal: "p", Decision: "deploy", Time: day, Facts: facts}, got); diff != "" || !ok {
		t.Errorf("%v %s", ok, diff)
	}
}
