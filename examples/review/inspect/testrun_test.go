package inspect_test

import (
	"context"
	"testing"

	"github.com/swarmbus/swarmbus/examples/review/inspect"
)

// ran loads a package with its tests run, without the race detector, which takes
// a minute to build.
func ran(t *testing.T, files map[string]string) *inspect.Package {
	t.Helper()
	t.Setenv("CGO_ENABLED", "0")
	p, err := inspect.Load(context.Background(), module(t, files), true)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestFailingTestsNameTheLine(t *testing.T) {
	const head = "package a\n\nimport \"testing\"\n\n"
	for name, test := range map[string]struct{ code, test, want string }{
		"complaint": {"func Add(a, b int) int { return a - b }", "func TestAdd(t *testing.T) {\n\tif Add(1, 1) != 2 {\n\t\tt.Error(\"no\")\n\t}\n}\n", "a_test.go:7 TestAdd (no)"},
		"panic": {
			"func Last(s []int) int {\n\treturn s[len(s)]\n}", "func TestLast(t *testing.T) { Last([]int{1}) }\n",
			"a.go:4 TestLast (panics: runtime error: index out of range [1] with length 1)",
		},
		"subtest": {"func F() {}", "func TestF(t *testing.T) {\n\tt.Run(\"x\", func(t *testing.T) { t.Fatal(\"inner\") })\n}\n", "a_test.go:6 TestF/x (inner)"},
	} {
		p := ran(t, map[string]string{"a.go": "package a\n\n" + test.code + "\n", "a_test.go": head + test.test})
		found := inspect.All(p)
		if len(found) != 1 || found[0].Rule != "failing-test" || found[0].Evidence(9) != test.want {
			t.Errorf("%s: got %v, %+v", name, found, p.Run)
		}
	}
}

func TestPassingTestsSpeakForThePackage(t *testing.T) {
	p := ran(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n", "a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { F(); t.Log(1) }\n"})
	looked, why := p.Looked("tests")
	if p.Run.Failed != nil || p.Run.Error != "" || looked != 1 || why != "" || len(inspect.All(p)) != 0 {
		t.Errorf("got %+v, looked at %v: %s", p.Run, looked, why)
	}
}

func TestTestsAreNotRunUnasked(t *testing.T) {
	p := load(t, module(t, map[string]string{"a.go": "package a\n", "a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestF(t *testing.T) { panic(1) }\n"}))
	if looked, why := p.Looked("tests"); p.Run != nil || looked != 0 || why == "" || len(inspect.All(p)) != 0 {
		t.Errorf("got %+v, looked at %v: %s", p.Run, looked, why)
	}
}
