package inspect

import "strings"

// A Gap is something that an inspector could not look at.
type Gap struct {
	Inspector string
	Share     float64 // of what it looks at that it did look at, in [0,1]
	Reason    string
}

// Looked returns how much of what the named inspector looks at it could look
// at, in [0,1], and why not at more.
func (p *Package) Looked(inspector string) (share float64, why string) {
	share = 1
	var reasons []string
	for _, g := range p.Gaps {
		if g.Inspector == inspector {
			share *= g.Share
			reasons = append(reasons, g.Reason)
		}
	}
	return share, strings.Join(reasons, "; ")
}

// noteGaps says what each inspector could not look at.
func (p *Package) noteGaps() {
	for _, i := range p.Inspectors() {
		ignored, built := len(p.ignored), len(p.syntax())
		switch {
		case !p.Typed() && i.Name != "compile":
			p.gap(i.Name, 0, "it needs types, and the package does not type-check")
			continue
		case i.Name == "compile" && ignored > 0:
			p.gap(i.Name, float64(built)/float64(built+ignored), count(ignored, "file")+" not built on this platform")
		case i.Name == "tests" && p.untested() != "":
			p.gap(i.Name, 0, p.untested())
		}
		for _, f := range p.failures {
			if f.inspector == i.Name {
				p.gap(i.Name, 1-f.share, f.why)
			}
		}
	}
}

// untested says why tests say nothing.
func (p *Package) untested() string {
	switch {
	case !p.TestsTyped:
		return "the tests do not type-check here"
	case p.Tests() == 0:
		return "there are no tests"
	case p.Run == nil:
		return "the tests were not run; -run-tests runs them"
	case p.Run.Error != "":
		return "the tests could not be run: " + p.Run.Error
	}
	return ""
}

func (p *Package) gap(inspector string, share float64, reason string) {
	p.Gaps = append(p.Gaps, Gap{inspector, share, reason})
}
