package inspect

import (
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestAnalyzerThatPanicsFailsAndHarmsNoOther(t *testing.T) {
	p, err := Load(t.Context(), "testdata/clean", false)
	if err != nil {
		t.Fatal(err)
	}
	said := func(pass *analysis.Pass) (any, error) {
		pass.Report(analysis.Diagnostic{Pos: pass.Files[0].Pos(), Message: "said"})
		return nil, nil
	}
	panics := &analysis.Analyzer{Name: "panics", Doc: "panics", Run: func(pass *analysis.Pass) (any, error) { said(pass); panic("no") }}
	needs := &analysis.Analyzer{Name: "needs", Doc: "needs", Requires: []*analysis.Analyzer{panics}, Run: said}
	good := &analysis.Analyzer{Name: "good", Doc: "good", Run: said}
	guard(needs, map[*analysis.Analyzer]bool{})
	all, failed, err := p.run(needs, panics, good)
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 || all[0].Analyzer != "good" {
		t.Errorf("got %v, want one, of good", all)
	}
	if len(failed) != 2 || failed[panics] == nil || failed[needs] == nil {
		t.Errorf("%v failed, want panics and what needs it", failed)
	}
}
