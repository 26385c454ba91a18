package inspect

import (
	"cmp"
	"fmt"
	"slices"
)

// An Inspector is one point of view on a package, with evidence that no other
// inspector has. Inspectors are values without state: any number may inspect
// one package concurrently.
type Inspector struct {
	// Name is one word, Doc one line about what it looks at.
	Name string
	Doc  string

	find []func(*Package) []Finding // beside its analyzers
}

// Inspect returns what the inspector finds, defects first. Equal packages give
// equal findings.
func (i Inspector) Inspect(p *Package) []Finding {
	all := p.reported(i.Name)
	for _, find := range i.find {
		all = append(all, find(p)...)
	}
	for k := range all {
		all[k].Inspector = i.Name
	}
	slices.SortFunc(all, func(a, b Finding) int { return cmp.Or(cmp.Compare(b.Grade, a.Grade), cmp.Compare(a.Rule, b.Rule)) })
	return all
}

// Inspectors returns all of them, with those of the named tools, always in the same order.
func Inspectors(tools ...string) []Inspector {
	all := []Inspector{
		{"compile", "Does it type-check, with its tests?", finders(compileErrors)},
		{"vet", "Passes of go vet: printf, nil dereferences, tags, impossible assertions.", nil},
		{"concurrency", "Passes of go vet: locks copied or lost, WaitGroups, goroutines.", nil},
		{"resources", "Passes of go vet: cancels, bodies and rows that nobody ends.", nil},
		{"errors", "Errors lost where they matter, panics swallowed, matches that cannot match.", finders(droppedErrors, swallowedPanics, lostErrors)},
		{"hazards", "Calls that remove, overwrite, run or end something.", finders(removals, dynamicCommands, dynamicShells, exits)},
		{"tests", "What tests reach, and with -run-tests whether they pass.", finders(failedTests)},
	}
	for _, name := range tools {
		all = append(all, Inspector{Name: name, Doc: toolDocs[name]})
	}
	return all
}

// Inspectors returns those that inspect p.
func (p *Package) Inspectors() []Inspector { return Inspectors(p.tools...) }

func finders(f ...func(*Package) []Finding) []func(*Package) []Finding { return f }

// All runs every inspector and returns all findings, in the order of
// inspectors.
func All(p *Package) []Finding {
	var all []Finding
	for _, i := range p.Inspectors() {
		all = append(all, i.Inspect(p)...)
	}
	return all
}

// Scope says what the named inspector looked at, in numbers.
func (p *Package) Scope(inspector string) string {
	over := " over " + count(len(p.functions()), "function")
	switch inspector {
	case "compile":
		return "type-checked " + count(len(p.Files), "file")
	case "gosec":
		return count(len(gosecRules), "rule") + " of gosec" + over
	case "tests":
		reached := 0
		for _, f := range p.functions() {
			if p.tested[f.decl.Name.Name] != "" {
				reached++
			}
		}
		return fmt.Sprintf("%d of %s reached from %s", reached, count(len(p.functions()), "function"), count(p.Tests(), "test"))
	}
	n := p.ran[inspector]
	for _, i := range Inspectors() {
		if i.Name == inspector {
			n += len(i.find)
		}
	}
	return count(n, "check") + over
}
