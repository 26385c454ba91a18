package inspect

import (
	"cmp"
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A testRun is what go test showed.
type testRun struct {
	Failed []Place // failing tests, with the lines that they name
	Error  string  // why they could not be run, if they could not
}

var (
	failed   = regexp.MustCompile(`(?m)^\s*--- FAIL: (\S+)`)
	testLine = regexp.MustCompile(`^\s+(\w+_test\.go):(\d+): (.*)`)
	codeLine = regexp.MustCompile(`/([^/\s]+\.go):(\d+)`)
)

// test runs the package's tests once, for two minutes at most, with the race
// detector where cgo allows it.
func (p *Package) test(ctx context.Context) *testRun {
	ctx, cancel := context.WithTimeout(ctx, 150*time.Second)
	defer cancel()
	args := []string{"test", "-count=1", "-timeout=120s"}
	if cgo, _ := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED").Output(); string(cgo) == "1\n" {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.WaitDelay = p.dir, time.Second
	out, err := cmd.CombinedOutput()
	run := &testRun{Failed: p.failedTests(string(out))}
	if err != nil && run.Failed == nil {
		run.Error = cmp.Or(oneLine(string(out)), err.Error())
	}
	return run
}

// failedTests finds the lines that failing tests name: of their complaints, or the
// first of the package after a panic or a data race.
func (p *Package) failedTests(printed string) []Place {
	var all []Place
	test, why := "", ""
	for line := range strings.Lines(printed) {
		if m := failed.FindStringSubmatch(line); m != nil {
			test = m[1]
		}
		if _, message, ok := strings.Cut(line, "panic: "); ok && why == "" {
			message, _, _ = strings.Cut(strings.TrimSpace(message), " [recovered")
			why = "panics: " + message
		} else if strings.Contains(line, "DATA RACE") {
			why = "data race"
		}
		m, note := testLine.FindStringSubmatch(line), why
		if m != nil {
			note = m[3]
		} else if m = codeLine.FindStringSubmatch(line); why == "" {
			continue
		}
		if m == nil || p.file(m[1]) == nil {
			continue
		}
		n, _ := strconv.Atoi(m[2])
		all = append(all, Place{m[1], n, test, note})
		if why != "" {
			break
		}
	}
	return all
}

// failedTests speaks when the tests were run and did not pass.
func failedTests(p *Package) []Finding {
	if p.Run == nil {
		return nil
	}
	return rule{"failing-test", Defect}.at(p.Run.Failed, count(len(p.Run.Failed), "test")+" failing")
}
