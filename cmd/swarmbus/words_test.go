package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestRunsPrintsWhatShowTakes in a directory that is not the default one.
func TestRunsPrintsWhatShowTakes(t *testing.T) {
	dir := t.TempDir()
	keepSolves(t, filepath.Join(dir, "decided.journal"), "decide")
	listed, _ := says(t, "runs", dir)
	run, _, _ := strings.Cut(strings.Split(listed, "\n")[1], " ")
	if shown, _ := says(t, "show", run); !strings.Contains(shown, "Decision") {
		t.Errorf("show %s: %s", run, shown)
	}
}

func TestRunsCutsAStateThatShowPrintsWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "hang.journal")
	keepSolves(t, path, "escalate")
	listed, _ := says(t, "runs", dir)
	for line := range strings.Lines(listed) {
		if len([]rune(line)) > len(path)+140 {
			t.Errorf("a line of %d: %s", len(line), line)
		}
	}
}

func TestAKindOfNoSignalIsAnErrorThatNamesTheNearest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j.journal")
	keepSolves(t, path, "decide")
	for kind, want := range map[string]string{
		"propsal": `--kind "propsal" is the kind of no signal; did you mean "proposal"?`,
		"task":    `--kind "task" is the kind of no signal; did you mean "task:new"?`,
		"qqqqqqq": `--kind "qqqqqqq" is the kind of no signal` + "\n",
	} {
		if status, out, stderr := swarmbusRun(t, "log", path, "--kind", kind); status != exitUsage || out != "" || !strings.Contains(stderr, want) {
			t.Errorf("%s: status %d, %s%s", kind, status, out, stderr)
		}
	}
	for _, kind := range []string{"proposal", "escalate"} { // the second is a kind, though the run has no such signal
		if status, _, stderr := swarmbusRun(t, "log", path, "--kind", kind); status != exitDecided {
			t.Errorf("%s: status %d, %s", kind, status, stderr)
		}
	}
}

func TestSettleIsForARunThatIsContinued(t *testing.T) {
	if status, _, stderr := swarmbusRun(t, "solve", "x", "--mode", "deliberate", "--model", "ollama:m", "--settle"); status != exitUsage || !strings.Contains(stderr, "--settle is for a run that --resume continues") {
		t.Errorf("status %d: %s", status, stderr)
	}
}
