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
// lists, with buses that follow logs on a server. The others need sequence numbers without
// gaps, time that a test controls (testing/synctest), signals that are fed by hand, or what
// the table in the documentation of package natsbus calls weaker.
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
	test.Dir, test.Env = root, append(os.Environ(), "GOWORK=off", "NATSTEST_URL="+natstest.Start(t, natstest.Options{})[0].URL())
	text, err := test.CombinedOutput()
	if passed := strings.Count(string(text), "\n--- PASS: "); err != nil || passed != len(names) {
		t.Errorf("%d of %d tests passed: %v\n%s", passed, len(names), err, text)
	}
}
