package inspect_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

func unit() *rapid.Generator[float64] { return rapid.Float64Range(0, 1) }

func temper() *rapid.Generator[inspect.Temper] {
	return rapid.Custom(func(t *rapid.T) inspect.Temper {
		return inspect.Temper{Caution: unit().Draw(t, "caution"), Curiosity: unit().Draw(t, "curiosity"), Conformity: unit().Draw(t, "conformity")}
	})
}

func claim() *rapid.Generator[inspect.Claim] {
	return rapid.Custom(func(t *rapid.T) inspect.Claim {
		return inspect.Claim{
			Finding: inspect.Finding{
				Inspector:  rapid.SampledFrom([]string{"vet", "docs", "risk"}).Draw(t, "inspector"),
				Rule:       rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "rule"),
				Dimension:  inspect.Dimension(rapid.IntRange(1, 5).Draw(t, "dimension")),
				Severity:   inspect.Severity(rapid.IntRange(1, 3).Draw(t, "severity")),
				Relevance:  unit().Draw(t, "relevance"),
				Confidence: unit().Draw(t, "confidence"),
				Places:     []inspect.Place{{Position: inspect.Position{File: "a.go", Line: rapid.IntRange(1, 99).Draw(t, "line")}}},
			},
			Arguments: rapid.SliceOfN(argument(), 0, 3).Draw(t, "arguments"),
		}
	})
}

func argument() *rapid.Generator[inspect.Argument] {
	return rapid.Custom(func(t *rapid.T) inspect.Argument {
		return inspect.Argument{
			Effect:   inspect.Effect(rapid.IntRange(1, 2).Draw(t, "effect")),
			Strength: unit().Draw(t, "strength"),
		}
	})
}

// worse returns the claims with one of them, or one more, made worse.
func worse(t *rapid.T, claims []inspect.Claim) []inspect.Claim {
	claims = slices.Clone(claims)
	if len(claims) == 0 || rapid.Bool().Draw(t, "one more") {
		return append(claims, claim().Draw(t, "more"))
	}
	f := &claims[rapid.IntRange(0, len(claims)-1).Draw(t, "which")].Finding
	switch rapid.IntRange(0, 2).Draw(t, "what") {
	case 0:
		f.Severity = min(inspect.High, f.Severity+1)
	case 1:
		f.Relevance += (1 - f.Relevance) * unit().Draw(t, "more relevant")
	case 2:
		f.Confidence += (1 - f.Confidence) * unit().Draw(t, "more certain")
	}
	return claims
}

func TestWorseClaimsNeverWinApproval(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agent, claims := temper().Draw(t, "temper"), rapid.SliceOfN(claim(), 0, 6).Draw(t, "claims")
		before := agent.Judge("vet", claims)
		after := agent.Judge("vet", worse(t, claims))
		if after.Concern < before.Concern || before.Stance == inspect.RequestChanges && after.Stance == inspect.Approve {
			t.Errorf("worse claims: %s became %s", before.Reason(), after.Reason())
		}
	})
}

func TestCautiousAgentsApproveNoMore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agent, claims := temper().Draw(t, "temper"), rapid.SliceOfN(claim(), 0, 6).Draw(t, "claims")
		bold := agent.Judge("vet", claims)
		agent.Caution += (1 - agent.Caution) * unit().Draw(t, "more cautious")
		careful := agent.Judge("vet", claims)
		if bold.Stance == inspect.RequestChanges && careful.Stance == inspect.Approve {
			t.Errorf("bold: %s, careful: %s", bold.Reason(), careful.Reason())
		}
	})
}

func TestVerdictsDoNotDependOnOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		agent, claims := temper().Draw(t, "temper"), rapid.SliceOfN(claim(), 0, 6).Draw(t, "claims")
		shuffled := rapid.Permutation(claims).Draw(t, "shuffled")
		one, other := agent.Judge("docs", claims), agent.Judge("docs", shuffled)
		if one.Concern != other.Concern || one.Stance != other.Stance || !cmp.Equal(one.Scores, other.Scores) {
			t.Errorf("got %+v and %+v", one, other)
		}
	})
}

func TestVerdictsAreNumbersBetweenZeroAndOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := temper().Draw(t, "temper").Judge("risk", rapid.SliceOfN(claim(), 0, 20).Draw(t, "claims"))
		for _, x := range append([]float64{v.Concern, v.Tolerance}, risks(v.Scores)...) {
			if !(x >= 0 && x <= 1) {
				t.Errorf("got %v in %+v", x, v)
			}
		}
		if c := v.Conviction(); !(c >= 0.5 && c <= 1) {
			t.Errorf("conviction %v", c)
		}
	})
}

func risks(scores []inspect.Score) []float64 {
	var all []float64
	for _, s := range scores {
		all = append(all, s.Risk)
	}
	return all
}

// TestNoOneApprovesWhatDoesNotCompile tries the boldest agent there can be.
func TestNoOneApprovesWhatDoesNotCompile(t *testing.T) {
	p := fixture(t, "broken")
	v := inspect.Temper{}.Judge("docs", inspect.Claims(p, inspect.All(p)))
	if v.Stance != inspect.RequestChanges {
		t.Errorf("got %s: %s", v.Stance, v.Reason())
	}
}

func TestEveryoneApprovesTheCleanPackage(t *testing.T) {
	p := fixture(t, "clean")
	v := inspect.Temper{Caution: 1, Curiosity: 1, Conformity: 1}.Judge("docs", inspect.Claims(p, inspect.All(p)))
	if v.Stance != inspect.Approve || v.Conviction() != 1 {
		t.Errorf("got %s by %v: %s", v.Stance, v.Conviction(), v.Reason())
	}
}

func TestArgumentsMoveRisk(t *testing.T) {
	p := fixture(t, "risky")
	for _, c := range inspect.Claims(p, inspect.All(p)) {
		for _, a := range c.Arguments {
			alone := inspect.Claim{Finding: c.Finding, Arguments: []inspect.Argument{a}}
			if eased := alone.Standing() < 1; eased != (a.Effect == inspect.Eases) {
				t.Errorf("%s leaves %v of %s", a, alone.Standing(), c.Finding.Key())
			}
		}
	}
}
