// House measures the tree: lines of code and of tests by area, exported names, and how
// the files of a package depend on each other. It fails where a figure is above
// its bound, where a package is in no area or too small to be one, and where tests look at the
// clock of the machine.
//
//	go run ./.ci/house          # the packages' figures, every area and bound
//	go run ./.ci/house ./bus    # the files of one package with what they use
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
)

// A room is what is measured of one package.
type room struct {
	dir     string
	root    bool // of the root module
	code    int  // lines without comments and blank ones
	tests   int
	names   int                        // exported: types and their fields, functions, methods, constants, variables
	uses    map[string]map[string]bool // by file: the other files of the package it depends on
	structs map[string]int             // fields by struct type
	methods map[string]map[string]bool // by type: the files that have methods of it
}

func main() {
	rooms, err := measure(".")
	if err == nil {
		err = raised(reasons)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	if len(os.Args) > 1 {
		for _, dir := range os.Args[1:] {
			show(rooms[filepath.Clean(dir)])
		}
		return
	}
	table(rooms)
	looks, err := glances(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	big, err := bigEnough(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	wanted, err := used(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	kept, timeless := inAreas(rooms), few(looks)
	if !within(rooms) || !kept || !timeless || !big || !wanted {
		os.Exit(1)
	}
}

func measure(root string) (map[string]*room, error) {
	rooms := map[string]*room{}
	var modules []string // below the root's
	err := walk(root, false, func(path string) error {
		dir, name := filepath.Dir(path), filepath.Base(path)
		if name == "go.mod" && dir != "." {
			modules = append(modules, dir+"/...")
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		if rooms[dir] == nil {
			rooms[dir] = &room{dir: dir}
		}
		n, err := lines(path)
		if strings.HasSuffix(name, "_test.go") {
			rooms[dir].tests += n
		} else {
			rooms[dir].code += n
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for dir, r := range rooms {
		r.root = !slices.ContainsFunc(modules, func(m string) bool { return matches(m, dir) })
		if err := r.look(); err != nil {
			return nil, err
		}
	}
	return rooms, nil
}

// lines counts the lines that are neither blank nor only a comment.
func lines(path string) (n int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		if line := strings.TrimSpace(scanner.Text()); line != "" && !strings.HasPrefix(line, "//") {
			n++
		}
	}
	return n, scanner.Err()
}

// anything stands for every imported package: within a package, what its own
// files declare is resolved without knowing the others.
type anything struct{}

func (anything) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, filepath.Base(path))
	p.MarkComplete()
	return p, nil
}

// look counts names and resolves which file uses what another one declares.
func (r *room) look() error {
	fset := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(r.dir, "*.go"))
	if err != nil {
		return err
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files = append(files, f)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: anything{}, Error: func(error) {}} // imports are not resolved, by design
	pkg, _ := config.Check(r.dir, fset, files, info)

	at := func(p token.Pos) string { return filepath.Base(fset.Position(p).Filename) }
	r.uses, r.structs, r.methods = map[string]map[string]bool{}, map[string]int{}, map[string]map[string]bool{}
	for _, f := range files {
		r.uses[at(f.Pos())] = map[string]bool{}
	}
	for id, o := range info.Uses {
		if o.Pkg() != pkg || !o.Pos().IsValid() || !declared(o) {
			continue
		}
		if from, to := at(id.Pos()), at(o.Pos()); from != to {
			r.uses[from][to] = true
		}
	}
	for _, o := range info.Defs {
		if o == nil || !declared(o) {
			continue
		}
		if v, ok := o.(*types.Var); ok && v.IsField() {
			continue
		}
		if o.Exported() && reachable(o) && pkg.Name() != "main" {
			r.names++
		}
		if t := receiver(o); t != nil {
			if r.methods[t.Name()] == nil {
				r.methods[t.Name()] = map[string]bool{}
			}
			r.methods[t.Name()][at(o.Pos())] = true
		}
		if t, ok := o.(*types.TypeName); ok {
			if s, ok := t.Type().Underlying().(*types.Struct); ok {
				r.structs[o.Name()] = s.NumFields()
				if o.Exported() {
					r.names += exported(s)
				}
			}
		}
	}
	return nil
}

// exported counts the exported fields of a struct.
func exported(s *types.Struct) (n int) {
	for f := range s.Fields() {
		if f.Exported() && !f.Embedded() {
			n++
		}
	}
	return n
}

// reachable reports whether o can be named from outside: a method of a type that
// is not exported cannot.
func reachable(o types.Object) bool {
	t := receiver(o)
	f, ok := o.(*types.Func)
	return !ok || f.Signature().Recv() == nil || t != nil && t.Exported()
}

// receiver returns the type of which o is a method; nil: it is none of a type with a name.
func receiver(o types.Object) *types.TypeName {
	f, ok := o.(*types.Func)
	if !ok || f.Signature().Recv() == nil {
		return nil
	}
	t := f.Signature().Recv().Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	if named, ok := t.(*types.Named); ok {
		return named.Obj()
	}
	return nil
}

// declared reports whether o is declared by the package: at its top level, or as a
// method or field.
func declared(o types.Object) bool {
	switch o := o.(type) {
	case *types.Func:
		return true
	case *types.Var:
		return o.IsField() || o.Parent() == o.Pkg().Scope()
	default:
		return o.Pkg() != nil && o.Parent() == o.Pkg().Scope()
	}
}

// most returns the greatest number of other files that a file depends on.
func (r *room) most() (most int) {
	for _, uses := range r.uses {
		most = max(most, len(uses))
	}
	return most
}

// mutual returns the number of pairs of files that depend on each other.
func (r *room) mutual() (n int) {
	for a, uses := range r.uses {
		for b := range uses {
			if a < b && r.uses[b][a] {
				n++
			}
		}
	}
	return n
}

// spread returns the greatest number of files that have methods of one type.
func (r *room) spread() (most int) {
	for _, files := range r.methods {
		most = max(most, len(files))
	}
	return most
}

func (r *room) widest() (name string, fields int) {
	for _, s := range slices.Sorted(maps.Keys(r.structs)) {
		if r.structs[s] > fields {
			name, fields = s, r.structs[s]
		}
	}
	return name, fields
}

func table(rooms map[string]*room) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "code\ttests\tnames\tfiles\tmost others\tmutual\twidest struct\tpackage\t")
	for _, dir := range slices.Sorted(maps.Keys(rooms)) {
		r := rooms[dir]
		name, fields := r.widest()
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%d\t%d\t%s %d\t%s\t\n", r.code, r.tests, r.names, len(r.uses), r.most(), r.mutual(), name, fields, dir)
	}
	w.Flush()
}

func show(r *room) {
	if r == nil {
		fmt.Fprintln(os.Stderr, "no such package")
		os.Exit(1)
	}
	for _, file := range slices.Sorted(maps.Keys(r.uses)) {
		fmt.Printf("%-20s %2d  %s\n", file, len(r.uses[file]), strings.Join(slices.Sorted(maps.Keys(r.uses[file])), " "))
	}
}
