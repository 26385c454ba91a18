package inspect_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// planted is what each fixture was written to contain, as rule@place of the
// first place.
var planted = map[string][]string{
	"clean":     nil,
	"lookalike": nil,
	"messy": {
		"bool-parameters@messy.go:15", "dead-code@messy.go:40", "exported-lock@messy.go:11", "late-context@messy.go:22",
		"long-function@name.go:4", "long-parameters@messy.go:19", "no-doc@messy.go:10", "no-example@package",
		"no-package-doc@messy.go:1", "open-todo@messy.go:8", "stutter@messy.go:10", "tangled-function@messy.go:42",
		"untested@messy.go:15", "wide-interface@messy.go:24",
	},
	"untested":      {"idle-test@untested_test.go:16", "no-example@package", "untested@untested.go:13", "unusedresult@untested_test.go:18"},
	"untested/none": {"no-example@package", "no-tests@package"},
	"risky": {
		"changed-global@risky.go:24", "dynamic-command@risky.go:61", "exit@risky.go:36", "insecure-setting@risky.go:68",
		"no-example@package", "no-timeout@risky.go:76", "own-context@risky.go:84", "panic@risky.go:44", "sleep@risky.go:79",
		"unsafe@risky.go:14", "untested@risky.go:24",
	},
	"sloppy": {
		"compared-error@sloppy.go:31", "dropped-error@sloppy.go:18", "errorsas@sloppy.go:51", "matched-error@sloppy.go:36",
		"no-example@package", "no-tests@package", "swallowed-panic@sloppy.go:44", "unwrapped-error@sloppy.go:40",
	},
	"racy": {
		"abandoned-send@racy.go:49", "blocked-while-locked@racy.go:25", "copylocks@racy.go:18", "loose-goroutine@racy.go:37",
		"lost-unlock@racy.go:31", "no-example@package", "no-tests@package", "waitgroup@racy.go:62",
	},
	"vetted": {
		"lostcancel@vetted.go:16", "nilness@vetted.go:26", "no-example@package", "printf@vetted.go:10",
		"untested@vetted.go:15", "unusedresult@vetted.go:32",
	},
	"broken":          {"does-not-compile@broken.go:5", "no-doc@broken.go:7", "no-example@package"},
	"empty":           {"empty-package@package"},
	"generated":       {"dead-code@generated.go:14", "no-doc@doc.go:4", "open-todo@generated.go:15", "panic@generated.go:7", "stutter@generated.go:5"},
	"onlytests":       {"empty-package@package"},
	"program":         {"exit@main.go:16", "no-tests@package"},
	"internal/helper": {"bool-parameters@helper.go:22", "no-doc@helper.go:13"},
}

func TestInspectorsFindWhatIsPlantedAndNothingElse(t *testing.T) {
	for _, name := range fixtures {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range inspect.All(fixture(t, name)) {
				got = append(got, f.Key())
			}
			slices.Sort(got)
			if diff := cmp.Diff(planted[name], got); diff != "" {
				t.Errorf("(-planted +found):\n%s", diff)
			}
		})
	}
}

func TestSizesAreFound(t *testing.T) {
	api := strings.Repeat("func F#() {}\n", 130)
	for i := range 130 {
		api = strings.Replace(api, "#", string(rune('A'+i/26))+string(rune('a'+i%26)), 1)
	}
	p := load(t, module(t, map[string]string{"a.go": "package a\n" + api + strings.Repeat("// line\n", 1500)}))
	found := rules(inspect.All(p))
	if !found["wide-surface"] || !found["long-file"] {
		t.Errorf("got %v, want wide-surface and long-file", found)
	}
}

// TestEveryRuleIsPlanted reads the rules from the source, so that a new rule
// needs a place in a fixture.
func TestEveryRuleIsPlanted(t *testing.T) {
	found := map[string]bool{"wide-surface": true, "long-file": true}
	for _, name := range fixtures {
		maps.Copy(found, rules(inspect.All(fixture(t, name))))
	}
	for _, rule := range declaredRules(t) {
		if !found[rule] {
			t.Errorf("rule %q is planted nowhere", rule)
		}
	}
}

func declaredRules(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	declaration := regexp.MustCompile(`= rule\{(?:name: )?"([a-z-]+)"`)
	var all []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range declaration.FindAllStringSubmatch(string(text), -1) {
			all = append(all, m[1])
		}
	}
	if len(all) < 30 {
		t.Fatalf("read %d rules from the source, want over 30", len(all))
	}
	return all
}

func TestInspectorsHaveNames(t *testing.T) {
	seen := make(map[string]bool)
	for _, i := range inspect.Inspectors() {
		again, ok := inspect.Named(i.Name)
		if seen[i.Name] || !ok || again.Doc != i.Doc || i.Doc == "" || strings.Contains(i.Doc, "\n") {
			t.Errorf("inspector %q, documented as %q, is not unique, named or described", i.Name, i.Doc)
		}
		seen[i.Name] = true
	}
	if _, ok := inspect.Named("nobody"); ok || len(seen) < 8 {
		t.Errorf("%d inspectors, and nobody among them: %v", len(seen), ok)
	}
}

// TestAssemblyMayCallWhatGoDoesNot has a function that only an assembly file
// could call.
func TestAssemblyMayCallWhatGoDoesNot(t *testing.T) {
	files := map[string]string{"a.go": "package a\n\nfunc called() int { return 1 }\n"}
	if !rules(inspect.All(load(t, module(t, files))))["dead-code"] {
		t.Error("dead code is not found")
	}
	files["a.s"] = "// Calls called.\n"
	if rules(inspect.All(load(t, module(t, files))))["dead-code"] {
		t.Error("code that assembly may call is taken for dead")
	}
}
