package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/swarmbus/swarmbus/internal/timetest"
)

// hang is the least time that a test may wait outside a bubble of testing/synctest:
// a bound against hanging, which no load of a machine reaches.
const hang = time.Minute

// few lists the places that look at the clock, and reports whether there are none, and
// something at each that is exempt.
func few(all []glance) bool {
	ok, used := true, 0
	for _, e := range exempt {
		for _, place := range e.places {
			n := len(all)
			all = slices.DeleteFunc(all, func(g glance) bool { return g.place() == place })
			used += n - len(all)
			if n == len(all) {
				ok = false
				fmt.Printf("%s is exempt from looking at the clock, and does not\n", place)
			}
		}
	}
	verdict := "ok"
	if len(all) > 0 {
		verdict, ok = "ABOVE", false
		for _, g := range all {
			fmt.Printf("%s: %s: %s\n", g.at, g.in, g.why)
		}
	}
	fmt.Printf("%-5s %5d of     0  places in tests that look at the clock of the machine; %d more for a reason\n", verdict, len(all), used)
	return ok
}

// exempt are the places that look at the clock of the machine for a reason: by file
// and function, or the type that has the method.
var exempt = []struct {
	why    string
	places []string
}{
	{"a pause between two looks at what another process does without a word about it", []string{
		"internal/timetest/timetest.go Until", "bus/natsbus/natstest/log_test.go pause", "bus/natsbus/natstest/servers.go Server", "bus/natsbus/natstest/server_lost_test.go leader",
	}},
	{"for benchmarks, or behind a flag that asks for figures", []string{
		"internal/timetest/timetest.go Took",
		"bus/natsbus/natstest/figures_test.go rawRate", "bus/natsbus/natstest/figures_test.go publishMany", "bus/natsbus/natstest/figures_test.go publishPaced",
		"bus/natsbus/natstest/figures_test.go handlePaced", "bus/natsbus/natstest/regions_test.go costOf", "bus/natsbus/natstest/sending_test.go TestFiguresOfSingleSignals", "cmd/swarmbus/soak_test.go TestASoakedServerStaysFlat",
	}},
	{"a deadline has to come to pass, or something must not have happened until then: slowness changes nothing", []string{
		"agents/models/modelstest/contract.go ends",
		"bus/natsbus/natstest/access_test.go TestProcessesAndServersKnowEachOtherByCertificates", "bus/natsbus/natstest/access_test.go TestServersLetAnAgentSpeakForItselfOnly",
		"bus/natsbus/natstest/fence_test.go within", "bus/natsbus/natstest/log_test.go TestLayerFoldsWhatItsCallersLeftDuringAnOutage",
		"bus/natsbus/natstest/lost_test.go TestProcessConnectsAgainAfterRefusedLogins", "bus/natsbus/natstest/serve_drives_test.go TestCommandFollowsASolveThatGoesOnToItsNewEnd",
		"bus/natsbus/natstest/silent_test.go TestProcessesOfOneNameAreNamedAndCompared", "bus/natsbus/natstest/trust_test.go TestDriverThatLostItsLeaseCommitsNothing",
	}},
	{"faults of real servers and links, and leases, last for a time", []string{
		"bus/natsbus/natstest/faults_test.go stage", "bus/natsbus/natstest/stall_test.go cluster", "bus/natsbus/natstest/proxy.go Proxy", "bus/natsbus/natstest/proxy.go deliver",
		"bus/natsbus/natstest/server_lost_test.go TestReadersGoOnWhileAServerStandsStill", "bus/natsbus/natstest/worker_test.go publish",
		"bus/natsbus/natstest/drive_test.go TestNextDriverGoesOnWithoutRepeatingARecordedCall", "bus/natsbus/natstest/drive_test.go TestDriverReportsAgentsWithoutAProcess",
		"bus/natsbus/natstest/lease_test.go TestLeaseOutlivesALostReplyAndEndsWhenAnotherHasItsKey", "bus/natsbus/natstest/silent_test.go TestProcessThatWaitsForALeaseLearnsItsHolder",
	}},
	{"a claim that nobody answers is given up after 5 s: an alarm comes before that", []string{
		"bus/natsbus/natstest/claims_test.go TestForgedClaimsRaiseNoAlarmWithKeysAndHoldNothingUp",
	}},
	{"its times are compared in bubbles only", []string{"agents/models/limits/limits_test.go calls"}},
	{"another process is killed at any moment", []string{
		"cmd/swarmbus/roomskilled_test.go grown", "cmd/swarmbus/triage_test.go place", "swarm/journal_test.go solveUntilKilled",
	}},
	{"a server goes on and on, and not as fast as it can", []string{
		"cmd/swarmbus/endless_test.go TestAnA2AAgentThatStreamsForEverIsNamedAndTheOthersDecide",
	}},
}

