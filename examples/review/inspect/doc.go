// Package inspect reviews Go packages with analysers that can argue.
//
// It is the half of the review example that knows no agents: a directory goes
// in, values come out. [Load] reads one package and runs the analyzers, an
// [Inspector] returns what it finds, other inspectors hold [Arguments] against a
// finding or for it, and [Judge] makes a verdict of what is left.
//
//	p, err := inspect.Load(ctx, dir, false)
//	if err != nil {
//		return err // not a directory, no Go files, no module, …
//	}
//	for _, i := range inspect.Inspectors() {
//		for _, f := range i.Inspect(p) {
//			fmt.Println(i.Name, f, f.Evidence(3), inspect.Debate(p, f))
//		}
//	}
//
// # What it needs
//
// The go command, and nothing else: no network, no downloads, no configuration.
// Dependencies come from export data, which the go command compiles into its
// cache if they are not there yet. Directories of other modules and of the
// standard library load as well as those of this one. No code of the package is
// run unless [Load] is told so.
//
// # Who knows what
//
// Most of the evidence is that of analysers that many programs rely on: the
// type checker and passes of go vet, and of staticcheck and gosec where a [Tool] runs
// them in a process of its own. The rules of this package's own cover errors and panics that are lost, and calls that remove, run or
// end something. An inspector reports what no other one looks for.
//
// # Defects and concerns
//
// A [Finding] groups every place where a rule holds. A [Defect] asks for changes
// unless somebody eases it, a [Concern] only where somebody makes it worse:
// removing directories is a concern, and a defect where no test reaches it. An
// [Argument] does either, place by place, for a reason that can be checked in
// the code. There is no score: nothing becomes a defect by being large, and many
// concerns are no defect.
//
// # What was not looked at
//
// Each [Gap] says what an inspector could not look at and why: tests that were
// not run, files of other platforms, everything that needs types in a package
// that does not compile. Who could not look abstains.
//
// # Order
//
// Equal packages give equal findings, arguments and verdicts, in the same order,
// on every machine with the same Go version: positions are relative to the
// package. A [Package] never changes after it was loaded, so any number of
// goroutines may inspect it at once.
//
// # Limits
//
// A test reaches what it mentions, directly or through other functions, and
// every method that an interface in sight could call; whether a line ran is not
// known. Analyzers see facts of the package and its tests, not of dependencies,
// so staticcheck does not know which functions of the standard library are pure.
// No analyzer here looks for data races; the race detector does where tests are
// run. Which defects this finds and misses is measured: see RESULTS.md beside the
// example.
package inspect
