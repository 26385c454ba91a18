package inspect

// compileErrors turns what keeps the package from type-checking into one
// finding: nobody should approve what does not build.
func compileErrors(p *Package) []Finding {
	var places []Place
	for _, problem := range p.Problems {
		places = append(places, Place{Position: problem.Position, Note: problem.Message})
	}
	return rule{"does-not-compile", Defect}.at(places, count(len(places), "error")+" of the compiler")
}
