package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// kept are names that a program may need although no other package of ours does, with the
// reason. A type keeps its members, and a package all of its names.
//
// Errors, interfaces and the values of a type that is named elsewhere need no reason: a
// program tests for them, implements them, or sets an option to them.
var kept = map[string]string{
	// What a program sets, calls or reads, and ours need not.
	"agents/memory.ClaimOf":                   "a program that keeps facts without a pool calls it",
	"agents/memory.Options.Lifetime":          "an option",
	"agents/models.After":                     "scripts of models in tests of programs",
	"agents/models/anthropic.Options.NoCache": "an option",
	"agents/models/limits.Bound":              "what a budget reserves for a request is asked before it is sent",
	"agents/models/limits.Options.MaxPause":   "an option",
	"agents/reports.WatchOptions.Trend":       "an option",
	"agents/thinker.LoadPrompts":              "a program's own prompts",
	"agents/thinker.Prompts":                  "a program's own prompts",
	"agents/tools.PolicyOf":                   "what a rule allows is shown before a team runs",
	"bus.Detect":                              "a rule of conflicts of a program",
	"bus.Options.OnError":                     "an option",
	"bus/bustest":                             "tests of programs",
	"bus/connectivity":                        "the layer of coordination as its specification has it",
	"bus/journal.KindUnwritten":               "the kind of a record",
	"bus/natsbus.Early":                       "a reason in Stats",
	"bus/natsbus.Fence":                       "a reason in Stats",
	"consensus.Ballots.WithReliabilities":     "a strategy of a program that learns of voters",
	"consensus/consensustest":                 "the contract, for strategies of programs",
	"swarm/swarmtest":                         "the laws of decisions, for swarms of programs",
	"otel.FromSpan":                           "the trace of a span of a program",
	"otel.LogHandler":                         "the log of a program",
	"otel/export.Account":                     "what was exported and lost",
	"swarm/mode.Call":                         "a record of a plan",
	"swarm/mode.Choice":                       "a record of a plan",
	"swarm/reporting":                         "conductors of programs",
	"swarm/rooms.Quota":                       "a bound that a user meets",
	"swarm/rooms.QuotaTurns":                  "a bound that a user meets",
	"swarm/rooms.Router.Rotate":               "a key that is known to others has to be replaced",
	"swarm/rooms/events.Fault":                "what is wrong with an event",
	"swarm/rooms/roomlog.Silence":             "what an agent of a program answers",
	"swarm/said.System":                       "one of the kinds of what is said",
	"swarm/said.Vote":                         "one of the kinds of what is said",
	"swarm/settle.Rounds":                     "a bound that a user meets",
	"swarm/teams.Hears":                       "values of a key of the file",
	"swarm/teams.Policies":                    "values of a key of the file",
	"swarm/teams.Says":                        "values of a key of the file",
	"swarm/teams.SchemaID":                    "where editors find the schema of the file",
	"swarm/teams.WriterBy":                    "a writer of a program that has no file",

	// Values of HTTP APIs, whose types a description needs.
	"swarm/console/join.Signal": "the body of a request",
	"swarm/console/join.Turn":   "the body of an answer",
	"swarm/console/api.ByID":    "parameters of requests",
	"swarm/console/api.ByRoom":  "parameters of requests",
	"swarm/console/api.ByRun":   "parameters of requests",
	"swarm/console/api.With":    "parameters of requests",

	"bus/natsbus/machines.SameTerms": "whether a log may go on with these options",
}

// An export is a line of a file in api.
type export struct {
	dir, kind, of, name string // of: the type of a member
	is                  string // the rest, which may mention types
}

var (
	listed = regexp.MustCompile(`^(\S+): (const|var|func|type|field|method|interface) (.*)$`)
	member = regexp.MustCompile(`^\(?\*?([A-Z]\w*)\)?(?:\.| has | )(\w+)(.*)$`)
	word   = regexp.MustCompile(`(?:\b(\w+)\.)?\b([A-Z]\w*)\b`)
)

// exports reads the files in api.
func exports() (all []export, err error) {
	files, err := filepath.Glob("api/*.txt")
	if err != nil {
		return nil, err
	}
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			m := listed.FindStringSubmatch(lines.Text())
			if m == nil {
				return nil, fmt.Errorf("%s has a line of another form: %s", path, lines.Text())
			}
			e := export{dir: m[1], kind: m[2], is: m[3]}
			switch e.kind {
			case "field", "method", "interface":
				if m := member.FindStringSubmatch(e.is); m != nil {
					e.of, e.name, e.is = m[1], m[2], m[3]
				}
			default:
				e.name = regexp.MustCompile(`^\w+`).FindString(e.is)
				e.is = e.is[len(e.name):]
			}
			all = append(all, e)
		}
	}
	return all, nil
}

// uses are the names that files use.
type uses struct {
	names   map[string]map[string]bool // dir.Name: by which packages, or "Example"
	members map[string]map[string]bool // likewise, of any type
	tagged  map[string]bool            // dir.Type.Field that a codec reads
}