// A glance is a place in a test that looks at the clock of the machine.
type glance struct {
	at  token.Position
	in  string // the function, or the type or variable, declared there
	why string
}

func (g glance) place() string { return g.at.Filename + " " + g.in }

// glances returns the places in the tests below root that depend on how fast the
// machine is: they sleep, measure or compare times, or wait for less than a minute.
// Bubbles of testing/synctest and benchmarks may do so, and what only they use.
func glances(root string) ([]glance, error) {
	dirs := map[string]bool{}
	err := walk(root, false, func(path string) error {
		if ofTests(path) {
			dirs[filepath.Dir(path)] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	var all []glance
	for dir := range dirs {
		found, err := look(dir)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortFunc(all, func(a, b glance) int {
		return cmp.Or(cmp.Compare(a.at.Filename, b.at.Filename), a.at.Offset-b.at.Offset)
	})
	return slices.CompactFunc(all, func(a, b glance) bool { return a.at == b.at }), nil
}

// ofTests reports whether only tests use what is in the file: bustest is a package for tests.
func ofTests(path string) bool {
	return strings.HasSuffix(path, "_test.go") ||
		strings.HasSuffix(path, ".go") && strings.HasSuffix(filepath.Base(filepath.Dir(path)), "test")
}

// look returns the glances in the tests of one directory.
func look(dir string) ([]glance, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	packages := map[string][]*ast.File{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, path, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		packages[f.Name.Name] = append(packages[f.Name.Name], f)
	}
	var all []glance
	for _, files := range packages {
		all = append(all, newTests(fset, dir, files).glances()...)
	}
	return all, nil
}

// testFiles are the files of one package: with what each declares, and where that is used.
type testFiles struct {
	fset    *token.FileSet
	info    *types.Info
	files   []*ast.File
	bubbles []ast.Node              // what runs in a bubble, as it stands in the text
	uses    map[types.Object][]*use // of what is declared at the top level
	makers  map[types.Object]bool   // functions that run what they are given in a bubble
	inside  map[types.Object]bool   // declared here and used in bubbles or benchmarks only
	read    map[types.Object]bool   // variables that were read from the clock
}

type use struct {
	id *ast.Ident
	by types.Object // in whose declaration; nil: in none
}

func newTests(fset *token.FileSet, dir string, files []*ast.File) *testFiles {
	t := &testFiles{
		fset: fset, files: files,
		info: &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{}, Types: map[ast.Expr]types.TypeAndValue{},
		},
		uses: map[types.Object][]*use{}, makers: map[types.Object]bool{}, inside: map[types.Object]bool{}, read: map[types.Object]bool{},
	}
	config := types.Config{Importer: withTime{}, Error: func(error) {}} // other imports are not resolved, by design
	_, _ = config.Check(dir, fset, files, t.info)
	t.index()
	t.findBubbles()
	t.findInside()
	return t
}

// withTime knows of all imported packages only the units of time, and the bound of package timetest.
type withTime struct{}

func (withTime) Import(path string) (*types.Package, error) {
	p, _ := anything{}.Import(path)
	if path == "time" || strings.HasSuffix(path, "/timetest") {
		duration := types.NewNamed(types.NewTypeName(0, p, "Duration", nil), types.Typ[types.Int64], nil)
		p.Scope().Insert(duration.Obj())
		for name, d := range map[string]time.Duration{
			"Nanosecond": 1, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
			"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour, "Hang": timetest.Hang,
		} {
			p.Scope().Insert(types.NewConst(0, p, name, duration, constant.MakeInt64(int64(d))))
		}
	}
	return p, nil
}

// declarations calls f with every declaration at the top level: a method counts as its type's.
func (t *testFiles) declarations(f func(o types.Object, node ast.Node)) {
	for _, file := range t.files {
		for _, d := range file.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				o := t.info.Defs[d.Name]
				if r := receiver(o); r != nil {
					o = r
				}
				f(o, d)
			case *ast.GenDecl:
				for _, s := range d.Specs {
					switch s := s.(type) {
					case *ast.TypeSpec:
						f(t.info.Defs[s.Name], s)
					case *ast.ValueSpec:
						f(t.info.Defs[s.Names[0]], s)
					}
				}
			}
		}
	}
}

func (t *testFiles) index() {
	t.declarations(func(o types.Object, node ast.Node) {
		ast.Inspect(node, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.Ident:
				if used := t.info.Uses[n]; used != nil && used != o {
					t.uses[used] = append(t.uses[used], &use{id: n, by: o})
				}
			case *ast.AssignStmt:
				for i, l := range n.Lhs {
					if id, ok := l.(*ast.Ident); ok && len(n.Lhs) == len(n.Rhs) && t.clock(n.Rhs[i]) {
						t.read[t.info.Defs[id]] = true
					}
				}
			}
			return true
		})
	})
}

