package inspect

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A TestRun is what go test showed.
type TestRun struct {
	Race   bool    // with the race detector
	Passed bool    // the package's tests ran, and all passed
	Failed []Place // failing tests and data races, with the lines they name
	Error  string  // why they could not be run, if they could not
}

// runTests runs the package's tests once, for two minutes at most.
func runTests(ctx context.Context, p *Package) *TestRun {
	run := &TestRun{Race: raceDetector(ctx, p.Dir)}
	ctx, cancel := context.WithTimeout(ctx, 150*time.Second)
	defer cancel()
	args := []string{"test", "-json", "-count=1", "-timeout=120s"}
	if run.Race {
		args = append(args, "-race")
	}
	cmd := exec.CommandContext(ctx, "go", append(args, ".")...)
	cmd.Dir, cmd.WaitDelay = p.Dir, time.Second
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	run.read(p, out)
	run.Passed = err == nil
	if err != nil && len(run.Failed) == 0 {
		run.Error = cmp.Or(oneLine(stderr.String()), err.Error())
	}
	return run
}

// raceDetector says whether go test can look for races here: it needs cgo and a
// C compiler.
func raceDetector(ctx context.Context, dir string) bool {
	cmd := exec.CommandContext(ctx, "go", "env", "CGO_ENABLED", "CC")
	cmd.Dir = dir
	out, err := cmd.Output()
	fields := strings.Fields(string(out))
	if err != nil || len(fields) < 2 || fields[0] != "1" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		return false
	}
	_, err = exec.LookPath(fields[1])
	return err == nil
}

// event is a line of go test -json.
type event struct {
	Action, Test, Output string
}

// read collects failures, with what the tests printed before they failed.
func (r *TestRun) read(p *Package, out []byte) {
	printed := make(map[string]string)
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		switch e.Action {
		case "output":
			printed[e.Test] += e.Output
		case "fail":
			r.Failed = append(r.Failed, p.failure(e.Test, printed[e.Test])...)
		}
	}
	sortPlaces(r.Failed)
	r.Failed = slices.Compact(r.Failed)
}

var (
	testLine = regexp.MustCompile(`(?m)^\s+(\w+_test\.go):(\d+): (.*)$`)
	codeLine = regexp.MustCompile(`(?m)/([^/\s]+\.go):(\d+)`)
)

// failure finds the line that a failing test names: of its complaint, of a data
// race, or of a panic. A failing test around others that fail names none.
func (p *Package) failure(test, printed string) []Place {
	var at Place
	switch {
	case strings.Contains(printed, "DATA RACE"):
		at = p.firstLine(printed[strings.Index(printed, "DATA RACE"):], "data race")
	case strings.Contains(printed, "panic: "):
		_, rest, _ := strings.Cut(printed, "panic: ")
		message, _, _ := strings.Cut(rest, "\n")
		message, _, _ = strings.Cut(message, " [recovered")
		at = p.firstLine(rest, "panics: "+message)
	default:
		if m := testLine.FindStringSubmatch(printed); m != nil {
			n, _ := strconv.Atoi(m[2])
			at = Place{Position{m[1], n}, "", m[3]}
		}
	}
	if at.File == "" {
		return nil
	}
	at.Name = cmp.Or(test, at.Name)
	return []Place{at}
}

// firstLine returns the first line of a stack that lies in the package.
func (p *Package) firstLine(stack, note string) Place {
	for _, m := range codeLine.FindAllStringSubmatch(stack, -1) {
		if n, err := strconv.Atoi(m[2]); err == nil && p.file(m[1]) != nil {
			return Place{Position{m[1], n}, "", note}
		}
	}
	return Place{}
}

// failedTests speaks when the tests were run and did not pass.
func failedTests(p *Package) []Finding {
	if p.Run == nil {
		return nil
	}
	return rule{"failing-test", Defect}.at(slices.Clone(p.Run.Failed), count(len(p.Run.Failed), "test")+" failing")
}
