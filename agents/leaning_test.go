package agents_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/agents"
	"github.com/swarmbus/swarmbus/signals"
)

func TestVerbosityIsHowManyWords(t *testing.T) {
	for v, want := range map[float64]int{0: 30, 0.5: 95, 1: 300} {
		p := agents.Personality{Verbosity: v, Curiosity: 0.1}
		if got := p.Words(); got != want {
			t.Errorf("%v: %d words, want %d", v, got, want)
		}
	}
	if got := (agents.Personality{}).Words(); got != 95 {
		t.Errorf("without a personality %d words, want the middle", got)
	}
}

func TestEveryTraitIsInTheInstructions(t *testing.T) {
	for want, p := range map[string]agents.Personality{
		"what others have not seen": {Curiosity: 0.9, Caution: 0.5, Conformity: 0.5, Verbosity: 0.5},
		"what is known":             {Curiosity: 0.1, Caution: 0.5, Conformity: 0.5, Verbosity: 0.5},
		"Ask for evidence":          {Curiosity: 0.5, Caution: 0.7, Conformity: 0.5, Verbosity: 0.5},
		"what is likely":            {Curiosity: 0.5, Caution: 0.3, Conformity: 0.5, Verbosity: 0.5},
		"what others agree on":      {Curiosity: 0.5, Caution: 0.5, Conformity: 1, Verbosity: 0.5},
		"Judge for yourself":        {Curiosity: 0.5, Caution: 0.5, Conformity: 0, Verbosity: 0.5},
		"in full":                   {Curiosity: 0.5, Caution: 0.5, Conformity: 0.5, Verbosity: 0.8},
		"Be brief":                  {Curiosity: 0.5, Caution: 0.5, Conformity: 0.5, Verbosity: 0.2},
	} {
		text := p.Instructions()
		if !strings.HasPrefix(text, strings.SplitAfter(text, ".")[0]) || !strings.Contains(strings.SplitAfter(text, ".")[0], want) {
			t.Errorf("%q is not the first sentence of %q", want, text)
		}
	}
	const plain = "Your traits, from 0 to 1: curiosity 0.5, caution 0.5, conformity 0.5, verbosity 0.5."
	if got := (agents.Personality{Curiosity: 0.5, Caution: 0.5, Conformity: 0.5, Verbosity: 0.5}).Instructions(); got != plain {
		t.Errorf("got %q", got)
	}
	if got := (agents.Personality{}).Instructions(); got != "" {
		t.Errorf("without a personality %q", got)
	}
}

func TestCautionIsHowMuchItTakesAndConformityHowMuchOthersCount(t *testing.T) {
	bold, careful := agents.Personality{Caution: 0, Verbosity: 1}, agents.Personality{Caution: 1}
	if !bold.Convinced(0.5) || bold.Convinced(0.49) || careful.Convinced(0.89) || !careful.Convinced(0.9) {
		t.Error("the thresholds are not 0.5 and 0.9")
	}
	for conformity, want := range map[float64]float64{0: 0.2, 1: 0.5} {
		if got := (agents.Personality{Conformity: conformity, Verbosity: 1}).Sway(0.2, 0.8); math.Abs(got-want) > 1e-12 {
			t.Errorf("conformity %v: %v, want %v", conformity, got, want)
		}
	}
}

func fresh(seq uint64, h signals.Header, p signals.Payload) agents.Fresh {
	h.Seq = seq
	f := agents.Fresh{Record: 0.5}
	switch p := p.(type) {
	case signals.Discovery:
		f.Signal = signals.New(h, p)
	case signals.Doubt:
		f.Signal = signals.New(h, p)
	case signals.Vote:
		f.Signal = signals.New(h, p)
	}
	return f
}

func seqs(all []agents.Fresh) (seqs []uint64) {
	for _, f := range all {
		seqs = append(seqs, f.Signal.Head().Seq)
	}
	return seqs
}