func (u *uses) add(to map[string]map[string]bool, name, by string) {
	if to[name] == nil {
		to[name] = map[string]bool{}
	}
	to[name][by] = true
}

// read adds what a file uses.
func (u *uses) read(path string) error {
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	dir := filepath.ToSlash(filepath.Dir(path))
	imports := map[string]string{}
	for _, s := range f.Imports {
		of, _ := strconv.Unquote(s.Path.Value)
		if of == module {
			imports[filepath.Base(module)] = "."
		}
		if of, ours := strings.CutPrefix(of, module+"/"); ours {
			name := of[strings.LastIndexByte(of, '/')+1:]
			if s.Name != nil {
				name = s.Name.Name
			}
			imports[name] = of
		}
	}
	for _, d := range f.Decls {
		by := dir
		if f, ok := d.(*ast.FuncDecl); strings.HasSuffix(path, "example_test.go") || ok && strings.HasSuffix(path, "_test.go") && strings.HasPrefix(f.Name.Name, "Example") {
			by = "Example"
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				u.add(u.members, n.Sel.Name, by)
				if x, ok := n.X.(*ast.Ident); ok && imports[x.Name] != "" {
					u.add(u.names, imports[x.Name]+"."+n.Sel.Name, by)
				}
			case *ast.KeyValueExpr:
				if k, ok := n.Key.(*ast.Ident); ok {
					u.add(u.members, k.Name, by)
				}
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok {
					for _, field := range s.Fields.List {
						for _, name := range field.Names {
							if field.Tag != nil {
								u.tagged[dir+"."+n.Name.Name+"."+name.Name] = true
							}
						}
					}
				}
			}
			return true
		})
	}
	return nil
}

// elsewhere reports whether a name is used by another package, or by an Example.
func elsewhere(by map[string]bool, dir string) bool {
	return len(by) > 1 || len(by) == 1 && !by[dir]
}

// customary are methods that the standard library calls.
var customary = []string{
	"String", "Error", "Unwrap", "Is", "As", "MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalYAML", "UnmarshalYAML", "Format", "LogValue", "ServeHTTP", "GoString",
}

// unused says which exported names no other package and no Example uses, by the files in api.
func unused(root string) (none []string, err error) {
	all, err := exports()
	if err != nil {
		return nil, err
	}
	u := &uses{map[string]map[string]bool{}, map[string]map[string]bool{}, map[string]bool{}}
	err = walk(root, true, func(path string) error {
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		return u.read(path)
	})
	if err != nil {
		return nil, err
	}
	asked, mentioned, enums := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, e := range all {
		if e.kind == "interface" {
			asked[e.name] = true
		}
		if e.kind == "const" {
			if elsewhere(u.names[e.dir+"."+e.name], e.dir) {
				enums[e.dir+"."+enum(e)] = true
			}
			continue
		}
		for _, m := range word.FindAllStringSubmatch(e.is, -1) {
			if m[1] == "" && e.of != m[2] {
				mentioned[e.dir+"."+m[2]] = true
			} else if m[1] != "" {
				mentioned["."+m[1]+"."+m[2]] = true
			}
		}
	}
	named := func(dir, of string) bool { return mentioned[dir+"."+of] || mentioned["."+filepath.Base(dir)+"."+of] }
	asks := map[string]bool{}
	for _, e := range all {
		id, wanted := e.dir+"."+e.name, false
		switch e.kind {
		case "interface":
			continue
		case "field", "method":
			id = e.dir + "." + e.of + "." + e.name
			wanted = elsewhere(u.members[e.name], e.dir) || u.tagged[id] || e.name == "embeds" || e.kind == "method" && (asked[e.name] || slices.Contains(customary, e.name))
		case "type":
			wanted = elsewhere(u.names[id], e.dir) || named(e.dir, e.name) || strings.HasSuffix(e.is, " interface") || strings.HasSuffix(e.name, "Error")
		case "const":
			wanted = elsewhere(u.names[id], e.dir) || enum(e) != "" && (enums[e.dir+"."+enum(e)] || named(e.dir, enum(e)))
		default:
			wanted = elsewhere(u.names[id], e.dir) || strings.HasPrefix(e.name, "Err")
		}
		if wanted {
			continue
		}
		reason := false
		for _, by := range []string{e.dir, e.dir + "." + e.of, id} {
			if kept[by] != "" {
				asks[by], reason = true, true
			}
		}
		if !reason {
			none = append(none, id+" is exported, and no other package and no Example uses it")
		}
	}
	for id := range kept {
		if !asks[id] {
			none = append(none, id+" needs no reason in .ci/house/unused.go")
		}
	}
	slices.Sort(none)
	return slices.Compact(none), nil
}

// enum returns the type of a constant, "" if it has none.
func enum(e export) string {
	of, _, _ := strings.Cut(strings.TrimSpace(e.is), " ")
	if of == "=" {
		return ""
	}
	return of
}

// used prints the names without a user, and reports whether there are none.
func used(root string) (bool, error) {
	none, err := unused(root)
	if err != nil {
		return false, err
	}
	for _, problem := range none {
		fmt.Println("ABOVE", problem)
	}
	return len(none) == 0, nil
}
