package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mode takes dependencies from export data, which the build cache mostly has:
// 0.3 s for bufio and 0.5 s for net/http with their tests, against 1.1 s and
// 1.7 s when dependencies are type-checked from source.
const mode = packages.LoadSyntax | packages.NeedForTest | packages.NeedModule

// Why a directory cannot be reviewed: [Load] wraps one of them, with the directory
// and what the go command had to say. Test with errors.Is.
var (
	ErrNotDirectory = errors.New("not a directory")
	ErrNoGoFiles    = errors.New("no Go files that this platform builds")
	ErrNotLoaded    = errors.New("the go command could not list the package")
)

// Load reads and type-checks the one package in dir with its tests, and runs
// the analyzers over it. It needs the go command, but neither network nor
// downloads. A package that does not compile loads with its [Package.Problems];
// any other failure is one of the errors above. Code of the package runs only if runTests has
// go test run its tests, for two minutes at most. Tools look, too.
func Load(ctx context.Context, dir string, runTests bool, tools ...Tool) (*Package, error) {
	p, err := load(ctx, dir)
	if err == nil {
		err = p.analyse()
	}
	if err == nil {
		for _, t := range tools {
			p.consult(ctx, t)
		}
	}
	if err == nil && runTests && p.TestsTyped {
		p.Run = p.test(ctx)
	}
	if err = cmp.Or(ctx.Err(), err); err != nil {
		return nil, fmt.Errorf("inspect: %s: %w", dir, err)
	}
	p.noteGaps()
	return p, nil
}

func load(ctx context.Context, dir string) (*Package, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return nil, ErrNotDirectory
	}
	if files, err := fs.Glob(os.DirFS(abs), "*.go"); err != nil || len(files) == 0 {
		return nil, ErrNoGoFiles
	}
	listed, err := packages.Load(&packages.Config{
		Context: ctx, Mode: mode, Dir: abs, Tests: true,
		// No network, and no driver that could answer differently elsewhere.
		Env: append(os.Environ(), "GOPROXY=off", "GOPACKAGESDRIVER=off"),
	}, ".")
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrNotLoaded, oneLine(err.Error()))
	}
	p := newPackage(abs, listed)
	switch {
	case strings.Contains(p.complaint, "build constraints exclude all Go files"):
		return nil, ErrNoGoFiles
	case p.complaint != "" || len(p.Files) == 0:
		return nil, fmt.Errorf("%w: %s", ErrNotLoaded, p.complaint)
	}
	return p, nil
}

// problems collects the errors of all variants once; the go command repeats
// those of the package for its tests. A directory of tests alone is no problem,
// and tests whose dependencies are not here are not known to be one.
func problems(dir string, variants []*packages.Package) []Place {
	var all []Place
	for _, pkg := range variants {
		if missing(pkg) != "" {
			continue
		}
		if pkg.IllTyped && len(pkg.Errors) == 0 {
			all = append(all, Place{Note: "a package that " + pkg.PkgPath + " imports does not type-check"})
		}
		for _, e := range pkg.Errors {
			// What the compiler printed, the type checker says with positions.
			if !strings.Contains(e.Msg, "no non-test Go files") && !strings.HasPrefix(e.Msg, "# ") {
				all = append(all, problem(dir, e))
			}
		}
	}
	slices.SortFunc(all, Place.compare)
	return slices.Compact(all)
}

// missing returns the complaint about a dependency of pkg that would have to be
// downloaded.
func missing(pkg *packages.Package) (message string) {
	packages.Visit([]*packages.Package{pkg}, nil, func(dep *packages.Package) {
		for _, e := range dep.Errors {
			if strings.Contains(e.Msg, "GOPROXY=off") || strings.Contains(e.Msg, "missing go.sum entry") {
				message = dep.PkgPath + ": " + oneLine(e.Msg)
			}
		}
	})
	return message
}

func problem(dir string, e packages.Error) Place {
	at := Place{Note: strings.ReplaceAll(oneLine(e.Msg), dir+string(filepath.Separator), "")}
	file, line, _ := strings.Cut(e.Pos, ":")
	if _, err := fmt.Sscan(strings.ReplaceAll(line, ":", " "), &at.Line); err == nil {
		at.File = relative(dir, file)
	}
	return at
}

func relative(dir, file string) string {
	rel, err := filepath.Rel(dir, file)
	if err != nil || !filepath.IsAbs(file) {
		return filepath.Base(file)
	}
	return filepath.ToSlash(rel)
}

// oneLine keeps what a person needs of a command's complaint.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
