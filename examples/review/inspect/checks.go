package inspect

import (
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
	"honnef.co/go/tools/staticcheck/sa1000"
	"honnef.co/go/tools/staticcheck/sa1001"
	"honnef.co/go/tools/staticcheck/sa1002"
	"honnef.co/go/tools/staticcheck/sa1003"
	"honnef.co/go/tools/staticcheck/sa1004"
	"honnef.co/go/tools/staticcheck/sa1005"
	"honnef.co/go/tools/staticcheck/sa1006"
	"honnef.co/go/tools/staticcheck/sa1007"
	"honnef.co/go/tools/staticcheck/sa1010"
	"honnef.co/go/tools/staticcheck/sa1011"
	"honnef.co/go/tools/staticcheck/sa1013"
	"honnef.co/go/tools/staticcheck/sa1014"
	"honnef.co/go/tools/staticcheck/sa1015"
	"honnef.co/go/tools/staticcheck/sa1016"
	"honnef.co/go/tools/staticcheck/sa1017"
	"honnef.co/go/tools/staticcheck/sa1018"
	"honnef.co/go/tools/staticcheck/sa1020"
	"honnef.co/go/tools/staticcheck/sa1021"
	"honnef.co/go/tools/staticcheck/sa1023"
	"honnef.co/go/tools/staticcheck/sa1024"
	"honnef.co/go/tools/staticcheck/sa1025"
	"honnef.co/go/tools/staticcheck/sa1026"
	"honnef.co/go/tools/staticcheck/sa1027"
	"honnef.co/go/tools/staticcheck/sa1028"
	"honnef.co/go/tools/staticcheck/sa1029"
	"honnef.co/go/tools/staticcheck/sa1030"
	"honnef.co/go/tools/staticcheck/sa1031"
	"honnef.co/go/tools/staticcheck/sa1032"
	"honnef.co/go/tools/staticcheck/sa2000"
	"honnef.co/go/tools/staticcheck/sa2002"
	"honnef.co/go/tools/staticcheck/sa2003"
	"honnef.co/go/tools/staticcheck/sa3000"
	"honnef.co/go/tools/staticcheck/sa3001"
	"honnef.co/go/tools/staticcheck/sa4000"
	"honnef.co/go/tools/staticcheck/sa4001"
	"honnef.co/go/tools/staticcheck/sa4003"
	"honnef.co/go/tools/staticcheck/sa4004"
	"honnef.co/go/tools/staticcheck/sa4005"
	"honnef.co/go/tools/staticcheck/sa4006"
	"honnef.co/go/tools/staticcheck/sa4008"
	"honnef.co/go/tools/staticcheck/sa4009"
	"honnef.co/go/tools/staticcheck/sa4010"
	"honnef.co/go/tools/staticcheck/sa4011"
	"honnef.co/go/tools/staticcheck/sa4012"
	"honnef.co/go/tools/staticcheck/sa4013"
	"honnef.co/go/tools/staticcheck/sa4014"
	"honnef.co/go/tools/staticcheck/sa4015"
	"honnef.co/go/tools/staticcheck/sa4016"
	"honnef.co/go/tools/staticcheck/sa4017"
	"honnef.co/go/tools/staticcheck/sa4018"
	"honnef.co/go/tools/staticcheck/sa4019"
	"honnef.co/go/tools/staticcheck/sa4020"
	"honnef.co/go/tools/staticcheck/sa4021"
	"honnef.co/go/tools/staticcheck/sa4022"
	"honnef.co/go/tools/staticcheck/sa4023"
	"honnef.co/go/tools/staticcheck/sa4024"
	"honnef.co/go/tools/staticcheck/sa4025"
	"honnef.co/go/tools/staticcheck/sa4026"
	"honnef.co/go/tools/staticcheck/sa4027"
	"honnef.co/go/tools/staticcheck/sa4028"
	"honnef.co/go/tools/staticcheck/sa4029"
	"honnef.co/go/tools/staticcheck/sa4030"
	"honnef.co/go/tools/staticcheck/sa4031"
	"honnef.co/go/tools/staticcheck/sa4032"
	"honnef.co/go/tools/staticcheck/sa5000"
	"honnef.co/go/tools/staticcheck/sa5001"
	"honnef.co/go/tools/staticcheck/sa5002"
	"honnef.co/go/tools/staticcheck/sa5003"
	"honnef.co/go/tools/staticcheck/sa5004"
	"honnef.co/go/tools/staticcheck/sa5005"
	"honnef.co/go/tools/staticcheck/sa5007"
	"honnef.co/go/tools/staticcheck/sa5008"
	"honnef.co/go/tools/staticcheck/sa5009"
	"honnef.co/go/tools/staticcheck/sa5010"
	"honnef.co/go/tools/staticcheck/sa5012"
	"honnef.co/go/tools/staticcheck/sa9001"
	"honnef.co/go/tools/staticcheck/sa9002"
	"honnef.co/go/tools/staticcheck/sa9004"
	"honnef.co/go/tools/staticcheck/sa9005"
	"honnef.co/go/tools/staticcheck/sa9006"
	"honnef.co/go/tools/staticcheck/sa9007"
	"honnef.co/go/tools/staticcheck/sa9008"
	"honnef.co/go/tools/staticcheck/sa9009"
	"honnef.co/go/tools/staticcheck/sa9010"
)

