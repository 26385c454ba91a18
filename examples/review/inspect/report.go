package inspect

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"github.com/securego/gosec/v2/goanalysis"
	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/packages"
)

// A report is what an analyzer said.
type report struct {
	analyzer *analysis.Analyzer
	analysis.Diagnostic
}

// analyzers are those of all checks, each once.
var analyzers = func() (all []*analysis.Analyzer) {
	guarded := map[*analysis.Analyzer]bool{}
	for _, some := range checks {
		for _, a := range some {
			guard(a, guarded)
			if !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	return all
}()

// guard has an analyzer, and those that it requires, fail instead of panicking, and
// know which functions of the standard library do not return: dependencies come from
// export data, so no analyzer sees that for itself.
func guard(a *analysis.Analyzer, guarded map[*analysis.Analyzer]bool) {
	if guarded[a] {
		return
	}
	guarded[a] = true
	for _, need := range a.Requires {
		guard(need, guarded)
	}
	run := a.Run
	a.Run = func(pass *analysis.Pass) (value any, err error) {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("analyzer %s panicked: %v", a.Name, r)
			}
		}()
		if a == ctrlflow.Analyzer {
			known := pass.ImportObjectFact
			pass.ImportObjectFact = func(o types.Object, f analysis.Fact) bool { return known(o, f) || neverReturns(o) }
		}
		return run(pass)
	}
}

func neverReturns(o types.Object) bool {
	fn, ok := o.(*types.Func)
	return ok && slices.Contains([]string{
		"os.Exit", "log.Fatal", "log.Fatalf", "log.Fatalln", "log.Panic", "log.Panicf", "log.Panicln",
		"(*log.Logger).Fatal", "(*log.Logger).Fatalf", "(*log.Logger).Fatalln",
		"(*testing.common).FailNow", "(*testing.common).Fatal", "(*testing.common).Fatalf",
		"(*testing.common).Skip", "(*testing.common).Skipf", "(*testing.common).SkipNow",
	}, fn.FullName())
}

// analyse runs each analyzer once. One that fails reports nothing.
func (p *Package) analyse(analyzers ...*analysis.Analyzer) error {
	var units []*packages.Package
	for _, u := range []*packages.Package{p.main, p.outside} {
		if u != nil {
			alone := *u
			alone.Imports = nil // whose facts would need their source
			units = append(units, &alone)
		}
	}
	graph, err := checker.Analyze(analyzers, units, nil)
	if err != nil {
		return err
	}
	p.failed = map[*analysis.Analyzer]error{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			p.failed[act.Analyzer] = act.Err
			continue
		}
		for _, d := range act.Diagnostics {
			if r := (report{act.Analyzer, d}); p.counts(r) {
				p.reports = append(p.reports, r)
			}
		}
	}
	return nil
}

// aboutTests are the analyzers whose reports in test files count. What others
// find there ships to no one.
var aboutTests = []string{"testinggoroutine", "tests", "SA2002", "SA3000"}

// counts leaves out what is odd and no mistake: values written and not read that
// are no errors, conditions that are always true. The standard library has many.
func (p *Package) counts(r report) bool {
	switch {
	case r.analyzer.Name == "SA4006" && !strings.Contains(strings.ToLower(r.Message), "err"),
		r.analyzer.Name == "nilness" && strings.Contains(r.Message, " condition: "):
		return false
	}
	f := p.file(p.at(r.Pos).File)
	return f != nil && (!f.Test || slices.Contains(aboutTests, r.analyzer.Name))
}

// reported makes one finding of each rule by which an analyzer of the named
// inspector reported anything.
func (p *Package) reported(inspector string) []Finding {
	places, says := map[rule][]Place{}, map[rule]string{}
	for _, r := range p.reports {
		if !slices.Contains(checks[inspector], r.analyzer) {
			continue
		}
		place := p.seen(r.Pos, oneLine(r.Message))
		what, _, _ := strings.Cut(r.analyzer.Doc, "\n")
		rule := rule{r.analyzer.Name, Defect}
		if r.analyzer == goanalysis.Analyzer {
			g := gosecRules[r.Category]
			if g.inspector != inspector || !p.tainted(r.Category, place.Name) {
				continue
			}
			rule.name, rule.grade, what, place.Note = r.Category, g.grade, g.says, ""
		}
		places[rule], says[rule] = append(places[rule], place), strings.TrimSuffix(what, ".")
	}
	var all []Finding
	for rule, found := range places {
		all = append(all, rule.at(found, says[rule])...)
	}
	return all
}
