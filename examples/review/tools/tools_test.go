package tools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// looking returns a tool that is built for the test.
func looking(t *testing.T, name string) inspect.Tool {
	t.Helper()
	program := filepath.Join(t.TempDir(), name)
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./"+name).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return inspect.Tool{Name: name, Look: func(ctx context.Context, dir string) (r inspect.Report, err error) {
		out, err := exec.CommandContext(ctx, program, dir).Output()
		if err == nil {
			err = json.NewDecoder(bytes.NewReader(out)).Decode(&r)
		}
		return r, err
	}}
}

// found inspects a package with a tool, and fails if an analyzer of it could not look.
func found(t *testing.T, dir string, tool inspect.Tool) (*inspect.Package, []inspect.Finding) {
	t.Helper()
	p, err := inspect.Load(t.Context(), dir, false, tool)
	if err != nil {
		t.Fatal(err)
	}
	if looked, why := p.Looked(tool.Name); looked < 1 {
		t.Errorf("%s: %s", dir, why)
	}
	all := p.Inspectors()
	return p, all[len(all)-1].Inspect(p)
}

// Most of the code in the fixture looks wrong and is not.
func TestInputIsWhatARequestHas(t *testing.T) {
	const dir = "../inspect/testdata/input"
	_, all := found(t, dir, looking(t, "gosec"))
	var got []string
	for _, f := range all {
		for _, at := range f.Places {
			got = append(got, fmt.Sprint(at.File, ":", at.Line, " ", f.Rule))
		}
	}
	file, err := os.Open(dir + "/input.go")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var want []string
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		if _, rule, marked := strings.Cut(lines.Text(), "// want "); marked {
			want = append(want, fmt.Sprint("input.go:", n, " ", rule))
		}
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestGuessableNumbersStandWhereTheyMakeSecrets(t *testing.T) {
	tool := looking(t, "gosec")
	for name, stands := range map[string]bool{"Shuffle": false, "NewToken": true, "SessionID": true} {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"go.mod": "module fixtures.example/made\n\ngo 1.26\n",
			"a.go":   "package a\n\nimport \"math/rand\"\n\nfunc " + name + "() int { return rand.Int() }\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		p, all := found(t, dir, tool)
		if claims := inspect.Claims(p, all); len(claims) != 1 || claims[0].Finding.Rule != "G404" || claims[0].Stands() != stands {
			t.Errorf("%s: got %v, want G404 to stand %v", name, claims, stands)
		}
	}
}

// A check that panics on everything, as one does that is left out, would be a gap.
func TestEveryCheckOfStaticcheckWorks(t *testing.T) {
	tool := looking(t, "staticcheck")
	for dir, want := range map[string]string{"clean": "", "messy": "", "rules/errors": "", "../../testdata/planted/nilmap": "SA5000"} {
		_, all := found(t, "../inspect/testdata/"+dir, tool)
		got := ""
		for _, f := range all {
			got += f.Rule
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", dir, got, want)
		}
	}
}
