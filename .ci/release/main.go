// Release gives all modules of the workspace that programs import or people install one version.
//
//	go run . -check     # builds each as its users will get it
//	go run . v0.1.0     # makes a commit and its tags; what to push is printed
//
// In a checkout each of these modules takes the others from the directories beside it, which
// go.mod says by replace. A module with replace cannot be installed by its version, so the
// commit of a release, which is on no branch, has the versions instead.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
	"golang.org/x/mod/zip"
)

const root = "github.com/swarmbus/swarmbus"

// A released module is in a directory of the checkout, and has a package that a check imports
// or, for commands, installs.
type released struct{ dir, pkg string }

var all = []released{
	{"", "swarm"},
	{"agents/memory/postgres", ""},
	{"agents/memory/sqlite", ""},
	{"agents/tools/mcp", ""},
	{"bus/natsbus", "machines"},
	{"otel/export", ""},
	{"swarm/console", "server"},
	{"examples", "hello"},
	{"cmd/swarmbus", ""},
}

func (r released) path() string { return path.Join(root, r.dir) }

// isCommand reports whether what the check takes is a program.
func (r released) isCommand() bool { return r.dir == "examples" || r.dir == "cmd/swarmbus" }

func main() {
	check := flag.Bool("check", false, "build the modules as their users will get them")
	flag.Parse()
	if err := run(*check, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(check bool, args []string) error {
	version := "v0.0.0-check"
	switch {
	case !check && (len(args) != 1 || semver.Canonical(args[0]) != args[0]):
		return fmt.Errorf("%q: want a version such as v0.1.0, or -check", args)
	case !check:
		version = args[0]
	}
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir) //nolint:errcheck // it is temporary
	clone := filepath.Join(dir, "clone")
	if err := do(".", "git", "clone", "--quiet", "../..", clone); err != nil {
		return err
	}
	for _, m := range all {
		if err := m.require(clone, version); err != nil {
			return err
		}
	}
	if !check {
		return tag(clone, version)
	}
	return build(dir, clone, version)
}

// require has the go.mod of a module name the version of the others.
func (r released) require(clone, version string) error {
	file := filepath.Join(clone, r.dir, "go.mod")
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	f, err := modfile.Parse(file, text, nil)
	if err != nil {
		return err
	}
	var problems []error
	for _, other := range all {
		if slices.ContainsFunc(f.Require, func(r *modfile.Require) bool { return r.Mod.Path == other.path() }) {
			problems = append(problems, f.AddRequire(other.path(), version))
		}
		problems = append(problems, f.DropReplace(other.path(), ""))
	}
	f.Cleanup()
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if len(f.Replace) > 0 {
		return fmt.Errorf("%s replaces %s, which users cannot get", file, f.Replace[0].Old.Path)
	}
	if text, err = f.Format(); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// tag makes a commit of the clone, with the tags of all modules, known in the checkout.
func tag(clone, version string) error {
	if err := do(clone, "git", "checkout", "--quiet", "--detach"); err != nil {
		return err
	}
	if err := do(clone, "git", "commit", "--quiet", "--all", "-m", "release: "+version); err != nil {
		return err
	}
	push := []string{"git", "push", "origin"}
	for _, m := range all {
		name := path.Join(m.dir, version)
		if err := do(clone, "git", "tag", name); err != nil {
			return err
		}
		push = append(push, name)
	}
	if err := do("../..", "git", "fetch", "--quiet", "--tags", clone); err != nil {
		return err
	}
	fmt.Println(strings.Join(push, " "))
	return nil
}

// build makes a proxy with the modules and builds from it what users do.
func build(dir, clone, version string) error {
	proxy := filepath.Join(dir, "proxy")
	for _, m := range all {
		if err := m.serve(clone, proxy, version); err != nil {
			return fmt.Errorf("%s: %w", m.path(), err)
		}
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		return err
	}
	here, elsewhere, _ := strings.Cut(strings.TrimSpace(string(cache)), "\n")
	env := append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod -modcacherw", "GONOSUMDB="+root, "GOMODCACHE="+filepath.Join(dir, "modules"), "GOBIN="+filepath.Join(dir, "bin"),
		"GOPROXY=file://"+proxy+",file://"+here+"/cache/download,"+elsewhere)
	for _, m := range all {
		err := m.use(filepath.Join(dir, "user", m.dir), version, env)
		if err != nil {
			return fmt.Errorf("a user of %s: %w", m.path(), err)
		}
	}
	return nil
}

// serve writes a module as a proxy has it.
func (r released) serve(clone, proxy, version string) error {
	dir := filepath.Join(proxy, r.path(), "@v")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(clone, r.dir, "go.mod"))
	if err != nil {
		return err
	}
	info, err := json.Marshal(map[string]any{"Version": version, "Time": time.Unix(0, 0).UTC()})
	if err != nil {
		return err
	}
	var files bytes.Buffer
	if err := zip.CreateFromDir(&files, module.Version{Path: r.path(), Version: version}, filepath.Join(clone, r.dir)); err != nil {
		return err
	}
	for name, text := range map[string][]byte{"list": []byte(version + "\n"), version + ".info": info, version + ".mod": mod, version + ".zip": files.Bytes()} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			return err
		}
	}
	fmt.Printf("%8d kB  %s\n", files.Len()>>10, r.path())
	return nil
}

// use does what a user of a module does: a program imports it and is built, or it is installed.
func (r released) use(dir, version string, env []string) error {
	run := func(args ...string) error {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = dir, env
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	pkg := path.Join(r.path(), r.pkg)
	if r.isCommand() {
		return run("install", pkg+"@"+version)
	}
	for name, text := range map[string]string{
		"go.mod":  "module example.com/user\n\ngo 1.26.0\n\nrequire " + r.path() + " " + version + "\n",
		"main.go": "package main\n\nimport _ \"" + pkg + "\"\n\nfunc main() {}\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), fs.FileMode(0o600)); err != nil {
			return err
		}
	}
	if err := errors.Join(run("mod", "tidy"), run("build", "-o", os.DevNull, ".")); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil {
		return err
	}
	fmt.Printf("%3d lines of go.sum for a user of %s\n", bytes.Count(sums, []byte("\n")), pkg)
	return nil
}

func do(dir, name string, args ...string) error {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stdout, os.Stderr
	return cmd.Run()
}