// imported returns the name that call's function has in the package of that path; "": it is none of it.
func (t *testFiles) imported(call *ast.CallExpr, path string) string {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		if id, ok := s.X.(*ast.Ident); ok {
			if p, ok := t.info.Uses[id].(*types.PkgName); ok && p.Imported().Path() == path {
				return s.Sel.Name
			}
		}
	}
	return ""
}

// findBubbles finds what synctest.Test is given, and what is given to functions that pass it on.
func (t *testFiles) findBubbles() {
	for before := -1; before != len(t.bubbles)+len(t.makers); {
		before = len(t.bubbles) + len(t.makers)
		t.bubbles = nil
		for _, file := range t.files {
			for _, d := range file.Decls {
				t.bubblesIn(d)
			}
		}
		for _, file := range t.files {
			for _, d := range file.Decls {
				t.tablesIn(d)
			}
		}
	}
}

func (t *testFiles) bubblesIn(d ast.Decl) {
	f, _ := d.(*ast.FuncDecl)
	params := map[types.Object]bool{}
	if f != nil {
		for _, field := range f.Type.Params.List {
			for _, name := range field.Names {
				if _, ok := field.Type.(*ast.FuncType); ok {
					params[t.info.Defs[name]] = true
				}
			}
		}
	}
	ast.Inspect(d, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || !t.makes(call) {
			return true
		}
		for _, arg := range call.Args {
			if _, ok := arg.(*ast.FuncLit); ok {
				t.bubbles = append(t.bubbles, arg)
			}
			ast.Inspect(arg, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && f != nil && params[t.info.Uses[id]] {
					t.makers[t.info.Defs[f.Name]] = true
				}
				return true
			})
			if id, ok := arg.(*ast.Ident); ok {
				t.bubbles = append(t.bubbles, id)
				t.assigned(d, t.info.Uses[id])
			}
		}
		return true
	})
}

// makes reports whether call runs what it is given in a bubble.
func (t *testFiles) makes(call *ast.CallExpr) bool {
	if t.imported(call, "testing/synctest") == "Test" || t.imported(call, "pgregory.net/rapid") == "SyncTest" {
		return true
	}
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return t.makers[t.info.Uses[f]]
	case *ast.SelectorExpr:
		return t.makers[t.info.Uses[f.Sel]]
	}
	return false
}

// assigned adds the function that the local variable o stands for.
func (t *testFiles) assigned(in ast.Node, o types.Object) {
	ast.Inspect(in, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Lhs) == len(a.Rhs) {
			for i, l := range a.Lhs {
				if id, ok := l.(*ast.Ident); ok && o != nil && t.info.Defs[id] == o {
					t.bubbles = append(t.bubbles, a.Rhs[i])
				}
			}
		}
		return true
	})
}

// tablesIn adds tables whose cases are used in bubbles only, but for their names.
func (t *testFiles) tablesIn(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		r, ok := n.(*ast.RangeStmt)
		if !ok {
			return true
		}
		v, _ := r.Value.(*ast.Ident)
		if v == nil || t.info.Defs[v] == nil {
			return true
		}
		c := t.info.Defs[v]
		inside, outside := 0, 0
		ast.Inspect(r.Body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && t.root(call.Fun) == c && !t.inBubble(call) {
				outside++
			}
			if id, ok := n.(*ast.Ident); ok && t.info.Uses[id] == c && t.inBubble(id) {
				inside++
			}
			return true
		})
		if inside > 0 && outside == 0 {
			t.bubbles = append(t.bubbles, r.X)
			if id, ok := r.X.(*ast.Ident); ok {
				t.assigned(d, t.info.Uses[id])
			}
		}
		return true
	})
}

