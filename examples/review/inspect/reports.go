package inspect

import (
	"context"
	"slices"
	"strings"

	"github.com/securego/gosec/v2/goanalysis"
	"golang.org/x/tools/go/analysis"
)

// aboutTests are the analyzers whose reports in test files count. What others
// find there ships to no one.
var aboutTests = []string{"testinggoroutine", "tests", "SA2002", "SA3000"}

// analyse runs every analyzer once.
func (p *Package) analyse(ctx context.Context) {
	reports, failed := runPasses(ctx, p, allAnalyzers()...)
	for _, r := range reports {
		if p.counts(r) {
			p.reports = append(p.reports, r)
		}
	}
	for _, c := range checks {
		for _, a := range c.analyzers {
			if err := failed[a]; err != nil {
				p.gap(c.inspector, 1-1/float64(len(c.analyzers)), err.Error())
			}
		}
	}
	if err := failed[goanalysis.Analyzer]; err != nil {
		p.gap("security", 0, err.Error())
		p.gap("secrets", 0, err.Error())
	}
}

func allAnalyzers() []*analysis.Analyzer {
	all := []*analysis.Analyzer{goanalysis.Analyzer}
	for _, c := range checks {
		all = append(all, c.analyzers...)
	}
	return all
}

// notMistakes says which messages of analyzers tell of something odd and not of
// a mistake: values written and not read that are no errors, conditions that are
// always true. The standard library has many of them.
var notMistakes = map[string]func(message string) bool{
	"SA4006":  func(message string) bool { return !strings.Contains(strings.ToLower(message), "err") },
	"nilness": func(message string) bool { return strings.Contains(message, " condition: ") },
}

func (p *Package) counts(r diagnostic) bool {
	f := p.file(p.at(r.Pos).File)
	if odd := notMistakes[r.analyzer.Name]; odd != nil && odd(r.Message) {
		return false
	}
	return f != nil && (!f.Test || slices.Contains(aboutTests, r.analyzer.Name))
}

// reported makes one finding of each rule by which an analyzer of the named
// inspector reported anything.
func (p *Package) reported(inspector string) []Finding {
	places := make(map[rule][]Place)
	says := make(map[rule]string)
	for _, r := range p.reports {
		rule, what, ok := ruleOf(r, inspector)
		at := p.at(r.Pos)
		if ok && p.tainted(rule.name, at) {
			places[rule] = append(places[rule], Place{at, p.functionAt(at), plain(r)})
			says[rule] = what
		}
	}
	var all []Finding
	for rule, found := range places {
		all = append(all, rule.at(found, says[rule])...)
	}
	return all
}

// ruleOf returns the rule of a report, and what it says, if it is one of the
// inspector's.
func ruleOf(r diagnostic, inspector string) (_ rule, says string, ok bool) {
	if r.analyzer == goanalysis.Analyzer {
		g, known := gosecRules[r.Category]
		return rule{r.Category, g.grade}, g.says, known && g.inspector == inspector
	}
	for _, c := range checks {
		if c.inspector == inspector && slices.Contains(c.analyzers, r.analyzer) {
			return rule{r.analyzer.Name, Defect}, title(r.analyzer), true
		}
	}
	return rule{}, "", false
}

// plain is what a report says of one place. Those of gosec repeat their rule.
func plain(r diagnostic) string {
	if r.analyzer == goanalysis.Analyzer {
		return ""
	}
	return oneLine(r.Message)
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
	return strings.TrimSuffix(line, ".")
}
