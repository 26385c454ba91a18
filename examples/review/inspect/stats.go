package inspect

import "fmt"

// Stats count what speaks for a package: the ground an approval stands on.
type Stats struct {
	Files, Lines     int // outside tests
	Functions        int
	Exported         int // functions and methods others can call
	Reached          int // of those that tests should reach
	Testable         int
	Tests            int // tests, benchmarks, fuzz tests and examples
	Names            int // exported names
	Documented       int
	HardestCognitive int
	Hardest          Place
}

// Stats counts p. Without types, nothing is known to be reached.
func (p *Package) Stats() Stats {
	var s Stats
	for _, f := range p.Files {
		if !f.Test {
			s.Files++
			s.Lines += f.Lines
		}
	}
	s.Functions, s.Exported, s.Tests = len(p.functions()), len(p.exported()), p.testCount()
	p.countReached(&s)
	p.countDocumented(&s)
	for _, f := range p.functions() {
		if n := cognitive(f.decl); n > s.HardestCognitive {
			s.HardestCognitive, s.Hardest = n, p.functionPlace(f, "")
		}
	}
	return s
}

func (p *Package) countReached(s *Stats) {
	for _, f := range p.testable() {
		s.Testable++
		if _, ok := p.graph().testOf(f); ok && p.TestsTyped {
			s.Reached++
		}
	}
}

func (p *Package) countDocumented(s *Stats) {
	for _, f := range p.Files {
		if f.Test {
			continue
		}
		for _, d := range f.syntax.Decls {
			for _, n := range docNames(d) {
				s.Names++
				if n.documented {
					s.Documented++
				}
			}
		}
	}
}

// Merits says in words what an inspector can hold in the package's favour; ""
// if it has nothing to go by.
func (s Stats) Merits(inspector string) string {
	switch inspector {
	case "tests":
		return fmt.Sprintf("%s reached from %s", share(s.Reached, s.Testable, "function"), count(s.Tests, "test"))
	case "docs":
		return share(s.Documented, s.Names, "exported name") + " documented"
	case "complexity":
		if s.Functions > 0 {
			return fmt.Sprintf("the hardest of %s, %s, has a cognitive complexity of %d", count(s.Functions, "function"), s.Hardest, s.HardestCognitive)
		}
	case "api":
		return fmt.Sprintf("%s exported out of %d", count(s.Exported, "function"), s.Functions)
	case "vet":
		return fmt.Sprintf("%d passes of go/analysis ran", len(vetChecks))
	}
	return ""
}
