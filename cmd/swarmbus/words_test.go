package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
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

func TestATableIsCutToATerminalAndNowhereElse(t *testing.T) {
	all := table{titles: []string{"run", "state"}}
	all.row("ein", "decided \x1b[2J")
	all.row("会議", strings.Repeat("long ", 40)+"end")
	for line := range strings.Lines(all.lines(new(list), 40)) {
		if displaywidth.String(strings.TrimSuffix(line, "\n")) > 40 || strings.ContainsRune(line, '\x1b') {
			t.Errorf("on a terminal of 40 columns: %q", line)
		}
	}
	whole := all.lines(new(list), -1)
	if !strings.HasPrefix(whole, "run   state\nein   decided") || !strings.HasSuffix(whole, "\n会議  "+strings.Repeat("long ", 40)+"end\n") {
		t.Errorf("in a pipe:\n%s", whole)
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
