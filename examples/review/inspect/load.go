package inspect

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/go/packages"
)

// mode takes dependencies from export data, which the build cache mostly has:
// 0.3 s for bufio and 0.5 s for net/http with their tests, against 1.1 s and
// 1.7 s when dependencies are type-checked from source. With an empty cache the
// compiler has to run first: 8 s against 2 s for bufio.
const mode = packages.LoadSyntax | packages.NeedForTest | packages.NeedModule

// Options of [Load]. The zero value, like nil, runs no code of the package.
type Options struct {
	// RunTests has go test run the package's tests, for two minutes at most:
	// with the race detector where cgo allows it.
	RunTests bool
	// Progress is told what is being done, in a few words. Nil: nobody is.
	Progress func(doing string)
}

// Load reads and type-checks the one package in dir with its tests, and runs
// the analyzers over it. It needs the go command, but neither network nor
// downloads. A package that does not compile loads with its [Package.Problems];
// any other failure is a [*LoadError].
func Load(ctx context.Context, dir string, o *Options) (*Package, error) {
	if o == nil {
		o = new(Options)
	}
	progress := o.Progress
	if progress == nil {
		progress = func(string) {}
	}
	progress("loading")
	p, err := load(ctx, dir)
	if err != nil {
		return nil, err
	}
	progress("analysing")
	p.analyse(ctx)
	if o.RunTests && p.TestsTyped {
		progress("running tests")
		p.Run = runTests(ctx, p)
	}
	if cause := ctx.Err(); cause != nil {
		return nil, &LoadError{Dir: dir, Err: cause}
	}
	p.noteGaps()
	return p, nil
}

func load(ctx context.Context, dir string) (*Package, error) {
	abs, err := checkDir(dir)
	if err != nil {
		return nil, &LoadError{Dir: dir, Err: err}
	}
	listed, err := packages.Load(config(ctx, abs), ".")
	if cause := ctx.Err(); cause != nil {
		return nil, &LoadError{Dir: dir, Err: cause}
	}
	if err != nil {
		return nil, &LoadError{Dir: dir, Err: listError(err.Error()), Detail: oneLine(err.Error())}
	}
	v := variantsOf(listed)
	if missing, ok := unfetched(v.plain); ok {
		return nil, &LoadError{Dir: dir, Err: ErrNotFetched, Detail: missing}
	}
	p := v.assemble(abs)
	if len(p.Files) == 0 {
		return nil, &LoadError{Dir: dir, Err: v.emptiness(), Detail: v.firstError(abs)}
	}
	return p, nil
}

func listError(message string) error {
	if wantsDownload(message) {
		return ErrNotFetched
	}
	return ErrNotLoaded
}

// The go command's words for a module that it would have had to download.
const (
	offline = "GOPROXY=off"
	unknown = "missing go.sum entry"
)

func wantsDownload(message string) bool {
	return strings.Contains(message, offline) || strings.Contains(message, unknown)
}

func config(ctx context.Context, dir string) *packages.Config {
	return &packages.Config{
		Context: ctx,
		Mode:    mode,
		Dir:     dir,
		Tests:   true,
		// No network, and no driver that could answer differently elsewhere.
		Env: append(os.Environ(), "GOPROXY=off", "GOPACKAGESDRIVER=off"),
	}
}

// checkDir finds the plain mistakes before the go command is asked, whose
// messages for them differ from version to version.
func checkDir(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(abs); err != nil || !info.IsDir() {
		return "", ErrNotDirectory
	}
	if files, err := fs.Glob(os.DirFS(abs), "*.go"); err != nil || len(files) == 0 {
		return "", ErrNoGoFiles
	}
	if !inModule(abs) {
		return "", ErrNoModule
	}
	return abs, nil
}

func inModule(dir string) bool {
	for {
		if info, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil && !info.IsDir() {
			return true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return false
		}
		dir = parent
	}
}

// oneLine keeps what a person needs of a command's complaint.
func oneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}
