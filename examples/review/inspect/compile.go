package inspect

// compileErrors turns what keeps the package from type-checking into one
// finding: nobody should approve what does not build.
func compileErrors(p *Package) []Finding {
	return rule{"does-not-compile", Defect}.at(p.Problems, count(len(p.Problems), "error")+" of the compiler")
}