func TestAttentionGoesToWhatMattersMost(t *testing.T) {
	found := func(relevance float64) signals.Discovery {
		return signals.Discovery{Finding: "x", Relevance: relevance}
	}
	curious := agents.Personality{Curiosity: 1, Caution: 0, Conformity: 0}
	careful := agents.Personality{Curiosity: 0, Caution: 1, Conformity: 0}
	conforming := agents.Personality{Curiosity: 0, Caution: 0, Conformity: 1}
	trusted := fresh(2, signals.Header{}, found(0.5))
	trusted.Record = 0.9
	waited := fresh(2, signals.Header{}, found(0))
	waited.Waited = 4
	late := fresh(2, signals.Header{}, found(0))
	late.Waited = 1
	doubt := fresh(2, signals.Header{}, signals.Doubt{Severity: signals.Medium})
	vote := fresh(3, signals.Header{Confidence: 0.6}, signals.Vote{})
	for name, c := range map[string]struct {
		p     agents.Personality
		fresh []agents.Fresh
		want  uint64
	}{
		"relevance":  {curious, []agents.Fresh{fresh(1, signals.Header{}, found(0.4)), fresh(2, signals.Header{}, found(0.5))}, 2},
		"record":     {curious, []agents.Fresh{fresh(1, signals.Header{}, found(0.5)), trusted}, 2},
		"causal":     {curious, []agents.Fresh{fresh(1, signals.Header{}, found(0.5)), fresh(2, signals.Header{CausalLevel: signals.Counterfactual}, found(0.5))}, 2},
		"level":      {curious, []agents.Fresh{fresh(1, signals.Header{CausalLevel: signals.Correlation}, found(0.5)), fresh(2, signals.Header{CausalLevel: signals.Intervention}, found(0.5))}, 2},
		"priority":   {curious, []agents.Fresh{fresh(1, signals.Header{}, found(1)), fresh(2, signals.Header{Priority: 1}, found(0))}, 2},
		"waiting":    {curious, []agents.Fresh{fresh(1, signals.Header{CausalLevel: signals.Counterfactual}, found(1)), waited}, 2},
		"a turn":     {curious, []agents.Fresh{fresh(1, signals.Header{CausalLevel: signals.Correlation}, found(1)), late}, 1},
		"ties":       {curious, []agents.Fresh{fresh(1, signals.Header{}, found(0.5)), fresh(2, signals.Header{}, found(0.5))}, 1},
		"curiosity":  {curious, []agents.Fresh{fresh(1, signals.Header{}, found(0.5)), doubt, vote}, 1},
		"caution":    {careful, []agents.Fresh{fresh(1, signals.Header{}, found(0.5)), doubt, vote}, 2},
		"conformity": {conforming, []agents.Fresh{fresh(1, signals.Header{}, found(0.5)), doubt, vote}, 3},
	} {
		a := agents.Agent{Personality: c.p, Attention: 1}
		now, later := a.Attend(c.fresh)
		if diff := cmp.Diff([]uint64{c.want}, seqs(now)); diff != "" || len(later) != len(c.fresh)-1 {
			t.Errorf("%s: %d wait, %s", name, len(later), diff)
		}
	}
}

func TestAttentionWithoutABoundIsForAll(t *testing.T) {
	now, later := new(agents.Agent).Attend([]agents.Fresh{fresh(1, signals.Header{}, signals.Task{Task: "x"})})
	if len(now) != 1 || len(later) != 0 {
		t.Errorf("%d now, %d wait", len(now), len(later))
	}
}

// Nothing is lost, the order stays, and nothing waits for ever.
func TestAttentionLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := agents.Agent{Attention: rapid.IntRange(1, 4).Draw(t, "attention"), Personality: agents.Personality{Curiosity: 1}}
		var seq uint64
		var waiting []agents.Fresh
		entered := map[uint64]int{}
		backlog := 0
		for turn := range 30 {
			for range rapid.IntRange(0, 3).Draw(t, "new") {
				seq++
				entered[seq] = turn
				waiting = append(waiting, fresh(seq, signals.Header{}, signals.Discovery{Relevance: rapid.Float64Range(0, 1).Draw(t, "relevance")}))
			}
			backlog = max(backlog, len(waiting))
			now, later := a.Attend(waiting)
			all := slices.Concat(seqs(now), seqs(later))
			slices.Sort(all)
			if diff := cmp.Diff(seqs(waiting), all); diff != "" || len(now) != min(a.Attention, len(waiting)) {
				t.Fatalf("%d now: %s", len(now), diff)
			}
			if !slices.IsSorted(seqs(now)) || !slices.IsSorted(seqs(later)) {
				t.Fatalf("out of order: %v %v", seqs(now), seqs(later))
			}
			for _, f := range now {
				if waited := turn - entered[f.Signal.Head().Seq]; waited > 4+backlog || waited != f.Waited {
					t.Fatalf("%v waited %d turns", f, waited)
				}
			}
			waiting = later
		}
	})
}
