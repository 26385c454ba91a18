package inspect

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/passes/appends"
	"golang.org/x/tools/go/analysis/passes/assign"
	"golang.org/x/tools/go/analysis/passes/atomic"
	"golang.org/x/tools/go/analysis/passes/bools"
	"golang.org/x/tools/go/analysis/passes/copylock"
	"golang.org/x/tools/go/analysis/passes/deepequalerrors"
	"golang.org/x/tools/go/analysis/passes/defers"
	"golang.org/x/tools/go/analysis/passes/errorsas"
	"golang.org/x/tools/go/analysis/passes/httpresponse"
	"golang.org/x/tools/go/analysis/passes/ifaceassert"
	"golang.org/x/tools/go/analysis/passes/loopclosure"
	"golang.org/x/tools/go/analysis/passes/lostcancel"
	"golang.org/x/tools/go/analysis/passes/nilfunc"
	"golang.org/x/tools/go/analysis/passes/nilness"
	"golang.org/x/tools/go/analysis/passes/printf"
	"golang.org/x/tools/go/analysis/passes/scannererr"
	"golang.org/x/tools/go/analysis/passes/shift"
	"golang.org/x/tools/go/analysis/passes/sigchanyzer"
	"golang.org/x/tools/go/analysis/passes/sortslice"
	"golang.org/x/tools/go/analysis/passes/sqlrowserr"
	"golang.org/x/tools/go/analysis/passes/stdmethods"
	"golang.org/x/tools/go/analysis/passes/stringintconv"
	"golang.org/x/tools/go/analysis/passes/structtag"
	"golang.org/x/tools/go/analysis/passes/testinggoroutine"
	"golang.org/x/tools/go/analysis/passes/tests"
	"golang.org/x/tools/go/analysis/passes/timeformat"
	"golang.org/x/tools/go/analysis/passes/unmarshal"
	"golang.org/x/tools/go/analysis/passes/unreachable"
	"golang.org/x/tools/go/analysis/passes/unusedresult"
	"golang.org/x/tools/go/analysis/passes/unusedwrite"
	"golang.org/x/tools/go/analysis/passes/waitgroup"
)

// check is an analyzer and how bad it is when it reports something.
type check struct {
	severity Severity
	*analysis.Analyzer
}

// vetChecks leaves out shadow, which reports 30 places in net/http alone: too
// many for a review.
var vetChecks = []check{
	{Medium, appends.Analyzer},
	{Low, assign.Analyzer},
	{Medium, bools.Analyzer},
	{Medium, defers.Analyzer},
	{High, httpresponse.Analyzer},
	{High, ifaceassert.Analyzer},
	{High, lostcancel.Analyzer},
	{Medium, nilfunc.Analyzer},
	{High, nilness.Analyzer},
	{Medium, printf.Analyzer},
	{Medium, scannererr.Analyzer},
	{Medium, shift.Analyzer},
	{High, sigchanyzer.Analyzer},
	{High, sortslice.Analyzer},
	{Medium, sqlrowserr.Analyzer},
	{Medium, stdmethods.Analyzer},
	{Medium, stringintconv.Analyzer},
	{Medium, structtag.Analyzer},
	{Medium, tests.Analyzer},
	{Medium, timeformat.Analyzer},
	{High, unmarshal.Analyzer},
	{Low, unreachable.Analyzer},
	{Medium, unusedresult.Analyzer},
	{Medium, unusedwrite.Analyzer},
}

var lockChecks = []check{
	{High, atomic.Analyzer},
	{High, copylock.Analyzer},
	{High, loopclosure.Analyzer},
	{Medium, testinggoroutine.Analyzer},
	{High, waitgroup.Analyzer},
}

var errorChecks = []check{
	{High, errorsas.Analyzer},
	{Medium, deepequalerrors.Analyzer},
}

func vetFindings(p *Package) []Finding { return passFindings(p, vetChecks, Correctness) }
func lockPasses(p *Package) []Finding  { return passFindings(p, lockChecks, Correctness) }
func errorPasses(p *Package) []Finding { return passFindings(p, errorChecks, Correctness) }

// passFindings makes one finding per analyzer that reports anything. What only
// tests contain is one step less severe: it misleads, but ships to no one.
func passFindings(p *Package, checks []check, d Dimension) []Finding {
	var all []Finding
	reports := runPasses(p, analyzers(checks)...)
	for _, c := range checks {
		places := p.passPlaces(reports, c.Name)
		r := rule{c.Name, d, c.severity, 0.95, 0.5}
		if !slices.ContainsFunc(places, p.inCode) {
			r.severity = max(Low, r.severity-1)
		}
		all = append(all, r.over(places, 0, c.Name+": "+title(c.Analyzer))...)
	}
	return all
}

func analyzers(checks []check) []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, c := range checks {
		all = append(all, c.Analyzer)
	}
	return all
}

func (p *Package) passPlaces(reports []diagnostic, name string) []Place {
	var places []Place
	for _, r := range reports {
		if r.analyzer == name {
			at := p.at(r.Pos)
			places = append(places, Place{at, p.functionAt(at), r.Message})
		}
	}
	return places
}

func (p *Package) inCode(at Place) bool {
	f := p.file(at.File)
	return f == nil || !f.Test
}

// functionAt names the function around a position.
func (p *Package) functionAt(at Position) string {
	for _, f := range p.funcs {
		if f.file.Name == at.File && p.at(f.decl.Pos()).Line <= at.Line && at.Line <= p.at(f.decl.End()).Line {
			return f.name
		}
	}
	return ""
}

// title is the first line of an analyzer's documentation.
func title(a *analysis.Analyzer) string {
	line, _, _ := strings.Cut(a.Doc, "\n")
	return line
}
