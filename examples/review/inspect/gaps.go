package inspect

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
	if !p.Typed() {
		for _, i := range Inspectors() {
			if i.Name != "compile" {
				p.gap(i.Name, 0, "it needs types, and the package does not type-check")
			}
		}
		return
	}
	if n, built := len(p.Ignored), len(p.syntax()); n > 0 {
		p.gap("compile", float64(built)/float64(built+n), fmt.Sprintf("%s not built on this platform", count(n, "file")))
	}
	switch {
	case !p.TestsTyped:
		p.gap("tests", 0, "the tests do not type-check here")
	case p.Tests() == 0:
		p.gap("tests", 0, "there are no tests")
	case p.Run == nil:
		p.gap("tests", 0, "the tests were not run; -run-tests runs them")
	case p.Run.Error != "":
		p.gap("tests", 0, "the tests could not be run: "+p.Run.Error)
	case !p.Run.Race:
		p.gap("tests", 0.5, "they ran without the race detector, which needs cgo")
	}
	order := make(map[string]int)
	for i, all := range Inspectors() {
		order[all.Name] = i
	}
	slices.SortStableFunc(p.Gaps, func(a, b Gap) int { return cmp.Compare(order[a.Inspector], order[b.Inspector]) })
}

func (p *Package) gap(inspector string, share float64, reason string) {
	p.Gaps = append(p.Gaps, Gap{inspector, share, reason})
}