// checks are the analyzers that inspectors run. Left out is what does not say
// that something is wrong: style, speed, deprecation, and SA1012, SA2001 and
// SA9003, which the standard library does on purpose. SA5011 panics in this
// version, and SA1008 alone would have the first command build net/http.
var checks = []struct {
	inspector string
	analyzers []*analysis.Analyzer
}{
	{"vet", []*analysis.Analyzer{
		appends.Analyzer, assign.Analyzer, bools.Analyzer, defers.Analyzer, ifaceassert.Analyzer, nilfunc.Analyzer, nilness.Analyzer,
		printf.Analyzer, scannererr.Analyzer, shift.Analyzer, sigchanyzer.Analyzer, sortslice.Analyzer, stdmethods.Analyzer,
		stringintconv.Analyzer, structtag.Analyzer, tests.Analyzer, timeformat.Analyzer, unmarshal.Analyzer, unreachable.Analyzer,
		unusedresult.Analyzer, unusedwrite.Analyzer,
	}},
	{"bugs", []*analysis.Analyzer{
		sa1000.SCAnalyzer.Analyzer, sa1001.SCAnalyzer.Analyzer, sa1002.SCAnalyzer.Analyzer, sa1003.SCAnalyzer.Analyzer,
		sa1004.SCAnalyzer.Analyzer, sa1005.SCAnalyzer.Analyzer, sa1006.SCAnalyzer.Analyzer, sa1007.SCAnalyzer.Analyzer,
		sa1010.SCAnalyzer.Analyzer, sa1011.SCAnalyzer.Analyzer, sa1013.SCAnalyzer.Analyzer,
		sa1014.SCAnalyzer.Analyzer, sa1016.SCAnalyzer.Analyzer, sa1017.SCAnalyzer.Analyzer, sa1018.SCAnalyzer.Analyzer,
		sa1020.SCAnalyzer.Analyzer, sa1021.SCAnalyzer.Analyzer, sa1023.SCAnalyzer.Analyzer, sa1024.SCAnalyzer.Analyzer,
		sa1025.SCAnalyzer.Analyzer, sa1026.SCAnalyzer.Analyzer, sa1027.SCAnalyzer.Analyzer, sa1028.SCAnalyzer.Analyzer,
		sa1029.SCAnalyzer.Analyzer, sa1030.SCAnalyzer.Analyzer, sa1031.SCAnalyzer.Analyzer, sa1032.SCAnalyzer.Analyzer,
		sa3000.SCAnalyzer.Analyzer, sa3001.SCAnalyzer.Analyzer, sa4000.SCAnalyzer.Analyzer, sa4001.SCAnalyzer.Analyzer,
		sa4003.SCAnalyzer.Analyzer, sa4004.SCAnalyzer.Analyzer, sa4005.SCAnalyzer.Analyzer, sa4006.SCAnalyzer.Analyzer,
		sa4008.SCAnalyzer.Analyzer, sa4009.SCAnalyzer.Analyzer, sa4010.SCAnalyzer.Analyzer, sa4011.SCAnalyzer.Analyzer,
		sa4012.SCAnalyzer.Analyzer, sa4013.SCAnalyzer.Analyzer, sa4014.SCAnalyzer.Analyzer, sa4015.SCAnalyzer.Analyzer,
		sa4016.SCAnalyzer.Analyzer, sa4017.SCAnalyzer.Analyzer, sa4018.SCAnalyzer.Analyzer, sa4019.SCAnalyzer.Analyzer,
		sa4020.SCAnalyzer.Analyzer, sa4021.SCAnalyzer.Analyzer, sa4022.SCAnalyzer.Analyzer, sa4023.SCAnalyzer.Analyzer,
		sa4024.SCAnalyzer.Analyzer, sa4025.SCAnalyzer.Analyzer, sa4026.SCAnalyzer.Analyzer, sa4027.SCAnalyzer.Analyzer,
		sa4028.SCAnalyzer.Analyzer, sa4029.SCAnalyzer.Analyzer, sa4030.SCAnalyzer.Analyzer, sa4031.SCAnalyzer.Analyzer,
		sa4032.SCAnalyzer.Analyzer, sa5000.SCAnalyzer.Analyzer, sa5002.SCAnalyzer.Analyzer, sa5004.SCAnalyzer.Analyzer,
		sa5005.SCAnalyzer.Analyzer, sa5007.SCAnalyzer.Analyzer, sa5008.SCAnalyzer.Analyzer, sa5009.SCAnalyzer.Analyzer,
		sa9004.SCAnalyzer.Analyzer, sa9005.SCAnalyzer.Analyzer, sa9006.SCAnalyzer.Analyzer,
		sa9007.SCAnalyzer.Analyzer, sa9008.SCAnalyzer.Analyzer, sa9009.SCAnalyzer.Analyzer, sa9010.SCAnalyzer.Analyzer,
		sa5010.SCAnalyzer.Analyzer, sa5012.SCAnalyzer.Analyzer, sa9002.SCAnalyzer.Analyzer,
	}},
	{"concurrency", []*analysis.Analyzer{
		atomic.Analyzer, copylock.Analyzer, loopclosure.Analyzer, testinggoroutine.Analyzer, waitgroup.Analyzer,
		sa2000.SCAnalyzer.Analyzer, sa2002.SCAnalyzer.Analyzer, sa2003.SCAnalyzer.Analyzer,
	}},
	{"resources", []*analysis.Analyzer{
		httpresponse.Analyzer, lostcancel.Analyzer, sqlrowserr.Analyzer,
		sa1015.SCAnalyzer.Analyzer, sa5001.SCAnalyzer.Analyzer, sa5003.SCAnalyzer.Analyzer, sa9001.SCAnalyzer.Analyzer,
	}},
	{"errors", []*analysis.Analyzer{deepequalerrors.Analyzer, errorsas.Analyzer}},
}
