package inspect

import (
	"slices"

	"github.com/securego/gosec/v2/goanalysis"
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
	"honnef.co/go/tools/staticcheck"
)

// Names of checks of staticcheck: of shared state, of what is left open, and those
// that do not say that something is wrong. SA5011 panics in this version.
var (
	ofSharing = []string{"SA2000", "SA2002", "SA2003"}
	ofLeaks   = []string{"SA1015", "SA5001", "SA5003", "SA9001"}
	leftOut   = []string{"SA1008", "SA1012", "SA1019", "SA2001", "SA5011", "SA6000", "SA6001", "SA6002", "SA6003", "SA6005", "SA6006", "SA9003"}
)

// checks are the analyzers that each inspector runs.
var checks = map[string][]*analysis.Analyzer{
	"vet": {
		appends.Analyzer, assign.Analyzer, bools.Analyzer, defers.Analyzer, ifaceassert.Analyzer, nilfunc.Analyzer, nilness.Analyzer,
		printf.Analyzer, scannererr.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, sortslice.Analyzer, stdmethods.Analyzer,
		stringintconv.Analyzer, structtag.Analyzer, tests.Analyzer, timeformat.Analyzer, unmarshal.Analyzer, unreachable.Analyzer,
		unusedresult.Analyzer, unusedwrite.Analyzer,
	},
	"bugs": staticchecks(func(name string) bool { return !slices.Contains(slices.Concat(ofSharing, ofLeaks, leftOut), name) }),
	"concurrency": append(staticchecks(func(name string) bool { return slices.Contains(ofSharing, name) }),
		atomic.Analyzer, copylock.Analyzer, loopclosure.Analyzer, testinggoroutine.Analyzer, waitgroup.Analyzer),
	"resources": append(staticchecks(func(name string) bool { return slices.Contains(ofLeaks, name) }),
		httpresponse.Analyzer, lostcancel.Analyzer, sqlrowserr.Analyzer),
	"security": {goanalysis.Analyzer},
	"secrets":  {goanalysis.Analyzer},
	"errors":   {deepequalerrors.Analyzer, errorsas.Analyzer},
}

func staticchecks(chosen func(name string) bool) []*analysis.Analyzer {
	var all []*analysis.Analyzer
	for _, c := range staticcheck.Analyzers {
		if chosen(c.Analyzer.Name) {
			all = append(all, c.Analyzer)
		}
	}
	return all
}
