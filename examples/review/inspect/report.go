package inspect

import (
	"fmt"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/passes/ctrlflow"
	"golang.org/x/tools/go/packages"
)

// A report is what an analyzer of an inspector said.
type report struct {
	inspector string
	Said
}

// A failure is that some of what an inspector goes by could not look.
type failure struct {
	inspector string
	share     float64 // of what it looks at
	why       string
}

// inspectorOf has the inspector of each analyzer.
var inspectorOf = func() map[*analysis.Analyzer]string {
	of, guarded := map[*analysis.Analyzer]string{}, map[*analysis.Analyzer]bool{}
	for inspector, some := range checks {
		for _, a := range some {
			guard(a, guarded)
			of[a] = inspector
		}
	}
	return of
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

// analyse runs the analyzers of all inspectors.
func (p *Package) analyse() error {
	said, failed, err := p.run(slices.Collect(maps.Keys(inspectorOf))...)
	if err != nil {
		return err
	}
	of := map[string]string{}
	for a, inspector := range inspectorOf {
		of[a.Name] = inspector
		p.ran[inspector]++
	}
	for _, s := range said {
		p.take(of[s.Analyzer], s)
	}
	for a, why := range failed {
		i := inspectorOf[a]
		p.failures = append(p.failures, failure{i, 1 / float64(len(checks[i])), why.Error()})
	}
	slices.SortFunc(p.failures, func(a, b failure) int { return strings.Compare(a.why, b.why) })
	return nil
}

// run runs each analyzer once. One that fails says nothing.
func (p *Package) run(analyzers ...*analysis.Analyzer) (said []Said, failed map[*analysis.Analyzer]error, err error) {
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
		return nil, nil, err
	}
	failed = map[*analysis.Analyzer]error{}
	for _, act := range graph.Roots {
		if act.Err != nil {
			failed[act.Analyzer] = act.Err
			continue
		}
		for _, d := range act.Diagnostics {
			said = append(said, p.said(act.Analyzer, d))
		}
	}
	return said, failed, nil
}

// take notes what an analyzer said, if it counts.
func (p *Package) take(inspector string, s Said) {
	if p.counts(s) {
		p.reports = append(p.reports, report{inspector, s})
	}
}

// aboutTests are the analyzers whose reports in test files count. What others
// find there ships to no one.
var aboutTests = []string{"testinggoroutine", "tests", "SA2002", "SA3000"}

// counts leaves out what is odd and no mistake: values written and not read that
// are no errors, conditions that are always true. The standard library has many.
func (p *Package) counts(s Said) bool {
	switch {
	case s.Analyzer == "SA4006" && !strings.Contains(strings.ToLower(s.Message), "err"),
		s.Analyzer == "nilness" && strings.Contains(s.Message, " condition: "):
		return false
	}
	f := p.file(s.File)
	return f != nil && (!f.Test || slices.Contains(aboutTests, s.Analyzer))
}

// reported makes one finding of each rule by which an analyzer of the named
// inspector said anything.
func (p *Package) reported(inspector string) []Finding {
	places, says := map[rule][]Place{}, map[rule]string{}
	for _, r := range p.reports {
		if r.inspector != inspector {
			continue
		}
		place := p.seen(p.fset.File(p.file(r.File).syntax.FileStart).Pos(r.Offset), r.Message)
		rule, what := rule{r.Analyzer, Defect}, r.Doc
		if inspector == "gosec" {
			g, counts := gosecRules[r.Category]
			if !counts || !p.tainted(r.Category, place.Name) {
				continue
			}
			rule.name, rule.grade, what, place.Note = r.Category, g.grade, g.says, ""
		}
		places[rule], says[rule] = append(places[rule], place), what
	}
	var all []Finding
	for rule, found := range places {
		all = append(all, rule.at(found, says[rule])...)
	}
	return all
}
