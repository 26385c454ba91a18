package inspect

import "slices"

// An Inspector is one point of view on a package. Inspectors are values without
// state: any number may inspect one package concurrently.
type Inspector struct {
	// Name is one word, Doc one line about what it looks at.
	Name string
	Doc  string

	find []func(*Package) []Finding
}

// Inspect returns what the inspector finds, the riskiest first. Equal packages
// give equal findings.
func (i Inspector) Inspect(p *Package) []Finding {
	var all []Finding
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
		{"compile", "Does the package type-check, with its tests?", finders(compileErrors)},
		{"vet", "Passes of go/analysis: misused printf, lost cancels, nil dereferences, impossible assertions.", finders(vetFindings)},
		{"complexity", "How hard are the functions to follow: branches, nesting, length?", finders(tangledFunctions, longFunctions)},
		{"docs", "Does every exported name, and the package, say what a caller can rely on?", finders(missingPackageDoc, missingDocs)},
		{"tests", "What do the tests reach, and do they check anything?", finders(missingTests, unreachedFunctions, idleTests, missingExamples)},
		{"risk", "Calls and state that can hurt: panic, exit, unsafe, exec, globals, insecure settings.", finders(panics, exits, unsafeUses, dynamicCommands, insecureSettings, endlessRequests, sleeps, ownContexts, changedGlobals)},
		{"errors", "Errors dropped, compared by ==, matched by text, or not wrapped.", finders(droppedErrors, comparedErrors, matchedErrors, unwrappedErrors, swallowedPanics, errorPasses)},
		{"concurrency", "Locks copied or held too long, goroutines nobody stops or waits for.", finders(lockPasses, blockedWhileLocked, unreleasedLocks, looseGoroutines, abandonedSends)},
		{"api", "The exported surface: its size, long and boolean parameter lists, stutter, leaked locks.", finders(emptyPackage, wideSurface, longParameters, boolParameters, lateContexts, stutter, exportedLocks, wideInterfaces)},
		{"upkeep", "Dead code, open TODOs, files too long to read.", finders(deadFunctions, openTodos, longFiles)},
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

// All runs every inspector and returns all findings, riskiest first.
func All(p *Package) []Finding {
	var all []Finding
	for _, i := range Inspectors() {
		all = append(all, i.Inspect(p)...)
	}
	slices.SortFunc(all, compareFindings)
	return all
}
