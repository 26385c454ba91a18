package inspect_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

var track = inspect.Track{Right: 0.9, Found: 0.8}

func place(line int) inspect.Place {
	return inspect.Place{File: "a.go", Line: line}
}

func claim() *rapid.Generator[inspect.Claim] {
	names := rapid.SampledFrom([]string{"vet", "errors", "tests"})
	return rapid.Custom(func(t *rapid.T) inspect.Claim {
		f := inspect.Finding{
			Inspector: names.Draw(t, "inspector"), Rule: "rule", Message: "something",
			Grade:  inspect.Grade(rapid.IntRange(1, 2).Draw(t, "grade")),
			Places: []inspect.Place{place(1), place(2)}[:rapid.IntRange(1, 2).Draw(t, "places")],
		}
		arguments := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) inspect.Argument {
			return inspect.Argument{
				Inspector: names.Filter(func(n string) bool { return n != f.Inspector }).Draw(t, "who"),
				Effect:    inspect.Effect(rapid.IntRange(1, 2).Draw(t, "effect")),
				Covers:    f.Places[:rapid.IntRange(1, len(f.Places)).Draw(t, "covers")],
			}
		}), 0, 3).Draw(t, "arguments")
		return inspect.Claim{Finding: f, Arguments: arguments}
	})
}

func TestVerdictsDoNotDependOnOrder(t *testing.T) {
	p := fixture(t, "clean")
	rapid.Check(t, func(t *rapid.T) {
		claims := rapid.SliceOfN(claim(), 0, 5).Draw(t, "claims")
		shuffled := rapid.Permutation(claims).Draw(t, "shuffled")
		one, other := inspect.Judge(p, "vet", track, claims), inspect.Judge(p, "vet", track, shuffled)
		if one.Stance != other.Stance || one.Weight != other.Weight {
			t.Errorf("got %+v and %+v", one, other)
		}
	})
}

func TestHarmfulChangeNeverWinsApproval(t *testing.T) {
	p := fixture(t, "clean")
	rapid.Check(t, func(t *rapid.T) {
		claims := rapid.SliceOfN(claim(), 1, 5).Draw(t, "claims")
		before := inspect.Judge(p, "vet", track, claims)
		worse := slices.Clone(claims)
		if i := rapid.IntRange(0, len(worse)-1).Draw(t, "which"); rapid.Bool().Draw(t, "by an argument") {
			worse[i].Arguments = append(slices.Clone(worse[i].Arguments),
				inspect.Argument{Inspector: "errors", Effect: inspect.Worsens, Covers: worse[i].Finding.Places})
		} else {
			worse[i].Finding.Grade = inspect.Defect
		}
		after := inspect.Judge(p, "vet", track, worse)
		if before.Stance == inspect.RequestChanges && after.Stance != inspect.RequestChanges && after.Stance != before.Stance &&
			!slices.ContainsFunc(worse, inspect.Claim.Stands) {
			t.Errorf("%+v became %+v", before, after)
		}
		if before.Stance != inspect.Approve && after.Stance == inspect.Approve && !slices.ContainsFunc(worse, inspect.Claim.Stands) {
			t.Errorf("%+v became %+v", before, after)
		}
	})
}

func TestVerdictsGoByOwnEvidence(t *testing.T) {
	p := fixture(t, "clean")
	defect := inspect.Finding{Inspector: "vet", Rule: "r", Message: "m", Grade: inspect.Defect, Places: []inspect.Place{place(7)}}
	by := func(who string, e inspect.Effect) inspect.Argument {
		return inspect.Argument{Inspector: who, Effect: e, Covers: defect.Places}
	}
	for _, test := range []struct {
		who       string
		arguments []inspect.Argument
		want      inspect.Stance
		weight    float64
	}{
		{"vet", nil, inspect.RequestChanges, 0.9},
		{"errors", nil, inspect.Abstain, 0},
		{"errors", []inspect.Argument{by("errors", inspect.Worsens)}, inspect.RequestChanges, 0.9},
		{"vet", []inspect.Argument{by("errors", inspect.Eases)}, inspect.RequestChanges, 0.45},
		{"errors", []inspect.Argument{by("errors", inspect.Eases)}, inspect.Approve, 0.8},
		{"errors", []inspect.Argument{by("errors", inspect.Eases), by("hazards", inspect.Worsens)}, inspect.Approve, 0.45},
		{"hazards", []inspect.Argument{by("errors", inspect.Eases)}, inspect.Approve, 0.8},
		{"tests", []inspect.Argument{by("errors", inspect.Eases)}, inspect.Abstain, 0}, // its tests were not run
	} {
		v := inspect.Judge(p, test.who, track, []inspect.Claim{{Finding: defect, Arguments: test.arguments}})
		if v.Stance != test.want || v.Weight != test.weight || v.Reason == "" {
			t.Errorf("%s with %v: got %+v, want %v by %v", test.who, test.arguments, v, test.want, test.weight)
		}
		if test.want == inspect.RequestChanges && !strings.Contains(v.Reason, "a.go:7") {
			t.Errorf("%q names no line", v.Reason)
		}
	}
}

// TestClaimStandsWherePlacesAreWorst has one place of two made worse.
func TestClaimStandsWherePlacesAreWorst(t *testing.T) {
	c := inspect.Claim{
		Finding:   inspect.Finding{Rule: "r", Message: "m", Grade: inspect.Concern, Places: []inspect.Place{place(1), place(2)}},
		Arguments: []inspect.Argument{{Effect: inspect.Worsens, Covers: []inspect.Place{place(2)}}},
	}
	if got := c.Standing(); len(got) != 1 || got[0] != place(2) || c.String() != "r: m (a.go:2)" {
		t.Errorf("got %v, %s", got, c)
	}
}

func TestBrokenPackageIsNotAnalyzed(t *testing.T) {
	p := fixture(t, "broken")
	for _, i := range inspect.Inspectors() {
		looked, why := p.Looked(i.Name)
		if want := i.Name == "compile"; (looked == 1) != want || (why == "") != want {
			t.Errorf("%s looked at %v: %q", i.Name, looked, why)
		}
		if v := inspect.Judge(p, i.Name, track, nil); i.Name != "compile" && (v.Stance != inspect.Abstain || v.Weight != 0) {
			t.Errorf("%s: got %+v", i.Name, v)
		}
	}
}

func TestFilesOfOtherPlatformsLowerCertainty(t *testing.T) {
	p := load(t, module(t, map[string]string{"a.go": "package a\n", "a_plan9.go": "package a\n", "b_plan9.go": "package a\n"}))
	v := inspect.Judge(p, "compile", track, nil)
	if want := track.Found / 3; v.Weight < want-1e-9 || v.Weight > want+1e-9 || !strings.Contains(v.Reason, "2 files not built") {
		t.Errorf("got %+v, want weight %v", v, want)
	}
}