// root returns what e is, or is a field of.
func (t *testFiles) root(e ast.Expr) types.Object {
	if s, ok := e.(*ast.SelectorExpr); ok {
		e = s.X
	}
	id, _ := e.(*ast.Ident)
	return t.info.Uses[id]
}

func (t *testFiles) inBubble(n ast.Node) bool {
	return slices.ContainsFunc(t.bubbles, func(b ast.Node) bool { return b.Pos() <= n.Pos() && n.End() <= b.End() })
}

// findInside finds what is declared for bubbles and benchmarks only.
func (t *testFiles) findInside() {
	t.declarations(func(o types.Object, _ ast.Node) {
		if o != nil && strings.HasPrefix(o.Name(), "Benchmark") {
			t.inside[o] = true
		}
	})
	for before := -1; before != len(t.inside); {
		before = len(t.inside)
		for o, uses := range t.uses {
			if !slices.ContainsFunc(uses, func(u *use) bool { return !t.inside[u.by] && !t.inBubble(u.id) }) {
				t.inside[o] = true
			}
		}
	}
}

func (t *testFiles) glances() (all []glance) {
	t.declarations(func(o types.Object, node ast.Node) {
		at := t.fset.Position(node.Pos())
		if o == nil || t.inside[o] || !ofTests(at.Filename) {
			return
		}
		ast.Inspect(node, func(n ast.Node) bool {
			if n == nil || t.inBubble(n) {
				return false
			}
			if why := t.looks(n); why != "" {
				all = append(all, glance{at: t.fset.Position(n.Pos()), in: o.Name(), why: why})
			}
			return true
		})
	})
	return all
}

// looks says how n looks at the clock of the machine; "": it does not.
func (t *testFiles) looks(n ast.Node) string {
	switch n := n.(type) {
	case *ast.CallExpr:
		switch name := t.imported(n, "time"); name {
		case "Sleep", "Tick", "NewTicker":
			return "time." + name + " waits for the clock, not for what happens"
		case "Since", "Until":
			return "time." + name + " measures the machine"
		case "After", "NewTimer", "AfterFunc":
			return t.short("time."+name, n.Args[0])
		}
		switch name := t.imported(n, "context"); name {
		case "WithTimeout", "WithTimeoutCause":
			return t.short("context."+name, n.Args[1])
		case "WithDeadline", "WithDeadlineCause":
			return t.deadline("context."+name, n.Args[1])
		}
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Sub", "Before", "After", "Compare"}, s.Sel.Name) && t.now(n) {
			return s.Sel.Name + " compares times of the machine"
		}
	case *ast.KeyValueExpr:
		if id, ok := n.Key.(*ast.Ident); ok && id.Name == "WaitDelay" {
			return t.short("WaitDelay", n.Value)
		}
	}
	return ""
}

// now reports whether call compares with the time that it is, or was.
func (t *testFiles) now(call *ast.CallExpr) bool {
	return t.clock(call.Fun.(*ast.SelectorExpr).X) || slices.ContainsFunc(call.Args, t.clock)
}

// clock reports whether e is time.Now(), or a local variable that was.
func (t *testFiles) clock(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.CallExpr:
		return t.imported(e, "time") == "Now"
	case *ast.Ident:
		return t.read[t.info.Uses[e]]
	}
	return false
}

// short says that a wait ends before a minute is over, or may.
func (t *testFiles) short(what string, e ast.Expr) string {
	v := t.info.Types[e].Value
	if v == nil {
		return what + " waits for a time that is not a constant"
	}
	ns, err := strconv.ParseInt(v.ExactString(), 10, 64)
	if d := time.Duration(ns); err != nil || d < hang {
		return fmt.Sprintf("%s waits %v, under %v", what, d, hang)
	}
	return ""
}

// deadline is short of time.Now().Add(e).
func (t *testFiles) deadline(what string, e ast.Expr) string {
	if c, ok := e.(*ast.CallExpr); ok && len(c.Args) == 1 {
		return t.short(what, c.Args[0])
	}
	return ""
}
