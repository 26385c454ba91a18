package inspect

import (
	"context"
	"errors"
	"go/token"
	"testing"

	"golang.org/x/tools/go/analysis"
)

func TestFailingAnalyzersHarmNoOther(t *testing.T) {
	p, err := Load(context.Background(), "testdata/clean", nil)
	if err != nil {
		t.Fatal(err)
	}
	runs := 0
	base := &analysis.Analyzer{Name: "base", Run: func(*analysis.Pass) (any, error) { runs++; return runs, nil }}
	report := func(pass *analysis.Pass) {
		pass.Report(analysis.Diagnostic{Pos: token.Pos(1), Message: pass.Analyzer.Name})
	}
	good := func(pass *analysis.Pass) (any, error) {
		if pass.ResultOf[base] != 1 {
			t.Errorf("got result %v of base, want 1", pass.ResultOf[base])
		}
		report(pass)
		return nil, nil
	}
	panics := &analysis.Analyzer{Name: "panics", Run: func(pass *analysis.Pass) (any, error) { report(pass); panic("no") }}
	fails := &analysis.Analyzer{Name: "fails", Run: func(pass *analysis.Pass) (any, error) { report(pass); return nil, errors.New("no") }}
	got, failed := runPasses(t.Context(), p,
		&analysis.Analyzer{Name: "first", Requires: []*analysis.Analyzer{base}, Run: good},
		panics, fails,
		&analysis.Analyzer{Name: "left out", Requires: []*analysis.Analyzer{fails}, Run: good},
		&analysis.Analyzer{Name: "last", Requires: []*analysis.Analyzer{base}, Run: good},
	)
	if len(got) != 2 || got[0].analyzer.Name != "first" || got[1].analyzer.Name != "last" || runs != 1 {
		t.Errorf("got %v after %d runs of base, want first and last after one", got, runs)
	}
	if len(failed) != 3 || failed[panics] == nil || failed[fails] == nil {
		t.Errorf("%v are said to have failed, want panics, fails and what needs fails", failed)
	}
}
