package inspect

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// variants are the packages the go command makes of one directory: the package
// alone, the package with its own test files, and the tests in package x_test.
type variants struct {
	plain, tested, outside *packages.Package
}

func variantsOf(listed []*packages.Package) variants {
	var v variants
	for _, pkg := range listed {
		switch {
		case pkg.ForTest == "" && !strings.HasSuffix(pkg.ID, ".test"):
			v.plain = pkg
		case pkg.ForTest != "" && strings.HasSuffix(pkg.Name, "_test"):
			v.outside = pkg
		case pkg.ForTest != "":
			v.tested = pkg
		}
	}
	return v
}

func (v variants) all() []*packages.Package {
	return slices.DeleteFunc([]*packages.Package{v.plain, v.tested, v.outside},
		func(pkg *packages.Package) bool { return pkg == nil })
}

// assemble prefers the variant with test files, because it sees the package and
// its tests at once. Tests that do not compile cost only the tests their types.
func (v variants) assemble(dir string) *Package {
	p := &Package{Dir: dir, Problems: v.problems(dir)}
	for _, pkg := range v.all() {
		p.addFiles(pkg)
	}
	if v.plain != nil {
		p.Ignored = v.plain.IgnoredFiles
	}
	switch {
	case sound(v.tested):
		p.main = newUnit(v.tested)
	case sound(v.plain) && len(v.plain.Syntax) > 0:
		p.main = newUnit(v.plain)
	}
	if p.main.typed() && sound(v.outside) {
		p.outside = newUnit(v.outside)
	}
	p.TestsTyped = p.main.typed() && (v.tested == nil || sound(v.tested)) && (v.outside == nil || sound(v.outside))
	p.identify(v)
	p.index()
	return p
}

// unfetched returns the complaint about a dependency of pkg that would have to
// be downloaded.
func unfetched(pkg *packages.Package) (string, bool) {
	message := ""
	if pkg == nil {
		return "", false
	}
	packages.Visit([]*packages.Package{pkg}, nil, func(dep *packages.Package) {
		for _, e := range dep.Errors {
			if message == "" && wantsDownload(e.Msg) {
				message = dep.PkgPath + ": " + oneLine(e.Msg)
			}
		}
	})
	return message, message != ""
}

func sound(pkg *packages.Package) bool {
	return pkg != nil && len(pkg.Errors) == 0 && !pkg.IllTyped && pkg.Types != nil
}

// problems collects the errors of all variants once; the go command repeats
// those of the package for its tests. A directory of tests alone is no problem,
// and tests whose dependencies are not here are not known to be one.
func (v variants) problems(dir string) []Problem {
	var all []Problem
	for _, pkg := range v.all() {
		if _, missing := unfetched(pkg); missing {
			continue
		}
		for _, e := range pkg.Errors {
			if !strings.Contains(e.Msg, "no non-test Go files") && !compilerOutput(e) {
				all = append(all, problem(dir, e))
			}
		}
		all = append(all, brokenImports(pkg)...)
	}
	slices.SortFunc(all, func(a, b Problem) int {
		return cmp.Or(a.Compare(b.Position), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(all)
}

// compilerOutput says whether an error repeats what the compiler printed when
// asked for export data. The type checker says the same with positions.
func compilerOutput(e packages.Error) bool { return strings.HasPrefix(e.Msg, "# ") }

// brokenImports explains why a package without errors of its own does not
// type-check.
func brokenImports(pkg *packages.Package) []Problem {
	var all []Problem
	if !pkg.IllTyped || len(pkg.Errors) > 0 {
		return nil
	}
	packages.Visit([]*packages.Package{pkg}, nil, func(dep *packages.Package) {
		for _, e := range dep.Errors {
			all = append(all, Problem{Message: "import " + dep.PkgPath + ": " + oneLine(e.Msg)})
		}
	})
	return all
}

func problem(dir string, e packages.Error) Problem {
	message := strings.ReplaceAll(oneLine(e.Msg), dir+string(filepath.Separator), "")
	file, rest, _ := strings.Cut(e.Pos, ":")
	line, _, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(line)
	if err != nil {
		return Problem{Message: message}
	}
	return Problem{Position{relative(dir, file), n}, message}
}

// emptiness tells a directory whose files are all left out by build constraints
// from one the go command could not make sense of.
func (v variants) emptiness() error {
	if len(v.all()) == 0 {
		return ErrNotLoaded
	}
	for _, pkg := range v.all() {
		for _, e := range pkg.Errors {
			if !strings.Contains(e.Msg, "build constraints exclude all Go files") {
				return ErrNotLoaded
			}
		}
	}
	return ErrNoGoFiles
}

func (v variants) firstError(dir string) string {
	for _, p := range v.problems(dir) {
		return p.Message
	}
	return ""
}

func relative(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsAbs(file) {
		return filepath.Base(file)
	}
	return filepath.ToSlash(rel)
}
