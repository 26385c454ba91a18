package natstest_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/swarmbus/swarmbus/bus/natsbus/natstest"
)

// The example that reviews packages and the benchmark of decisions decide over real servers
// as in one process, hash for hash. Their tests are in modules of their own.
func TestReviewAndQualityDecideOverNATSAsInOneProcess(t *testing.T) {
	t.Parallel()
	for dir, tests := range map[string]string{"../../../examples/review": ".", "../../../benchmarks": "./quality"} {
		server := natstest.Start(t, natstest.Options{})[0]
		cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", "OverNATS", tests)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOWORK=off", "SWARMBUS_NATS="+server.URL())
		text, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(text), "decision hash") {
			t.Errorf("%s: %v\n%s", dir, err, text)
		}
		t.Logf("%s", text)
	}
}
