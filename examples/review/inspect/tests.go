package inspect

import "strings"

// isTest says whether go test runs f to check something. Benchmarks measure, so
// what only they reach counts as untested; it is the same everywhere.
func isTest(f *function) bool {
	return f.file.Test && f.decl.Recv == nil && testName(f.name)
}

func testName(name string) bool {
	for _, prefix := range []string{"Test", "Example", "Fuzz"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// Tests counts tests, fuzz tests and examples.
func (p *Package) Tests() int {
	n := 0
	for _, f := range p.funcs {
		if isTest(f) && f.name != "TestMain" {
			n++
		}
	}
	return n
}
