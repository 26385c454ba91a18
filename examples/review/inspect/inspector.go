package inspect

import (
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
	slices.SortFunc(all, compareFindings)
	return all
}

// Inspectors returns all of them, always in the same order.
func Inspectors() []Inspector {
	return []Inspector{
		{"compile", "Does it type-check, with its tests?", finders(compileErrors)},
		{"vet", "Passes of go vet: printf, nil dereferences, tags, impossible assertions.", nil},
		{"bugs", "Staticcheck: code that panics, never ends or cannot do what it says.", nil},
		{"concurrency", "Shared state without a lock, locks copied or lost, WaitGroups.", finders(racingWrites, servedMaps, unguardedWrites, unreleasedLocks)},
		{"resources", "Cancels, bodies, rows, tickers and goroutines that nobody ends.", finders(abandonedSends, unclosedBodies)},
		{"security", "gosec: injection, TLS, permissions, weak cryptography.", nil},
		{"secrets", "gosec: passwords, keys and tokens in the source.", nil},
		{"errors", "Errors lost where they matter, panics swallowed, matches that cannot match.", finders(droppedErrors, swallowedPanics, lostErrors)},
		{"hazards", "Calls that remove, overwrite, run or end something.", finders(removals, dynamicCommands, exits)},
		{"tests", "What tests reach, and with -run-tests whether they pass.", finders(failedTests)},
	}
}

func finders(f ...func(*Package) []Finding) []func(*Package) []Finding { return f }

// Named returns the inspector of that name.
func Named(name string) (Inspector, bool) {
	for _, i := range Inspectors() {
		if i.Name == name {
			return i, true
		}
	}
	return Inspector{}, false
}

// All runs every inspector and returns all findings, in the order of
// inspectors.
func All(p *Package) []Finding {
	var all []Finding
	for _, i := range Inspectors() {
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
	case "security", "secrets":
		n := 0
		for _, r := range gosecRules {
			if r.inspector == inspector {
				n++
			}
		}
		return count(n, "rule") + " of gosec" + over
	case "tests":
		reached := 0
		for _, f := range p.functions() {
			if _, ok := p.graph().testOf(f); ok {
				reached++
			}
		}
		return fmt.Sprintf("%d of %s reached from %s", reached, count(len(p.functions()), "function"), count(p.Tests(), "test"))
	}
	n := 0
	for _, c := range checks {
		if c.inspector == inspector {
			n += len(c.analyzers)
		}
	}
	if i, ok := Named(inspector); ok {
		n += len(i.find)
	}
	return count(n, "check") + over
}
