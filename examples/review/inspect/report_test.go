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
	p.reports = nil
	if err := p.analyse(needs, panics, good); err != nil {
		t.Fatal(err)
	}
	if len(p.reports) != 1 || p.reports[0].analyzer != good {
		t.Errorf("got reports %v, want one, of good", p.reports)
	}
	if len(p.failed) != 2 || p.failed[panics] == nil || p.failed[needs] == nil {
		t.Errorf("%v failed, want panics and what needs it", p.failed)
	}
}
