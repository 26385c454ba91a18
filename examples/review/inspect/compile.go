package inspect

var doesNotCompile = rule{"does-not-compile", Correctness, High, 1, 0.5}

// compileErrors turns what keeps the package from type-checking into one
// finding: nobody should approve what does not build.
func compileErrors(p *Package) []Finding {
	var places []Place
	for _, problem := range p.Problems {
		places = append(places, Place{Position: problem.Position, Note: problem.Message})
	}
	return doesNotCompile.over(places, len(places), "the package or its tests do not compile: "+count(len(places), "error"))
}
