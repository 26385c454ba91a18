package inspect

// considerations are the points inspectors can make about each other's
// findings. Strengths below 1 leave the finding something: a tested function of
// 200 lines is still long.
func considerations() []consideration {
	return []consideration{
		{"tests", "tested", Eases, 0.5, []string{"tangled-function", "long-function", "changed-global", "nilness"}, (*Package).answerTested},
		{"tests", "untested", Worsens, 0.5, []string{"tangled-function", "panic", "dropped-error", "blocked-while-locked", "lost-unlock"}, (*Package).answerUntested},
		{"tests", "only-in-tests", Eases, 0.5, testableRules(), (*Package).answerOnlyInTests},
		{"docs", "documented", Eases, 0.8, []string{"panic", "exit", "own-context", "sleep", "bool-parameters"}, (*Package).answerDocumented},
		{"docs", "explained", Eases, 0.5, []string{"dropped-error", "swallowed-panic", "compared-error", "unsafe", "blocked-while-locked", "loose-goroutine", "changed-global", "insecure-setting"}, (*Package).answerExplained},
		{"api", "not-for-importers", Eases, 0.6, []string{"no-doc", "no-package-doc", "no-example"}, (*Package).answerNotForImporters},
		{"upkeep", "not-for-importers", Eases, 0.6, []string{"stutter", "wide-surface", "bool-parameters", "long-parameters"}, (*Package).answerNotForImporters},
		{"api", "exported", Worsens, 0.3, []string{"tangled-function", "changed-global"}, (*Package).answerExported},
		{"api", "set-by-interface", Eases, 0.7, []string{"no-doc"}, (*Package).answerSetByInterface},
		{"docs", "set-by-interface", Eases, 0.7, []string{"bool-parameters", "long-parameters", "late-context"}, (*Package).answerSetByInterface},
		{"upkeep", "flat", Eases, 0.7, []string{"long-function"}, (*Package).answerFlat},
		{"complexity", "trivial", Eases, 0.6, []string{"untested"}, (*Package).answerTrivial},
		{"complexity", "intricate", Worsens, 0.5, []string{"untested", "no-doc"}, (*Package).answerIntricate},
		{"api", "guards-misuse", Eases, 0.6, []string{"panic"}, (*Package).answerGuarded},
		{"api", "own-sentinel", Eases, 0.7, []string{"compared-error"}, (*Package).answerOwnSentinel},
		{"errors", "could-return", Worsens, 0.5, []string{"panic", "exit"}, (*Package).answerCouldReturn},
		{"concurrency", "under-lock", Eases, 0.6, []string{"changed-global"}, (*Package).answerUnderLock},
		{"concurrency", "concurrent", Worsens, 0.5, []string{"changed-global"}, (*Package).answerConcurrent},
		{"upkeep", "generated", Eases, 0.9, generatedRules(), (*Package).answerGenerated},
		{"api", "in-program", Eases, 0.7, []string{"exit", "changed-global", "sleep"}, (*Package).answerInProgram},
	}
}

// testableRules are those whose places may lie in test files.
func testableRules() []string {
	var rules []string
	for _, list := range [][]check{vetChecks, lockChecks, errorChecks} {
		for _, c := range list {
			rules = append(rules, c.Name)
		}
	}
	return rules
}

// generatedRules are about what a person would have written otherwise; bugs are
// bugs whoever wrote them.
func generatedRules() []string {
	return []string{
		"tangled-function", "long-function", "no-doc", "untested",
		"stutter", "bool-parameters", "long-parameters", "panic", "unsafe", "dropped-error", "compared-error",
	}
}
