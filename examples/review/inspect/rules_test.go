package inspect_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

var wanted = regexp.MustCompile(`// want ([\w-]+)$`)

// TestRulesFindWhatIsMarkedAndNothingElse compares what is found in
// testdata/rules with the lines that say so. Most of the code there looks wrong
// and is not.
func TestRulesFindWhatIsMarkedAndNothingElse(t *testing.T) {
	dirs, err := filepath.Glob("testdata/rules/*")
	if err != nil || len(dirs) < 2 {
		t.Fatal(dirs, err)
	}
	for _, dir := range dirs {
		name := filepath.Base(dir)
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, f := range inspect.All(fixture(t, "rules/"+name)) {
				for _, at := range f.Places {
					got = append(got, fmt.Sprintf("%s:%03d %s", at.File, at.Line, f.Rule))
				}
			}
			slices.Sort(got)
			if diff := cmp.Diff(marked(t, filepath.Join(dir, name+".go")), got); diff != "" {
				t.Errorf("(-marked +found):\n%s", diff)
			}
		})
	}
}

func marked(t *testing.T, file string) []string {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []string
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		if m := wanted.FindStringSubmatch(lines.Text()); m != nil {
			all = append(all, fmt.Sprintf("%s:%03d %s", filepath.Base(file), n, m[1]))
		}
	}
	return all
}

func TestInspectorsHaveNames(t *testing.T) {
	seen := map[string]bool{}
	for _, i := range inspect.Inspectors("staticcheck", "gosec") {
		if seen[i.Name] || i.Name == "" || i.Doc == "" {
			t.Errorf("inspector %q, documented as %q, is not unique, named or described", i.Name, i.Doc)
		}
		seen[i.Name] = true
	}
	if len(seen) != 9 {
		t.Errorf("%d inspectors, want 9", len(seen))
	}
}

// TestEveryAnalyzerWorks fails when an analyzer panics on everything.
func TestEveryAnalyzerWorks(t *testing.T) {
	for _, name := range []string{"clean", "messy", "rules/errors"} {
		for _, g := range fixture(t, name).Gaps {
			if g.Inspector != "tests" {
				t.Errorf("%s: %s: %s", name, g.Inspector, g.Reason)
			}
		}
	}
}
