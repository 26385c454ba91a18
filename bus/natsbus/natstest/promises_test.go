package natstest_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// TestPromisesOfTheBusHoldOverNATS runs the tests of package bus that testdata/promises.txt
// lists, with buses that follow logs on a server. testdata/exceptions.txt says of the others why
// they do not run there.
func TestPromisesOfTheBusHoldOverNATS(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("testdata/promises.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	made, err := filepath.Abs("testdata/makebus.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {filepath.Join(root, "bus", "makebus_test.go"): made}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(file, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	test := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-overlay", file, "-run", "^("+strings.Join(names, "|")+")$", "./bus")
	test.Dir, test.Env = root, append(os.Environ(), "GOWORK="+filepath.Join(root, "go.work"), "NATSTEST_URL="+natstest.Start(t, natstest.Options{})[0].URL())
	text, err := test.CombinedOutput()
	if passed := strings.Count(string(text), "\n--- PASS: "); err != nil || passed != len(names) {
		t.Errorf("%d of %d tests passed: %v\n%s", passed, len(names), err, text)
	}
}

// TestEachTestOfTheBusRunsOverNATSOrIsAnException finds tests of package bus, whose buses could
// follow a log, that nobody has tried over NATS.
func TestEachTestOfTheBusRunsOverNATSOrIsAnException(t *testing.T) {
	t.Parallel()
	listed := map[string]int{}
	for _, name := range []string{"testdata/promises.txt", "testdata/exceptions.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
				listed[line]++
			}
		}
	}
	files, err := filepath.Glob("../../*_test.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range strings.Split(string(text), "\nfunc ")[1:] {
			name, body, _ := strings.Cut(f, "(")
			body, _, _ = strings.Cut(body, "\n}\n")
			if strings.HasPrefix(name, "Test") && strings.Contains(body, "newBus(") && !strings.Contains(body, "synctest.") && listed[name] == 0 {
				t.Errorf("%s: %s is neither in testdata/promises.txt nor, with a reason, in testdata/exceptions.txt", file, name)
			}
			if listed[name] > 1 {
				t.Errorf("%s is listed %d times", name, listed[name])
			}
			delete(listed, name)
		}
	}
	for name := range listed {
		t.Errorf("%s is listed, and is no test of package bus", name)
	}
}
