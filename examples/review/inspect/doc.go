// Package inspect reviews Go packages with analysers that can argue.
//
// It is the pure half of the review example: a directory goes in, values come
// out. [Load] reads one package, an [Inspector] returns what it finds, other
// inspectors hold [Arguments] against a finding or for it, and [Temper.Judge]
// makes a stance of it all.
//
//	p, err := inspect.Load(ctx, dir)
//	if err != nil {
//		return err // a *LoadError: not a directory, no Go files, no module, …
//	}
//	for _, i := range inspect.Inspectors() {
//		for _, f := range i.Inspect(p) {
//			fmt.Println(i.Name, f, inspect.Debate(p, f))
//		}
//	}
//
// # What it needs
//
// The go command, and nothing else: no network, no downloads, no configuration.
// Dependencies come from export data, which the go command compiles into its
// cache if they are not there yet; loading bufio with its tests takes 0.2 s from
// a warm cache, net/http 0.6 s. Directories of other modules and of the standard
// library load as well as those of this one.
//
// # Order
//
// Equal packages give equal findings, arguments and verdicts, in the same order,
// on every machine with the same Go version: positions are relative to the
// package, sums do not depend on order, and numbers have three digits where they
// are shown. A [Package] never changes, so any number of goroutines may inspect
// it at once.
//
// # Findings
//
// A [Finding] groups every place where a rule holds. Its confidence is how often
// the rule is right when it speaks, so far by judgement over some twenty
// packages of the standard library and of others, not by a labelled set. Its
// relevance comes from the code: the share and the number of places, or how far
// the worst place exceeds a limit. Severity, relevance and confidence multiply
// to [Finding.Risk].
//
// Inspectors would rather miss something than cry wolf. What needs types is
// silent about a package that does not type-check; such a package has the
// finding does-not-compile, and what its syntax shows.
//
// # Arguments
//
// An [Argument] eases a finding or worsens it, for a reason that can be checked
// at the places it names: the complex function is tested, by this test; the
// panic is documented, or guards against misuse; the untested function is
// intricate. Inspectors argue about each other's findings, never about their
// own.
//
// # Limits
//
// A test reaches what it mentions, directly or through other functions; whether
// a line ran is not known. Vet passes see facts of the package and its tests,
// not of dependencies. Locks and goroutines are judged by their lines, not by
// their paths.
package inspect
